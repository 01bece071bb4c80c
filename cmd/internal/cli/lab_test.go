package cli

import (
	"bytes"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"fairshare/cmd/internal/lab"
	pbslab "fairshare/cmd/internal/pbs/lab"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/workshop"
	"fairshare/cmd/internal/workshop/browser"
)

const labSite = "../../../testdata/snapshots/snapshot_20261121_10_00_00.tgz"

// openLab serves a lab as the command does and returns the address of its page.
func openLab(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	var c commandLine
	parser, err := newParser(&c, Config{Stdout: &stdout, Stderr: &stderr})
	if err != nil {
		t.Fatal(err)
	}
	var ctx *kong.Context
	if ctx, err = parser.Parse(append([]string{"lab"}, args...)); err != nil {
		t.Fatal(ctx, err)
	}
	s := &session{ctx: t.Context(), in: site.NewInput(strings.NewReader("")), progress: &progress{}}
	s.diag.Program, s.diag.W = "formula", &stderr
	l, err := c.Lab.load(s)
	if err != nil {
		t.Fatal(err, stderr.String())
	}
	server := lab.NewServer(l, "localhost")
	served := httptest.NewServer(server)
	t.Cleanup(served.Close)
	return served.URL + server.Path()
}

// output returns what a command prints.
func output(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(args, strings.NewReader(""), &stdout, &stderr); code > exitPartly {
		t.Fatalf("%v: %d %s", args, code, stderr.String())
	}
	return stdout.String()
}

// labTab is a tab with a lab in it.
type labTab struct {
	*browser.Tab
	t *testing.T
}

// Go opens the page and waits until it has shown all that it asks. That it is ready is earlier: a
// picture is drawn in the next frame.
func (l labTab) Go(address string) {
	l.t.Helper()
	l.Tab.Go(address)
	l.until(isSettled)
}

// isSettled holds where every question is answered, and the answer to the last try is drawn.
const isSettled = "asking === 0 && document.documentElement.dataset.tried === String(tries)"

// until waits until an expression is true in a frame of the page.
func (l labTab) until(expression string) {
	l.t.Helper()
	if _, err := chromedp.Run(l.Context(), chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(0))); err != nil {
		l.t.Fatal(err)
	}
}

// settled does what makes the page try something, and waits until it has shown what it asked.
func (l labTab) settled(do func()) {
	l.t.Helper()
	before := browser.Eval[int](l.Tab, "tries")
	do()
	l.until(fmt.Sprintf("tries > %d && %s", before, isSettled))
}

// eval evaluates an expression and throws its value away.
func (l labTab) eval(expression string) {
	l.t.Helper()
	browser.Eval[bool](l.Tab, "(() => { "+expression+"; return true; })()")
}

// ids returns the jobs that the page shows, in their order.
func (l labTab) ids() []string {
	return browser.Eval[[]string](l.Tab, "[...document.querySelectorAll('#order tbody button')].map(b => b.textContent)")
}

// shows holds the jobs that the page shows to what sort prints with some flags, and
// returns these.
func (l labTab) shows(flags ...string) []string {
	l.t.Helper()
	want := strings.Fields(output(l.t, append([]string{"sort", labSite, "-o", "ids"}, flags...)...))
	if got := l.ids(); strings.Join(got, " ") != strings.Join(want, " ") {
		l.t.Errorf("the page shows %v, sort %v prints %v", got, flags, want)
	}
	return want
}

