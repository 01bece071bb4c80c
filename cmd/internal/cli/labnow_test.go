package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/workshop"
	"fairshare/cmd/internal/workshop/browser"
)

// Where the vnodes are known, the page says what stops each job now as sort --now does, of the
// formula in force and of one that is tried.
func TestLabNow(t *testing.T) {
	t.Parallel()
	const site = "../../../testdata/replay/L1/snapshot"
	tab := labTab{browser.Open(t, 1280, 1000), t}
	tab.Go(openLab(t, site, "--tz", "UTC"))
	judged := func(flags ...string) {
		t.Helper()
		tab.until("document.documentElement.dataset.judged === String(tries)")
		var lines []struct {
			ID       string
			Starts   bool   `json:"starts_now"`
			WaitsFor string `json:"waits_for"`
		}
		if err := json.Unmarshal([]byte(output(t, append([]string{"sort", site, "--now", "--tz", "UTC", "-o", "json"}, flags...)...)), &lines); err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, line := range lines {
			want = append(want, line.ID+" "+forecast.CycleResult{ID: line.ID, Starts: line.Starts, Reason: line.WaitsFor}.String())
		}
		got := browser.Eval[[]string](tab.Tab, "[...document.querySelectorAll('#order tbody tr[data-job]')].map(tr => tr.dataset.job + ' ' + tr.querySelector('.says').title)")
		if len(got) == 0 || strings.Join(got, "\n") != strings.Join(want[:min(len(want), len(got))], "\n") {
			t.Errorf("%v: the page says\n%s\nand sort --now\n%s", flags, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	judged()
	if got := browser.Eval[[]string](tab.Tab, "[...document.querySelectorAll('#order th')].map(th => th.textContent)"); got[5] != "Right now" {
		t.Errorf("the columns are %q", got)
	}
	tab.Do(chromedp.Click(chromedp.CSS("#order tbody tr:nth-child(2) button")), chromedp.WaitVisible(chromedp.CSS("#explained .now")))
	if got := tab.Text("#explained .now"); !strings.HasPrefix(got, "Right now: waits for ") {
		t.Errorf("the explanation says %q", got)
	}
	tab.settled(func() {
		tab.eval("document.getElementById('formula').value = 'ncpus'; document.getElementById('formula').dispatchEvent(new Event('input'))")
	})
	judged("-f", "ncpus")
}

// Numbers have at most six digits, and the table that compares two jobs fits into its place.
func TestLabFits(t *testing.T) {
	workshop.Long(t)
	t.Parallel()
	tab := labTab{browser.Open(t, 1280, 1000), t}
	tab.Do(chromedp.EmulateViewport(1280, 1000))
	tab.Go(openLab(t, labSite) + "#f=1000*fairshare_factor**0.37+%2B+ncpus/7+%2B+eligible_time/3600")
	tab.Do(chromedp.Click(chromedp.CSS("#order tbody tr:nth-child(2) button")), chromedp.WaitVisible(chromedp.CSS("#explainedjob")))
	const long = `[...document.querySelectorAll('#order td.number, #explained td')].map(td => td.textContent.replace(/ ←$/, '')).filter(text => /^-?[0-9.]+(e[-+]?[0-9]+)?$/.test(text) && text.replace(/e.*/, '').replace(/^-?[0.]*/, '').replace('.', '').length > 6)`
	if got := browser.Eval[[]string](tab.Tab, long); len(got) > 0 {
		t.Errorf("more than six digits: %v", got)
	}
	tab.Do(chromedp.Click(chromedp.CSS("#order tbody tr:nth-child(5) button")), chromedp.WaitVisible(chromedp.CSS("#versus")))
	if got := browser.Eval[[]string](tab.Tab, long); len(got) > 0 {
		t.Errorf("more than six digits in the comparison: %v", got)
	}
	for name, cut := range map[string]string{
		"the comparison":                    "(e => e.scrollWidth - e.clientWidth)(document.getElementById('explained'))",
		"the order":                         "(e => e.scrollWidth - e.clientWidth)(document.querySelector('.tall'))",
		"the last column of the order":      `Math.max(...[...document.querySelectorAll('#order tbody tr')].map(tr => Math.ceil(tr.lastElementChild.getBoundingClientRect().right - document.querySelector('.tall').getBoundingClientRect().right)))`,
		"the last column of the comparison": `Math.max(...[...document.querySelectorAll('#explained td:last-child')].map(td => td.scrollWidth - td.clientWidth))`,
	} {
		if got := browser.Eval[int](tab.Tab, cut); got > 0 {
			t.Errorf("%d pixels of %s are cut", got, name)
		}
	}
}
