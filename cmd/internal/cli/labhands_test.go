package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"fairshare/cmd/internal/workshop"
	"fairshare/cmd/internal/workshop/browser"
)

// Tab leads from one slider to the next and on, each of which says what its number weighs.
func TestLabSliders(t *testing.T) {
	workshop.Long(t)
	t.Parallel()
	tab := labTab{browser.Open(t, 1280, 1000), t}
	tab.Go(openLab(t, labSite) + "#f=1000*fairshare_factor+%2B+queue_priority*2+%2B+ncpus/4")
	if got := tab.Text("#sliders"); strings.Join(strings.Fields(got), " ") != "1000 × fairshare_factor 2 × queue_priority 4 divides ncpus" {
		t.Errorf("the sliders say %q", got)
	}
	where := "(e => e.dataset.number || e.id)(document.activeElement)"
	tab.Do(chromedp.Focus(chromedp.CSS("#sliders input")))
	for _, want := range []string{"1", "2", "reset"} { // nothing is there to undo
		tab.Do(chromedp.KeyEvent("\t"))
		if got := browser.Eval[string](tab.Tab, where); got != want {
			t.Fatalf("Tab leads to %q, not to %q", got, want)
		}
	}
	// So it does after a slider has been moved.
	tab.Do(chromedp.Focus(chromedp.CSS("#sliders input")))
	tab.settled(func() { tab.Do(chromedp.KeyEvent(kb.ArrowRight)) })
	tab.Do(chromedp.KeyEvent("\t"))
	if got := browser.Eval[string](tab.Tab, where); got != "1" {
		t.Errorf("Tab leads to %q after the first slider was moved", got)
	}
	if got := browser.Eval[string](tab.Tab, "document.getElementById('formula').value"); got != "1001*fairshare_factor + queue_priority*2 + ncpus/4" {
		t.Errorf("the formula is %s", got)
	}
}

// A half-typed name leaves the last order where it is, dimmed, and says what is wrong.
func TestLabHalfTyped(t *testing.T) {
	workshop.Long(t)
	t.Parallel()
	tab := labTab{browser.Open(t, 1280, 1000), t}
	tab.Go(openLab(t, labSite) + "#f=ncpus*3")
	before, lines := tab.ids(), "document.getElementById('slope').dataset.lines"
	drawn := browser.Eval[string](tab.Tab, lines)
	tab.eval("document.getElementById('formula').focus(); document.getElementById('formula').setSelectionRange(99, 99)")
	for _, key := range " + queue_pri" {
		tab.settled(func() { tab.Do(chromedp.KeyEvent(string(key))) })
	}
	if got := tab.ids(); strings.Join(got, " ") != strings.Join(before, " ") || len(got) == 0 {
		t.Errorf("the order is %v, was %v", got, before)
	}
	if got := browser.Eval[string](tab.Tab, lines); got != drawn || drawn == "0" {
		t.Errorf("%s lines are drawn, were %s", got, drawn)
	}
	if got := tab.Text("#summary"); !strings.HasPrefix(got, "The last order that could be made: ") {
		t.Error(got)
	}
	if faint := browser.Eval[string](tab.Tab, "getComputedStyle(document.getElementById('order')).opacity"); faint != "0.45" {
		t.Errorf("its opacity is %s", faint)
	}
	if got := tab.Text("#verdict"); !strings.Contains(got, "queue_pri") {
		t.Error(got)
	}
	for _, key := range "ority" {
		tab.settled(func() { tab.Do(chromedp.KeyEvent(string(key))) })
	}
	tab.shows("-f", "ncpus*3 + queue_priority")
	if got := tab.Text("#summary"); strings.HasPrefix(got, "The last order") {
		t.Error(got)
	}
}

