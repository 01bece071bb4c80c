package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	gocmp "github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/lab"
	"fairshare/cmd/internal/report"
	slurmdoor "fairshare/cmd/internal/slurm/door"
	slurmlab "fairshare/cmd/internal/slurm/lab"
	"fairshare/cmd/internal/workshop"
	"fairshare/cmd/internal/workshop/browser"
)

const labSlurmSite = "../../../testdata/slurm-site/t2_busy.tgz"

// comparedSlurm returns what compare prints of some settings, with the moves in the new order.
func comparedSlurm(t *testing.T, site string, settings ...string) (d slurmdoor.Difference) {
	t.Helper()
	if err := json.Unmarshal([]byte(output(t, slices.Concat([]string{"compare", site, "-o", "json"}, sets(settings))...)), &d); err != nil {
		t.Fatal(err)
	}
	d.Moves = slices.DeleteFunc(d.Moves, func(m slurmdoor.Move) bool { return m.NewRank == nil })
	slices.SortFunc(d.Moves, func(a, b slurmdoor.Move) int { return cmp.Compare(*a.NewRank, *b.NewRank) })
	return d
}

// sets returns the flags that make settings.
func sets(settings []string) (flags []string) {
	for _, s := range settings {
		flags = append(flags, "--set", s)
	}
	return flags
}

// compared returns the jobs in the order that compare tells for some settings.
func compared(t *testing.T, settings ...string) (ids []string) {
	t.Helper()
	for _, m := range comparedSlurm(t, labSlurmSite, settings...).Moves {
		ids = append(ids, m.ID)
	}
	return ids
}

// What the lab answers on the recorded sites is what compare --set and explain --set print.
func TestLabSlurmAnswers(t *testing.T) {
	for _, name := range []string{"t1_morning", "t2_busy", "t5_end"} {
		if name != "t2_busy" && !workshop.TestsAll() {
			continue
		}
		path := "../../../testdata/slurm-site/" + name + ".tgz"
		l := loadLab(t, path)
		for _, settings := range [][]string{
			{"PriorityWeightAge=20000"},
			{"PriorityWeightFairshare=0", "PriorityWeightJobSize=9000", "PriorityFavorSmall=YES"},
			{"PriorityWeightTRES=cpu=9000", "PriorityMaxAge=0-01:00:00", "PriorityFlags=NO_FAIR_TREE"},
			{"astro.shares=80", "chem/gina.shares=parent", "genomics/ivan.usage=123456"},
			{"partition.gpu.tier=9", "partition.main.factor=700", "qos.high.priority=3", "qos.normal.priority=900"},
		} {
			state := lab.State{Settings: settings}
			answered := func(question string, q lab.Request) string {
				t.Helper()
				q.State = state
				got, err := l.Answer(question, q)
				if err != nil {
					t.Fatal(name, settings, question, err)
				}
				text, err := report.Marshal(got)
				if err != nil {
					t.Fatal(err)
				}
				return string(text)
			}
			var got struct {
				Problem string
				Ranking slurmlab.Ranking
			}
			if err := json.Unmarshal([]byte(answered("try", lab.Request{Query: lab.Query{Count: 500}})), &got); err != nil {
				t.Fatal(err)
			}
			r, want := got.Ranking, comparedSlurm(t, path, settings...)
			if got.Problem != "" || r.Jobs != want.Jobs || r.Moved != want.Moved || (r.Tau == nil) != (want.Tau == nil) || r.Tau != nil && *r.Tau != *want.Tau || len(r.Rows) != len(want.Moves) || len(r.Rows) == 0 {
				t.Errorf("%s %v: %s; %d jobs, %d move, want %d, %d", name, settings, got.Problem, r.Jobs, r.Moved, want.Jobs, want.Moved)
				continue
			}
			for i, m := range want.Moves {
				row := r.Rows[i]
				shown := slurmdoor.Move{ID: row.ID, User: row.User, Account: row.Account, Partition: row.Partition, QOS: row.QOS, OldRank: row.OldRank, NewRank: row.Rank, Change: row.Change, OldValue: m.OldValue, NewValue: &row.Value, Reason: row.Reason}
				if difference := gocmp.Diff(m, shown); difference != "" {
					t.Errorf("%s %v: %s", name, settings, difference)
				}
			}
			shifts := map[string][]compare.Shift{}
			for _, s := range r.Shifts {
				shifts[s.Kind] = s.Names
			}
			if difference := gocmp.Diff(map[string][]compare.Shift{"account": want.Accounts, "partition": want.Partitions, "qos": want.QOS, "user": want.Users}, shifts); difference != "" {
				t.Errorf("%s %v: %s", name, settings, difference)
			}
			job, other := r.Rows[0].ID, r.Rows[len(r.Rows)-1].ID
			explain := slices.Concat([]string{"explain", job, path, "-o", "json"}, sets(settings))
			now := regexp.MustCompile(`"now":\{[^}]*\},`) // of which the lab of a Slurm site does not tell
			if got, want := answered("explain", lab.Request{Job: job}), now.ReplaceAllString(output(t, explain...), ""); got != strings.TrimSpace(want) {
				t.Errorf("%s %v: of job %s the lab says\n%s\nand explain\n%s", name, settings, job, got, want)
			}
			if job == other {
				continue
			}
			if got, want := answered("versus", lab.Request{Job: job, Other: other}), output(t, append(explain, "--vs", other)...); got != strings.TrimSpace(want) {
				t.Errorf("%s %v: of jobs %s and %s the lab says\n%s\nand explain\n%s", name, settings, job, other, got, want)
			}
		}
	}
}