// A person types a formula, drags a slider, chooses jobs, changes the tree, undoes it and
// takes the result away: what the page shows is what the commands print.
func TestLabInBrowser(t *testing.T) {
	t.Parallel()
	tab := labTab{browser.Open(t, 1280, 1800), t}
	tab.Go(openLab(t, labSite))

	// The order in force is that of sort.
	tab.shows()
	if got := tab.Text("#summary"); got != "the order of 55 jobs is that in force" {
		t.Errorf("summary: %s", got)
	}

	// A formula is typed, names are offered and taken.
	tab.eval("document.getElementById('formula').value = ''; document.getElementById('formula').focus()")
	tab.settled(func() {
		tab.Do(chromedp.SendKeys(chromedp.CSS("#formula"), "4*ncpus + queue_pr"))
	})
	if offered := tab.Text("#names li"); !strings.HasPrefix(offered, "queue_priority") {
		t.Errorf("offered: %s", offered)
	}
	tab.Do(chromedp.KeyEvent(kb.ArrowDown))
	tab.settled(func() { tab.Do(chromedp.KeyEvent("\t")) })
	const typed = "4*ncpus + queue_priority"
	if got := browser.Eval[string](tab.Tab, "document.getElementById('formula').value"); got != typed {
		t.Fatalf("the formula is %q", got)
	}
	tab.shows("-f", typed)
	if got := tab.Text("#verdict"); got != "qmgr would accept it" {
		t.Errorf("verdict: %s", got)
	}

	// A slider is dragged: the number in the formula follows, and the order.
	tab.settled(func() {
		tab.eval("const s = document.querySelector('#sliders input'); s.value = 8; s.dispatchEvent(new Event('input')); s.dispatchEvent(new Event('pointerup'))")
	})
	const dragged = "8*ncpus + queue_priority"
	if got := browser.Eval[string](tab.Tab, "document.getElementById('formula').value"); got != dragged {
		t.Errorf("after the drag the formula is %q", got)
	}
	want := tab.shows("-f", dragged)

	// A job is explained, a second one compared with it.
	tab.Do(chromedp.Click(chromedp.CSS("#order tbody tr:nth-child(2) button")))
	tab.Do(chromedp.WaitVisible(chromedp.CSS("#explainedjob")))
	if got := tab.Text("#explainedjob"); got != want[1] {
		t.Errorf("explained: %s, want %s", got, want[1])
	}
	tab.Do(chromedp.Click(chromedp.CSS("#order tbody tr:nth-child(1) button")))
	tab.Do(chromedp.WaitVisible(chromedp.CSS("#versus")))
	verdict := strings.SplitN(output(t, "explain", want[1], labSite, "--vs", want[0], "-f", dragged), "\n", 2)[0]
	if got := tab.Text("#versus"); got != verdict {
		t.Errorf("the page says %q, explain %q", got, verdict)
	}

	// Only the jobs of a queue.
	tab.settled(func() {
		tab.eval("const f = document.getElementById('filters'); f.elements.queue.value = 'lowq'; f.dispatchEvent(new Event('input'))")
	})
	for _, id := range tab.ids() {
		if line := output(t, "explain", id, labSite); !strings.Contains(line, "queue lowq") {
			t.Errorf("%s is not of lowq", id)
		}
	}
	tab.settled(func() {
		tab.eval("const f = document.getElementById('filters'); f.elements.queue.value = ''; f.dispatchEvent(new Event('input'))")
	})

	// Shares are changed in the tree, and come back with an undo.
	tab.settled(func() { tab.Do(chromedp.Click(chromedp.CSS("#reset"))) })
	tab.Do(chromedp.Click(chromedp.CSS("#tree button[data-node=group1]")))
	tab.settled(func() {
		tab.eval("const s = document.getElementById('shares'); s.value = 60; s.dispatchEvent(new Event('change'))")
	})
	if got := tab.Text("#changes li"); !strings.HasPrefix(got, "group1.shares=60 (was 40)") {
		t.Errorf("changes: %s", got)
	}
	tab.shows("--set", "group1.shares=60")
	if hash := browser.Eval[string](tab.Tab, "location.hash"); hash != "#set=group1.shares%3D60" {
		t.Errorf("the address has %s", hash)
	}

	// What is taken away is a diff, a command, and a test that holds.
	tab.Do(chromedp.Click(chromedp.CSS("[data-take=diff]")), chromedp.WaitVisible(chromedp.CSS("#taken")))
	if got := tab.Text("#taken"); !strings.Contains(got, "-group1\t10\troot\t40") || !strings.Contains(got, "+group1\t10\troot\t60") {
		t.Errorf("the diff is\n%s", got)
	}
	tab.settled(func() { tab.Do(chromedp.Click(chromedp.CSS("#undo"))) })
	if got := tab.Text("#summary"); got != "the order of 55 jobs is that in force" {
		t.Errorf("after the undo: %s", got)
	}

	// A name that is whole is not made another one by leaving the field.
	tab.eval("document.getElementById('formula').value = ''; document.getElementById('formula').focus()")
	tab.settled(func() { tab.Do(chromedp.SendKeys(chromedp.CSS("#formula"), "mem")) })
	tab.Do(chromedp.KeyEvent("\t"))
	if got := browser.Eval[string](tab.Tab, "document.getElementById('formula').value"); got != "mem" {
		t.Errorf("mem has become %s", got)
	}
	// The keys move a slider step by step, and it keeps the focus.
	tab.settled(func() {
		tab.eval("document.getElementById('formula').value = '2*ncpus'; document.getElementById('formula').dispatchEvent(new Event('input'))")
	})
	tab.Do(chromedp.Focus(chromedp.CSS("#sliders input")))
	for range 3 {
		tab.settled(func() { tab.Do(chromedp.KeyEvent(kb.ArrowRight)) })
	}
	if got := browser.Eval[string](tab.Tab, "document.getElementById('formula').value"); got != "5*ncpus" {
		t.Errorf("after three keys the formula is %s", got)
	}

	// What is wrong is said where it is.
	tab.eval("document.getElementById('formula').value = ''; document.getElementById('formula').focus()")
	tab.settled(func() { tab.Do(chromedp.SendKeys(chromedp.CSS("#formula"), "ncpus + nonsense")) })
	tab.Do(chromedp.WaitVisible(chromedp.CSS("#place mark")))
	if got := tab.Text("#place mark"); got != "nonsense" {
		t.Errorf("what is wrong is %q", got)
	}
}

