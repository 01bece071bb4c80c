package study_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/pbs/study/studytest"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/workshop"
	"fairshare/cmd/internal/workshop/browser"
)

// writePage writes the page of a study and returns its address.
func writePage(t *testing.T, s *study.Study, all []*study.Measured, conditions ...string) string {
	t.Helper()
	var list []*figure.Condition
	for _, text := range conditions {
		c, err := figure.ParseCondition(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	verdicts, err := s.Judge(all, list)
	if err != nil {
		t.Fatal(err)
	}
	text, err := page.Render(s.Page(all, s.Compare(all), verdicts, time.UTC, nil))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}

func TestMain(m *testing.M) { browser.Main(m) }

// The page of a recorded run, in a browser: the numbers on it are those of the study.
func TestPageInBrowser(t *testing.T) {
	browser.Find(t)
	s := studytest.OfRun(t, "P2")
	studytest.Add(t, s, study.Changes{Settings: []string{"server.backfill_depth=0"}})
	all := studytest.Run(t, s)
	address := writePage(t, &s.Study, all, "mean(wait) > 2*base")
	tab := browser.Open(t, 1200, 3000)
	tab.Go(address)
	browser.Eval[int](tab, `[...document.querySelectorAll('details')].map(d => d.open = true).length`)
	trust := all[1].First.Trust()
	for selector, want := range map[string]string{
		"#both": strconv.Itoa(trust.Jobs), "#same": strconv.Itoa(trust.Equal), "#within0": fmt.Sprintf("%.1f%%", 100*trust.Within[0]),
		"#policies dd:nth-of-type(2) code": s.Policies[1].Name, ".fails": "Policy 2 fails: mean(wait) > 2*base, which holds in 1 of 1 runs.",
	} {
		if got := tab.Text(selector); got != want {
			t.Errorf("%s is %q, want %q", selector, got, want)
		}
	}
	for i, f := range s.Figures {
		for row, m := range all {
			want := study.IntervalOf(m.Figures[i]).Text(f.Unit())
			if m.Longer[i] {
				want = ">" + want
			}
			if got := tab.Text(fmt.Sprintf(`[id=%q]`, fmt.Sprintf("%v %d", f, row))); got != want {
				t.Errorf("%v of row %d is %q, want %q", f, row, got, want)
			}
		}
	}
	// Everything is drawn, with a line for each row, and a target.
	for id, lines := range map[string]int{"inuse": 3, "waiting": 3, "waits": 3, "distance": 3, "share0": 4} {
		if got := browser.Eval[string](tab, fmt.Sprintf("document.getElementById(%q).dataset.lines", id)); got != strconv.Itoa(lines) {
			t.Errorf("%s has %s lines, want %d", id, got, lines)
		}
		if part := browser.Eval[float64](tab, fmt.Sprintf(coloured, id)); part < .001 {
			t.Errorf("%s: only %v of it is coloured, nothing is drawn", id, part)
		}
	}
	// Who gains: by queue, then by user.
	if got, want := tab.Text("#gains0 tr td:nth-child(2)"), "196"; got != want {
		t.Errorf("the first queue has %s jobs, want %s", got, want)
	}
	browser.Eval[bool](tab, `(k => { k.value = 1; return k.dispatchEvent(new Event('input')); })(document.getElementById('kind'))`)
	if got := tab.Text(".kind:not([hidden]) tbody td"); got != "bob" {
		t.Errorf("the user with the most jobs is %s, want bob", got)
	}
	// The list of jobs is turned page by page.
	page := "document.querySelectorAll('tbody#jobs tr').length + ' ' + document.querySelector('tbody#jobs td').textContent"
	begin := browser.Eval[string](tab, page)
	tab.Do(chromedp.Click(chromedp.CSS("#after")))
	if next := browser.Eval[string](tab, page); next == begin || !strings.HasPrefix(next, "50 ") || !strings.Contains(tab.Text("#found"), "51 to 100 of them") {
		t.Errorf("the second page begins with %s, the first with %s: %s", next, begin, tab.Text("#found"))
	}
	// The table of jobs is searched while one types.
	tab.Do(chromedp.SendKeys(chromedp.CSS("#find"), "DORA highq"))
	n := 0
	for _, j := range s.Work.Jobs {
		if names := s.Work.Trace.Names.List; names[j.User] == "dora" && names[j.Queue] == "highq" {
			n++
		}
	}
	if rows := browser.Eval[int](tab, "document.querySelectorAll('tbody#jobs tr').length"); rows != n {
		t.Errorf("%d rows of dora's jobs in highq, want %d", rows, n)
	}
	if found := tab.Text("#found"); !strings.HasPrefix(found, fmt.Sprintf("%d of 302 jobs", n)) {
		t.Errorf("found: %s", found)
	}
}

// coloured is the part of a canvas that is neither grey nor transparent.
const coloured = `(box => {
	const c = box.matches('canvas') ? box : box.querySelector('canvas');
	const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
	let n = 0;
	for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 64 && Math.max(d[i], d[i+1], d[i+2]) - Math.min(d[i], d[i+1], d[i+2]) > 24) n++;
	return n / (d.length / 4);
})(document.getElementById(%q))`

// A page of a record without starts has no row of what was observed, names of jobs are
// text, and it can be read in the dark and on a narrow screen.
func TestPageOfATrace(t *testing.T) {
	browser.Find(t)
	swf := strings.ReplaceAll("1 0 -1 100 4 -1 -1 4 100 -1 1 NAME g -1 q -1 -1 -1\n2 10 -1 100 4 -1 -1 4 100 -1 1 NAME g -1 q -1 -1 -1\n", "NAME", `<script>document.title='broken'</script>`)
	s := studytest.OfTrace(t, swf, "4", "ncpus")
	address := writePage(t, &s.Study, studytest.Run(t, s))
	tab := browser.Open(t, 360, 1500)
	tab.Go(address)
	if title := browser.Eval[string](tab, "document.title"); title != "Policies on recorded work, 1970-01-01" {
		t.Errorf("the title is %q", title)
	}
	if user := tab.Text("tbody#jobs td:nth-child(2)"); !strings.HasPrefix(user, "<script>") {
		t.Errorf("the user is %q", user)
	}
	if lines := browser.Eval[string](tab, "document.getElementById('waiting').dataset.lines"); lines != "1" {
		t.Errorf("%s lines of jobs that wait, want 1", lines)
	}
	if wide := browser.Eval[int](tab, "document.documentElement.scrollWidth"); wide > 360 {
		t.Errorf("the page is %d wide on a screen of 360", wide)
	}
}

// A reader whose programs run no scripts, as those for mail do, is told of which site and time the page is and what it comes to, in words
// and in the same tables as others.
func TestPageWithoutScripts(t *testing.T) {
	workshop.Long(t)
	browser.Find(t)
	s := studytest.OfRun(t, "P2")
	s.Wanted.KeepWhy = true
	s.From = []string{"of/last month/snapshot", "-"}
	studytest.Add(t, s, study.Changes{Settings: []string{"server.backfill_depth=0"}})
	address := writePage(t, &s.Study, studytest.Run(t, s))
	const tables = `[...document.querySelectorAll('table')].map(t => [...t.rows].map(r => [...r.cells].map(c => c.textContent).join(' | ')).join('; '))`
	tab := browser.Open(t, 1200, 3000)
	tab.Go(address)
	with := browser.Eval[[]string](tab, tables)
	if got := browser.Eval[int](tab, "document.querySelectorAll('#pictures .timeline').length"); got == 0 {
		t.Error("nothing is drawn")
	}

	tab = browser.Open(t, 1200, 3000)
	tab.Do(browser.NoScripts(), chromedp.Navigate(address))
	without := browser.Eval[[]string](tab, tables)
	if len(without) < 5 || slices.Contains(without, "") || !slices.Equal(with, without) {
		t.Errorf("%d tables without scripts, and %d with them, some of which have other texts: %.300q, and %.300q", len(without), len(with), without, with)
	}
	for selector, want := range map[string]string{
		"h1": "Policies on recorded work, 2026-03-02 to 2026-03-03", "#facts dd": "PBS server pbsref", "#facts dd:nth-of-type(2)": "snapshot and standard input",
		"#facts dd:nth-of-type(3)": "2026-03-02 07:37:58 UTC to 2026-03-03 09:00:00 UTC", "#facts dd:nth-of-type(4)": "302 jobs on 12 vnodes, 256 ncpus, 16 ngpus",
	} {
		if got := tab.Text(selector); got != want {
			t.Errorf("%s is %q, want %q", selector, got, want)
		}
	}
	if notes := browser.Eval[string](tab, "document.body.textContent"); !strings.Contains(notes, "Read from of/last month/snapshot and -.") {
		t.Error("it does not say among its notes where the snapshot is")
	}
	says := browser.Eval[string](tab, "document.body.innerText")
	for _, want := range []string{"on average in the replay of policy 1, the one in force", "Each policy was replayed once", "hours:minutes:seconds", "switched off here"} {
		if !strings.Contains(says, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if strings.Contains(says, "--runs") {
		t.Error("it tells a reader of a flag above the notes")
	}
}

// TestPageSize: a page of many jobs and names stays below 5 MB.
func TestPageSize(t *testing.T) {
	workshop.Long(t)
	t.Parallel()
	var swf strings.Builder
	const n = 60_000
	for i := range n {
		fmt.Fprintf(&swf, "%d %d %d 60 1 -1 -1 1 600 -1 1 somebody%05d group%03d -1 queue%d -1 -1 -1\n", i+1, i*10, i%977, i%30_000, i%500, i%7)
	}
	s := studytest.OfTrace(t, swf.String(), "64", "ncpus")
	studytest.Add(t, s, study.Changes{Formula: "5-ncpus"})
	all := studytest.Run(t, s)
	data := s.Page(all, s.Compare(all), nil, time.UTC, nil)
	text, err := page.Render(data)
	if err != nil || len(text) > 5<<20 {
		t.Errorf("%d bytes (%v)", len(text), err)
	}
	if data.Replay.Omitted+len(data.Replay.Jobs) != n {
		t.Errorf("%d jobs, %d omitted", len(data.Replay.Jobs), data.Replay.Omitted)
	}
}

// A page says first what it comes to; on a narrow screen all policies stand beside each other, and
// what explains the figures is behind a click. What jobs waited for is on it if asked for.
func TestPageAnswersFirst(t *testing.T) {
	workshop.Long(t)
	browser.Find(t)
	s := studytest.OfRun(t, "P2")
	s.Wanted.KeepWhy = true
	studytest.Add(t, s, study.Changes{Settings: []string{"server.backfill_depth=0"}})
	all := studytest.Run(t, s)
	tab := browser.Open(t, 380, 900)
	tab.Go(writePage(t, &s.Study, all))
	// The mean waits are those of TestPageInBrowser: 7042 s, 7304 s as observed.
	observed, first := all[0].Figures[s.At(figure.MeanWait)][0], all[1].Figures[s.At(figure.MeanWait)][0]
	off := 100 * (observed - first) / observed
	if got := tab.Text("#main > :first-child"); !strings.HasPrefix(got, "Each policy was replayed once, so what of a difference is chance is not known") {
		t.Errorf("it says first: %s", got)
	}
	if got := tab.Text("#main > :nth-child(2)"); !strings.Contains(got, fmt.Sprintf("the replay is within %.1f %% of the mean wait; smaller differences do not count. Single starts are 0:16:19 away", math.Ceil(off*10)/10)) || off < .5 {
		t.Errorf("it says next: %s (%v)", got, off)
	}
	if right := browser.Eval[float64](tab, "document.querySelector('#figures tbody td:nth-child(4)').getBoundingClientRect().right"); right > 380 {
		t.Errorf("policy 2 ends at %v of 380", right)
	}
	if open := browser.Eval[int](tab, "document.querySelectorAll('details[open]').length"); open != 0 {
		t.Errorf("%d explanations are open", open)
	}
	if wide := browser.Eval[int](tab, "document.documentElement.scrollWidth"); wide > 380 {
		t.Errorf("the page is %d wide on a screen of 380", wide)
	}
	hours := 0.
	for _, cause := range all[1].First.Result.Causes {
		if cause.Reason == "free ncpus" {
			hours += cause.Seconds / 3600
		}
	}
	got := browser.Eval[string](tab, "[...document.querySelectorAll('#causes tbody tr')].find(r => r.cells[0].textContent === 'free ncpus').cells[1].textContent")
	if want := fmt.Sprintf("%.1f", hours); got != want || hours < 100 {
		t.Errorf("jobs waited for free cpus for %s hours, not %s", got, want)
	}
	// Round values and times of the clock stand at the axes.
	axes := browser.Eval[string](tab, "(d => d.values + ', ' + d.names)(document.getElementById('inuse').dataset)")
	if axes != "0 100 200, 12:00 2026-03-03" {
		t.Errorf("the axes have %s", axes)
	}
	// A wait of more than two days is told in days.
	s = studytest.OfTrace(t, "1 0 0 200000 4 -1 -1 4 200000 -1 1 a g -1 q -1 -1 -1\n2 10 199990 100 4 -1 -1 4 100 -1 1 a g -1 q -1 -1 -1\n", "4", "ncpus")
	tab.Go(writePage(t, &s.Study, studytest.Run(t, s)))
	if got := tab.Text("tbody#jobs"); !strings.Contains(got, "2 d 7:33:") {
		t.Errorf("the jobs are %s", got)
	}
}

// The line of waits ends at the part of the jobs that have started, and what is of the first of several runs says so.
func TestPageOfACutRecord(t *testing.T) {
	browser.Find(t)
	whole := studytest.OfRun(t, "P2")
	s := studytest.OfRunUntil(t, "P2", (whole.Work.First+whole.Work.Last)/2)
	s.Runs = 2
	all := studytest.Run(t, s)
	for row, waits := range s.Page(all, s.Compare(all), nil, time.UTC, nil).Replay.Waits {
		of := all[row].First
		want := 1 - of.LeftWaiting()/float64(len(of.Counted))
		if got := float64(waits[len(waits)-1]); math.Abs(got-want) > 1e-12 || want == 1 {
			t.Errorf("row %d: the line of waits ends at %v, want %v, and less than 1", row, got, want)
		}
	}
	tab := browser.Open(t, 1200, 3000)
	tab.Go(writePage(t, &s.Study, all))
	for label, want := range map[string]string{"summary": "How near it comes: policy 1 against what has happened in the first run", "figcaption": "cpus in use in the first run"} {
		if got := tab.Text(label); got != want {
			t.Errorf("the %s is %q, want %q", label, got, want)
		}
	}
}
