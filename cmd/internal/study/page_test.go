package study_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/study/studytest"
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

// The page of a recorded run, in a browser: the numbers on it are those of the study.
func TestPageInBrowser(t *testing.T) {
	browser.Find(t)
	s := studytest.OfRun(t, "P2")
	studytest.Add(t, s, study.Changes{Settings: []string{"server.backfill_depth=0"}})
	all := studytest.Run(t, s)
	address := writePage(t, s, all, "mean(wait) > 2*base")
	tab := browser.Open(t, 1200, 3000)
	tab.Go(address)
	trust := all[1].First.Result.Trust()
	for selector, want := range map[string]string{
		"#jobs": strconv.Itoa(trust.Jobs), "#same": strconv.Itoa(trust.Equal), "#within0": fmt.Sprintf("%.1f%%", 100*trust.Within[0]),
		"#policies dd:nth-of-type(2) code": s.Policies[1].Name, ".fails": "Policy 2 fails: mean(wait) > 2*base, which holds in 1 of 1 runs.",
	} {
		if got := tab.Text(selector); got != want {
			t.Errorf("%s is %q, want %q", selector, got, want)
		}
	}
	for i, f := range s.Figures {
		for row, m := range all {
			want := study.IntervalOf(m.Figures[i]).Text(f.Unit())
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
	if got, want := tab.Text("#gains tr td:nth-child(2)"), "196"; got != want {
		t.Errorf("the first queue has %s jobs, want %s", got, want)
	}
	browser.Eval[bool](tab, `(k => { k.value = 1; return k.dispatchEvent(new Event('input')); })(document.getElementById('kind'))`)
	if got := tab.Text("#gains tr td"); got != "bob" {
		t.Errorf("the user with the most jobs is %s, want bob", got)
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
const coloured = `(c => {
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
	address := writePage(t, s, studytest.Run(t, s))
	tab := browser.Open(t, 360, 1500)
	tab.Do(chromedp.EmulateViewport(360, 1500))
	tab.Go(address)
	if title := browser.Eval[string](tab, "document.title"); title != "What policies come to on recorded work" {
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

// TestPageSize: a page of many jobs and names stays below 5 MB.
func TestPageSize(t *testing.T) {
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
