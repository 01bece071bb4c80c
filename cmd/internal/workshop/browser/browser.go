// Package browser drives a real browser in tests of pages.
package browser

import (
	"context"
	"os/exec"
	"testing"
	"time"

	"fairshare/cmd/internal/workshop"

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

// Tab is a tab of a browser, which the test closes.
type Tab struct {
	t   *testing.T
	ctx context.Context
}

// Open opens a tab of a given size.
func Open(t *testing.T, width, height int) *Tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(Find(t)), chromedp.NoSandbox, chromedp.WindowSize(width, height))
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stopTab := chromedp.NewContext(allocator)
	const most = 3 * time.Minute
	ctx, stopTimer := context.WithTimeout(ctx, most)
	t.Cleanup(func() {
		stopTimer()
		stopTab()
		stopAllocator()
	})
	return &Tab{t, ctx}
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

// Context returns what actions of chromedp run in.
func (b *Tab) Context() context.Context { return b.ctx }