// set types a value into the field of a setting.
func (l labTab) set(name, value string) {
	l.t.Helper()
	l.settled(func() {
		l.eval(fmt.Sprintf("const f = document.querySelector('[data-setting=%q]'); f.value = %q; f.dispatchEvent(new Event('change'))", name, value))
	})
}

// A person moves weights, shares and a tier of a Slurm site, chooses jobs, undoes it and takes the
// result away: what the page shows is what the commands print.
func TestLabSlurm(t *testing.T) {
	workshop.Long(t)
	browser.Find(t)
	tab := labTab{browser.Open(t, 1280, 1800), t}
	tab.Go(openLab(t, labSlurmSite))
	shows := func(want []string) {
		t.Helper()
		if got := tab.ids(); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("the page shows %v, want %v", got, want)
		}
	}
	inForce := strings.Fields(output(t, "sort", labSlurmSite, "-o", "ids"))
	shows(inForce)
	if got := tab.Text("#summary"); got != "the order of 26 jobs is that in force" {
		t.Errorf("summary: %s", got)
	}
	if shown := browser.Eval[bool](tab.Tab, "[...document.querySelectorAll('.pbs')].some(e => e.offsetParent !== null)"); shown {
		t.Error("something that is PBS's is shown")
	}

	// A weight is typed, and another one dragged.
	tab.set("PriorityWeightAge", "20000")
	shows(compared(t, "PriorityWeightAge=20000"))
	d := comparedSlurm(t, labSlurmSite, "PriorityWeightAge=20000")
	if got, want := tab.Text("#summary"), fmt.Sprintf("%d of 26 jobs move; %.1f%% of all pairs keep their order", d.Moved, 50*(1+float64(*d.Tau))); got != want {
		t.Errorf("summary: %s, want %s", got, want)
	}
	for _, x := range []string{"900", "4000"} {
		tab.settled(func() {
			tab.eval("const s = document.querySelector('[data-range=PriorityWeightQOS]'); s.value = " + x + "; s.dispatchEvent(new Event('input'))")
		})
	}
	tab.eval("document.querySelector('[data-range=PriorityWeightQOS]').dispatchEvent(new Event('change'))")
	moved := compared(t, "PriorityWeightAge=20000", "PriorityWeightQOS=4000")
	shows(moved)
	if got := browser.Eval[string](tab.Tab, "location.hash"); got != "#set=PriorityWeightAge%3D20000&set=PriorityWeightQOS%3D4000" {
		t.Errorf("the address has %s", got)
	}

	// A wrong value is said beside its field, and leaves the order where it is, dimmed.
	const columns = "[...document.querySelectorAll('#order th')].map(e => e.textContent).join()"
	drawn := browser.Eval[string](tab.Tab, columns)
	if want := "#,Change,Job,User,Account,Partition,Tier,QOS,Priority,Age,Fairshare,Job size,Partition points,QOS points,TRES,Reason"; drawn != want {
		t.Errorf("the columns are %s", drawn)
	}
	tab.set("PriorityWeightAge", "-5")
	shows(moved)
	if got := browser.Eval[string](tab.Tab, columns); got != drawn {
		t.Errorf("the columns have become %s", got)
	}
	if got := tab.Text(".field:has([data-setting=PriorityWeightAge]) .wrong"); got != `"-5" is not a whole number from 0 to 4294967295` {
		t.Errorf("beside the field it says %q", got)
	}
	if faint := browser.Eval[string](tab.Tab, "getComputedStyle(document.getElementById('order')).opacity"); faint != "0.45" {
		t.Errorf("the opacity is %s", faint)
	}
	if got := tab.Text("#summary"); !strings.HasPrefix(got, "The last order that could be made: ") {
		t.Error(got)
	}
	tab.settled(func() { tab.Do(chromedp.Click(chromedp.CSS("#undo"))) })
	shows(moved)
	if got := browser.Eval[string](tab.Tab, "[...document.querySelectorAll('.wrong')].map(e => e.textContent).join('') + document.querySelector('[data-setting=PriorityWeightAge]').value"); got != "20000" {
		t.Errorf("after the undo: %q", got)
	}
	tab.settled(func() { tab.Do(chromedp.Click(chromedp.CSS("#undo"))) }) // the whole drag
	shows(compared(t, "PriorityWeightAge=20000"))
	// What is in force is no change.
	tab.set("PriorityWeightAge", "1000")
	shows(inForce)
	if got := tab.Text("#changes"); got != "" {
		t.Errorf("changes: %s", got)
	}

	// The tree and a partition.
	tab.Do(chromedp.Click(chromedp.CSS("#tree button[data-node=astro]")))
	tab.settled(func() {
		tab.eval("const s = document.getElementById('shares'); s.value = 80; s.dispatchEvent(new Event('change'))")
	})
	tab.set("partition.gpu.tier", "3")
	want := compared(t, "astro.shares=80", "partition.gpu.tier=3")
	shows(want)
	if got := tab.Text("#changes"); !strings.Contains(got, "astro.shares=80 (was 20)") || !strings.Contains(got, "partition.gpu.tier=3 (was 1)") {
		t.Errorf("changes: %s", got)
	}

	// A job is explained, a second one compared with it, as explain does.
	tab.Do(chromedp.Click(chromedp.CSS("#order tbody tr:nth-child(2) button")), chromedp.WaitVisible(chromedp.CSS("#explainedjob")))
	explained := strings.Split(output(t, "explain", want[1], labSlurmSite, "--set", "astro.shares=80", "--set", "partition.gpu.tier=3"), "\n")
	if got := tab.Text("#explained"); !strings.Contains(got, strings.TrimSpace(explained[1])) {
		t.Errorf("the page says %q, explain %q", got, explained[1])
	}
	tab.Do(chromedp.Click(chromedp.CSS(fmt.Sprintf("#order [data-job='%s'] button", want[0]))), chromedp.WaitVisible(chromedp.CSS("#versus")))
	verdict := output(t, "explain", want[1], labSlurmSite, "--vs", want[0], "--set", "astro.shares=80", "--set", "partition.gpu.tier=3")
	if got := tab.Text("#versus"); !strings.Contains(verdict, "\n"+got+"\n") {
		t.Errorf("the page says %q, explain\n%s", got, verdict)
	}

	// What is taken away is what makes it so.
	tab.Do(chromedp.Click(chromedp.CSS("[data-take=commands]")), chromedp.WaitVisible(chromedp.CSS("#taken")))
	if got := tab.Text("#taken"); !strings.Contains(got, "sacctmgr modify account where name=astro set fairshare=80") || !strings.Contains(got, "# in the line PartitionName=gpu: PriorityTier=3") {
		t.Errorf("the commands are\n%s", got)
	}
}