// A view that is passed on shows the same, on a narrow screen and in the dark.
func TestLabAddress(t *testing.T) {
	t.Parallel()
	tab := labTab{browser.Open(t, 380, 1200), t}
	tab.Go(openLab(t, labSite) + "#f=ncpus&set=bob.usage%3D100000&set=queue.highq.priority%3D7")
	if got := tab.Text("#changes"); !strings.Contains(got, "bob.usage=100000") || !strings.Contains(got, "queue.highq.priority=7") {
		t.Errorf("changes: %s", got)
	}
	if got := browser.Eval[string](tab.Tab, "document.querySelector('[data-queue=highq]').value"); got != "7" {
		t.Errorf("the priority of highq is %s", got)
	}
	if wide := browser.Eval[int](tab.Tab, "document.documentElement.scrollWidth"); wide > 380 {
		t.Errorf("the page is %d wide on a screen of 380: %v", wide, browser.Eval[[]string](tab.Tab, "[...document.querySelectorAll('*')].filter(e => e.scrollWidth > 380 || e.getBoundingClientRect().right > 381).map(e => e.tagName + '#' + e.id + '.' + e.className + ' ' + e.scrollWidth + ' ' + e.getBoundingClientRect().right + ' ' + getComputedStyle(e).overflowX)"))
	}
	// Everything that can be used has a name that a screen reader says.
	nameless := browser.Eval[[]string](tab.Tab, `[...document.querySelectorAll('button, input, select, textarea, canvas')]
		.filter(e => !(e.getAttribute('aria-label') || e.textContent.trim() || e.closest('label') || e.labels && e.labels.length)).map(e => e.outerHTML.slice(0, 80))`)
	if len(nameless) > 0 {
		t.Errorf("without a name: %v", nameless)
	}
}

// The browser is led to the page by one that others cannot read. What is impossible in an
// address is said, and can be taken back by itself.
func TestLabOpens(t *testing.T) {
	workshop.Long(t)
	t.Parallel()
	tab := labTab{browser.Open(t, 1000, 1000), t}
	address := openLab(t, labSite)
	lead, err := lab.LeadTo(t.TempDir(), address+"#f=ncpus*3&set=bad&set=bob.shares%3D7")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(lead); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	tab.Go("file://" + lead)
	if got := tab.Text("#verdict"); !strings.Contains(got, "bad: expected NAME=VALUE") {
		t.Errorf("verdict: %s", got)
	}
	if got := browser.Eval[string](tab.Tab, "document.getElementById('formula').value"); got != "ncpus*3" {
		t.Errorf("the formula is %q", got)
	}
	tab.settled(func() { tab.Do(chromedp.Click(chromedp.CSS("#changes li:first-child button"))) })
	if got := tab.Text("#changes"); !strings.Contains(got, "bob.shares=7 (was 50)") || strings.Contains(got, "bad") {
		t.Errorf("changes: %s", got)
	}
}

