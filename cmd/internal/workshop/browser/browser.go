// Package browser drives a real browser in tests of pages.
package browser

import (
	"context"
	"os/exec"
	"sync"
	"testing"
	"time"

	"fairshare/cmd/internal/workshop"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Find returns the path of a Chromium; .ci/run installs one. Without one the test is
// skipped, see workshop.Skip.
func Find(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	workshop.Skip(t, "no Chromium on this machine")
	return ""
}

// shared is the browser whose tabs the tests of a package open.
var shared struct {
	sync.Mutex
	ctx  context.Context // nil before the first tab is opened
	stop func()
}

// Main runs the tests of a package and ends the browser that they share.
func Main(m *testing.M) {
	m.Run()
	if shared.ctx != nil {
		shared.stop()
	}
}

// start returns the shared browser, and starts it for the first tab.
func start(t *testing.T) context.Context {
	t.Helper()
	path := Find(t)
	shared.Lock()
	defer shared.Unlock()
	if shared.ctx == nil {
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
			// No renderer is started before a tab needs it.
			chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,SpareRendererForSitePerProcess"))
		allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, stopTab := chromedp.NewContext(allocator)
		stop := func() {
			stopTab()
			stopAllocator()
		}
		if err := chromedp.Do(ctx); err != nil {
			stop()
			t.Fatal(err)
		}
		shared.ctx, shared.stop = ctx, stop
	}
	return shared.ctx
}

// Tab is a tab of a browser, which the test closes.
type Tab struct {
	t   *testing.T
	ctx context.Context
}

// Open opens a tab of a given size. It shares the browser with the package's other tests, whose
// TestMain must call Main, and neither storage nor cookies. It has the focus, whatever others have.
func Open(t *testing.T, width, height int) *Tab {
	t.Helper()
	ctx, stopTab := chromedp.NewContext(start(t), chromedp.WithNewBrowserContext())
	const most = 3 * time.Minute
	ctx, stopTimer := context.WithTimeout(ctx, most)
	t.Cleanup(func() {
		stopTimer()
		stopTab()
	})
	tab := &Tab{t, ctx}
	tab.Do(chromedp.EmulateViewport(int64(width), int64(height)), focused())
	return tab
}

// Do does some actions, one after the other.
func (b *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// Go opens an address and waits for the page to be drawn.
func (b *Tab) Go(address string) {
	b.t.Helper()
	b.Do(chromedp.Navigate(address), chromedp.WaitReady(chromedp.CSS("html[data-ready=yes]")))
}

// Text returns the text of the first element that a selector finds.
func (b *Tab) Text(selector string) string {
	b.t.Helper()
	text, err := chromedp.Run(b.ctx, chromedp.Text(chromedp.CSS(selector)))
	if err != nil {
		b.t.Fatalf("%s: %v", selector, err)
	}
	return text
}

// Eval returns what an expression comes to in the page.
func Eval[T any](b *Tab, expression string) T {
	b.t.Helper()
	result, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return result
}

// focused makes a tab believe that it has the focus, so that tabs beside it do not blur its fields.
func focused() chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		return err
	})
}

// Dark makes a tab prefer dark pages.
func Dark() chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return err
	})
}

// NoScripts makes a tab run no scripts of pages.
func NoScripts() chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	})
}

// Context returns what actions of chromedp run in.
func (b *Tab) Context() context.Context { return b.ctx }