// A change keeps the explanation open and tells it anew, below the row of its job. Messages stand where the hands are.
func TestLabExplanationStays(t *testing.T) {
	workshop.Long(t)
	t.Parallel()
	for _, width := range []int64{1280, 380} {
		tab := labTab{browser.Open(t, int(width), 1000), t}
		tab.Go(openLab(t, labSite) + "#f=1000*fairshare_factor+%2B+ncpus*0.5+%2B+2*queue_priority")
		if hidden := browser.Eval[bool](tab.Tab, "document.getElementById('slope').hidden"); hidden {
			t.Error("jobs move, and nothing is drawn")
		}
		tab.Do(chromedp.Click(chromedp.CSS("#order tbody tr:nth-child(2) button")), chromedp.WaitVisible(chromedp.CSS("#explainedjob")))
		job := tab.Text("#explainedjob")
		if isBelow := browser.Eval[bool](tab.Tab, "document.getElementById('explained').closest('tr')?.previousSibling?.dataset.job === document.getElementById('explainedjob').textContent"); !isBelow {
			t.Errorf("at %d the explanation is not below the row", width)
		}
		was := browser.Eval[string](tab.Tab, "document.getElementById('explained').textContent")
		tab.Do(chromedp.Click(chromedp.CSS("#tree button[data-node=group1]")))
		tab.settled(func() {
			tab.eval("const s = document.getElementById('shares'); s.value = 97; s.dispatchEvent(new Event('change'))")
		})
		isNew := fmt.Sprintf("document.getElementById('explained').textContent !== %q", was)
		tab.until(isNew)
		if got := tab.Text("#explainedjob"); got != job {
			t.Errorf("%s is explained, and was %s", got, job)
		}
		if wide := browser.Eval[int](tab.Tab, "document.documentElement.scrollWidth"); wide > int(width) {
			t.Errorf("the page is %d wide on a screen of %d", wide, width)
		}
		// The columns of the order fit.
		if cut := browser.Eval[int](tab.Tab, "(e => e.scrollWidth - e.clientWidth)(document.querySelector('.tall'))"); width > 800 && cut > 0 {
			t.Errorf("%d pixels of the order are cut at %d", cut, width)
		}
		tab.eval("const n = document.getElementById('named'); n.value = 'nobody'; n.dispatchEvent(new Event('change'))")
		if got := tab.Text("#treesaid"); got != "the tree has no nobody" {
			t.Errorf("at the tree it says %q", got)
		}
		// Siblings with the most shares come first, and nobody moves as long as nothing is changed.
		tab.settled(func() { tab.Do(chromedp.Click(chromedp.CSS("#reset"))) })
		if shown := browser.Eval[bool](tab.Tab, "document.getElementById('slope').hidden"); !shown {
			t.Error("nobody moves, and yet something is drawn")
		}
		widths := browser.Eval[bool](tab.Tab, "widestFirst(around.tree).every((n, i, all) => { const before = all.slice(0, i).filter(m => m.parent === n.parent).at(-1); return !before || before.percentage >= n.percentage; })")
		if !widths {
			t.Error("siblings are not in the order of their shares")
		}
	}
}

// The table of jobs and the tree are one stop of Tab each; arrows lead from one job or node to the next.
func TestLabArrows(t *testing.T) {
	workshop.Long(t)
	for _, site := range []string{labSite, labSlurmSite} {
		tab := labTab{browser.Open(t, 1280, 1800), t}
		tab.Go(openLab(t, site))
		for _, box := range []struct{ at, key, in string }{{"#order", "data-job", ".tall"}, {"#tree", "data-node", "#tree"}} {
			tab.eval(fmt.Sprintf("document.querySelector(%q).focus()", box.in))
			names := map[string]bool{}
			for range 3 {
				tab.Do(chromedp.KeyEvent(kb.ArrowDown))
				names[browser.Eval[string](tab.Tab, fmt.Sprintf("document.activeElement.getAttribute(%q) || ''", box.key))] = true
			}
			if len(names) != 3 || names[""] {
				t.Errorf("%s: three arrows lead to %v in %s", site, names, box.at)
			}
			tab.Do(chromedp.KeyEvent(kb.Tab))
			if browser.Eval[bool](tab.Tab, fmt.Sprintf("document.activeElement === document.body || document.activeElement.closest(%q) !== null", box.at)) {
				t.Errorf("%s: Tab does not lead out of %s", site, box.at)
			}
		}
	}
}