// The page of a Slurm site fits into a wide and a narrow screen, and all that can be used has a name.
func TestLabSlurmFits(t *testing.T) {
	workshop.Long(t)
	for _, width := range []int{1280, 380} {
		tab := labTab{browser.Open(t, width, 1000), t}
		tab.Go(openLab(t, labSlurmSite) + "#set=PriorityWeightAge%3D20000&set=astro.shares%3D80")
		tab.Do(chromedp.Click(chromedp.CSS("#order tbody tr:nth-child(2) button")), chromedp.WaitVisible(chromedp.CSS("#explainedjob")))
		tab.Do(chromedp.Click(chromedp.CSS("#tree button[data-node=astro]")))
		if wide := browser.Eval[int](tab.Tab, "document.documentElement.scrollWidth"); wide > width {
			t.Errorf("the page is %d wide on a screen of %d: %v", wide, width, browser.Eval[[]string](tab.Tab, fmt.Sprintf("[...document.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > %d).map(e => e.tagName + '#' + e.id + '.' + e.className)", width+1)))
		}
		if cut := browser.Eval[int](tab.Tab, "(e => e.scrollWidth - e.clientWidth)(document.querySelector('.tall'))"); width > 800 && cut > 0 {
			t.Errorf("%d pixels of the order are cut at %d", cut, width)
		}
		if cut := browser.Eval[int](tab.Tab, "(e => e.scrollWidth - e.clientWidth)(document.getElementById('explained'))"); cut > 0 {
			t.Errorf("%d pixels of the explanation are cut at %d", cut, width)
		}
		nameless := browser.Eval[[]string](tab.Tab, `[...document.querySelectorAll('button, input, select, textarea, canvas')]
			.filter(e => !(e.getAttribute('aria-label') || e.textContent.trim() || e.closest('label') || e.labels && e.labels.length)).map(e => e.outerHTML.slice(0, 80))`)
		if len(nameless) > 0 {
			t.Errorf("without a name: %v", nameless)
		}
		if path := os.Getenv("LAB_PICTURE"); path != "" {
			picture, err := chromedp.Run(tab.Context(), chromedp.FullScreenshot(100))
			if err == nil {
				err = os.WriteFile(filepath.Clean(fmt.Sprintf("%s-%d.png", path, width)), picture, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// The record of a Slurm site is replayed with what is tried, as replay does.
func TestLabSlurmReplays(t *testing.T) {
	workshop.Long(t)
	l := loadLab(t, labSlurmSite)
	works, isAble := l.(interface {
		StartReplay(s lab.State) (string, error)
		ReplayNow(id string) (lab.Work, error)
		ReplayPage(id string) []byte
	})
	if !isAble {
		t.Fatal("it replays nothing")
	}
	id, err := works.StartReplay(lab.State{Settings: []string{"PriorityWeightAge=5000"}})
	if err != nil {
		t.Fatal(err)
	}
	for {
		now, err := works.ReplayNow(id)
		if err != nil || now.Error != "" {
			t.Fatal(err, now.Error)
		}
		if now.IsDone {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	for _, want := range []string{"PriorityWeightAge=5000", "recorded starts are what the present rules give"} {
		if page := string(works.ReplayPage(id)); !strings.Contains(page, want) {
			t.Errorf("the page of %d bytes does not say %s", len(page), want)
		}
	}
}