// loadLab returns the lab of a site, as the command makes it.
func loadLab(t *testing.T, name string) lab.Site {
	t.Helper()
	var c commandLine
	parser, err := newParser(&c, Config{Stdout: io.Discard, Stderr: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse([]string{"lab", name}); err != nil {
		t.Fatal(err)
	}
	s := &session{ctx: t.Context(), in: site.NewInput(strings.NewReader("")), progress: &progress{}}
	s.diag.W = io.Discard
	l, err := c.Lab.load(s)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A test that is taken away holds on the site that it comes from.
func TestLabTest(t *testing.T) {
	t.Parallel()
	for _, formula := range []string{"ncpus*2 + queue_priority", "1000*fairshare_factor", "1e30*ncpus", "1e-30*ncpus", "1/(ncpus-4)", "0.1*ncpus"} {
		l := loadLab(t, labSite)
		taken, err := l.(*pbslab.Lab).Take(lab.State{Formula: formula}, "test")
		if err != nil {
			t.Fatalf("%s: %v", formula, err)
		}
		path := filepath.Join(t.TempDir(), "formula.test")
		if err := os.WriteFile(path, taken.Text, 0o644); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		if code := run([]string{"test", path, "--snapshot", labSite}, strings.NewReader(""), &stdout, &stderr); code != exitFine {
			t.Errorf("%s: %d %s%s\n%s", formula, code, stdout.String(), stderr.String(), taken.Text)
		}
	}
}

// The logs of a snapshot are replayed from the page, and the report is shown.
func TestLabReplays(t *testing.T) {
	workshop.Long(t)
	t.Parallel()
	tab := labTab{browser.Open(t, 1000, 1200), t}
	address := openLab(t, "../../../testdata/replay/P2/snapshot", "--jobs", "../../../testdata/scheduler/02-fstree/qstat-f.json", "--usage", "../../../testdata/replay/P2/usage.begin", "--tz", "UTC")
	tab.Go(address + "#f=ncpus")
	tab.Do(chromedp.Click(chromedp.CSS("#replay")), chromedp.WaitVisible(chromedp.CSS("#report")))
	report := browser.Eval[string](tab.Tab, "document.getElementById('report').getAttribute('href')")
	tab.Tab.Go(address + report)
	tab.eval("document.querySelectorAll('details').forEach(d => { d.open = true; })")
	if got := tab.Text("#same"); got != "187" {
		t.Errorf("%s jobs start in the same second, want 187", got)
	}
	if got := tab.Text("#policies dd:nth-of-type(2)"); got != "ncpus" {
		t.Errorf("policy 2 is %s", got)
	}
}

// Long lists with names of all kinds: a key stroke is answered, and how fast is logged.
func TestLabLarge(t *testing.T) {
	workshop.Long(t)
	t.Parallel()
	browser.Find(t)
	sizes := []int{40_000}
	if testing.Short() {
		sizes = []int{5_000}
	}
	for _, jobs := range sizes {
		var list strings.Builder
		list.WriteString("Job_Id,job_state,euser,egroup,queue,queue_rank,Resource_List.ncpus,Resource_List.walltime,eligible_time\n")
		for i := range jobs {
			fmt.Fprintf(&list, "%d.s,Q,%s,g%d,%s,%d,%d,%d,%d\n", i+1, []string{"ann", "bob", "<script>document.title='broken'</script>"}[i%3], i%7, []string{"workq", "highq", "<b>q</b>"}[i%3], i, i%97+1, i*37%86400, i*13%5000)
		}
		path := filepath.Join(t.TempDir(), "jobs.csv")
		if err := os.WriteFile(path, []byte(list.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		tab := labTab{browser.Open(t, 1200, 1200), t}
		tab.Go(openLab(t, labSite, "--jobs", path))
		tab.eval("document.getElementById('formula').value = 'ncpus*1'; document.getElementById('formula').focus(); document.getElementById('formula').setSelectionRange(7, 7)")
		var took []string
		for _, key := range "234567" {
			tab.settled(func() { tab.Do(chromedp.KeyEvent(string(key))) })
			took = append(took, browser.Eval[string](tab.Tab, "document.documentElement.dataset.asked + '/' + document.documentElement.dataset.took"))
		}
		t.Logf("%d jobs: ms from the key to the picture: %v", jobs, took)
		want := strings.Fields(output(t, "sort", labSite, "--jobs", path, "-f", "ncpus*1234567", "-o", "ids"))[:60]
		if got := tab.ids(); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%d jobs: the page shows %v, sort prints %v", jobs, got, want)
		}
		if title := browser.Eval[string](tab.Tab, "document.title"); title != "formula lab" {
			t.Errorf("a name has become a script: %s", title)
		}
		if shown := browser.Eval[bool](tab.Tab, "[...document.querySelectorAll('#order td')].some(e => e.textContent.startsWith('<script>'))"); !shown {
			t.Error("the name <script> is not shown")
		}
	}
}

// TestLabPicture makes the picture of the README, where LAB_PICTURE names a file.
func TestLabPicture(t *testing.T) {
	workshop.Long(t)
	tab := labTab{browser.Open(t, 1280, 1250), t}
	t.Chdir("../../..")
	tab.Go(openLab(t, strings.TrimPrefix(labSite, "../../../")) + "#f=1000*fairshare_factor+%2B+2*queue_priority+%2B+0.5*ncpus")
	tab.Do(chromedp.Click(chromedp.CSS("#order tbody tr:nth-child(3) button")), chromedp.WaitVisible(chromedp.CSS("#explainedjob")))
	picture, err := chromedp.Run(tab.Context(), chromedp.CaptureScreenshot())
	if err != nil || len(picture) < 20_000 {
		t.Fatalf("%d bytes (%v)", len(picture), err)
	}
	if path := os.Getenv("LAB_PICTURE"); path != "" {
		if err := os.WriteFile(filepath.Clean(path), picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
