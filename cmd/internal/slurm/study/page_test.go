package study_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/workshop/browser"
)

// The page of a Slurm site, in a browser: its figures are those of the study, and jobs are told apart
// in Slurm's words.
func TestPageInBrowser(t *testing.T) {
	browser.Find(t)
	on := studyOf(t, "S3a", "qos.normal.MaxTRESPU=cpu=48")
	on.Wanted.KeepWhy = true
	all := runAll(t, on)
	html, err := page.Render(on.Page(all, on.Compare(all), nil, time.UTC, nil))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, html, 0o600); err != nil {
		t.Fatal(err)
	}
	tab := browser.Open(t, 1200, 3000)
	tab.Go("file://" + file)
	for i, f := range on.Figures {
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
	texts := func(selector string) string {
		return browser.Eval[string](tab, fmt.Sprintf("[...document.querySelectorAll(%q)].map(e => e.textContent).join(' ')", selector))
	}
	if got, want := texts("#kind option"), "partition QOS account user size"; got != want {
		t.Errorf("jobs are told apart by %s, want %s", got, want)
	}
	head := browser.Eval[string](tab, "[...document.querySelector('tbody#jobs').parentNode.querySelectorAll('th')].slice(0, 6).map(e => e.textContent).join(' ')")
	if want := "Job User Account QOS Partition Cpus"; head != want {
		t.Errorf("the columns of jobs are %s, want %s", head, want)
	}
	// The first job is one that moves most; its row has its own names.
	cells := browser.Eval[[]string](tab, "[...document.querySelector('tbody#jobs tr').cells].slice(0, 6).map(e => e.textContent)")
	for _, j := range on.Work.Jobs {
		if names := on.Work.Trace.Names.List; j.ID == cells[0] {
			want := []string{j.ID, names[j.User], names[j.Account], names[j.Project], names[j.Queue], strconv.FormatInt(j.NCPUs, 10)}
			if fmt.Sprint(cells) != fmt.Sprint(want) {
				t.Errorf("its row is %v, want %v", cells, want)
			}
		}
	}
	if got := len(on.Policies); texts("#causes th") == "" || got != 2 {
		t.Errorf("what jobs waited for is not there: %q", texts("#causes"))
	}
}
