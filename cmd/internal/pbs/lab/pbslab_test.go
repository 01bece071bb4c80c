package lab

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"fairshare/cmd/internal/lab"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/fstree"
)

// newLab returns a lab of some jobs of two users, one of them called <script>.
func newLab(t testing.TB, jobs int) *Lab {
	t.Helper()
	tree, _ := fstree.ParseResourceGroup("g 5 root 60\nann 10 g 3\nbob 11 root 1\n", 1)
	config, _ := fstree.ParseConfig("fair_share: false\n")
	site := &pbs.Site{SchedPriv: &pbs.SchedPriv{Tree: tree, Config: config}, Queues: []pbs.Queue{{Name: "workq"}, {Name: "highq", Priority: 100}}, Sched: pbs.Sched{Formula: "ncpus", Threshold: -1e300, PreemptQueuePrio: 150}}
	const header = "Job_Id,job_state,euser,egroup,queue,queue_rank,Resource_List.ncpus,Resource_List.walltime,eligible_time\n"
	var b strings.Builder
	b.WriteString(header)
	for i := range jobs {
		fmt.Fprintf(&b, "%d.s,Q,%s,g%d,%s,%d,%d,%d,%d\n", i+1, []string{"ann", "bob", "<script>alert(1)</script>"}[i%3], i%7, []string{"workq", "highq"}[i%2], i, i%97+1, i*37%86400, i*13%5000)
	}
	plan, _, err := order.NewPlan(site, order.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := order.ListOptions(plan)
	o.Groups, o.Columns = true, Columns(site, map[string]bool{"ncpus": true, "walltime": true})
	list, err := joblist.Read(strings.NewReader(b.String()), o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := New(site, list, Options{From: "a test", ResourceGroup: "g\t5 root 60 # comment\nann 10 g 3\nbob 11 root 1\n"})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// ask asks a lab's server, and returns what it answers.
func ask(s *lab.Server, question, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "http://localhost/", strings.NewReader(body))
	r.URL.Path = s.Path() + question
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// What is no setting is refused, and never handed out in a command.
func TestNoSetting(t *testing.T) {
	s := lab.NewServer(newLab(t, 20))
	if w := ask(s, "take", `{"what":"qmgr","settings":["bob.usage=1; touch x #"]}`); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for _, what := range []string{`{"what":"/etc/passwd"}`, `{"what":"qmgr","settings":["bob.usage=1\nrm -rf /"]}`} {
		if w := ask(s, "take", what); w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", what, w.Code, w.Body)
		}
	}
}

// Nothing that a setting or a formula names is read or written.
func TestNothingIsTouched(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/secret", []byte("7f3a content"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := lab.NewServer(newLab(t, 20))
	for _, question := range []string{
		`{"formula":"open('` + dir + `/secret').read()"}`, `{"formula":"__import__('os').system('touch ` + dir + `/touched')"}`,
		`{"formula":"ncpus","settings":["sched.usage_file=` + dir + `/secret"]}`, `{"formula":"ncpus","settings":["` + dir + `/secret.usage=1"]}`,
	} {
		for _, name := range []string{"try", "site", "explain", "versus", "take", "replay", "progress", "cancel"} {
			text := ask(s, name, question).Body.String()
			if strings.Contains(text, "7f3a") {
				t.Errorf("%s %s: %s", name, question, text)
			}
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("files: %v", entries)
	}
}

// Names are handed out as JSON, in which no page can be broken out of.
func TestNamesAreText(t *testing.T) {
	s := lab.NewServer(newLab(t, 20))
	w := ask(s, "try", `{"formula":"ncpus","count":20}`)
	text, header := w.Body.String(), w.Header()
	if header.Get("Content-Type") != "application/json" || !json.Valid([]byte(text)) {
		t.Errorf("%s: %s", header.Get("Content-Type"), text)
	}
	w = ask(s, "take", `{"formula":"ncpus","what":"page"}`)
	taken, header := w.Body.String(), w.Header()
	if strings.Contains(taken, "<script>alert") || !strings.HasPrefix(header.Get("Content-Disposition"), "attachment") {
		t.Errorf("%s", header)
	}
}

// A test that is taken away says nothing of jobs that tie, or that have no value.
func TestTakenTest(t *testing.T) {
	l := newLab(t, 30) // which request as many cpus as their number
	for formula, want := range map[string]string{
		"ncpus*(ncpus<4)":       "order 3.s 2.s 1.s 4.s\nvalue 3 of 3.s\nvalue 2 of 2.s\nvalue 1 of 1.s\n",
		"1 + ncpus//10":         "order 30.s 20.s 10.s 1.s\nvalue 4 of 30.s\nvalue 3 of 20.s\nvalue 2 of 10.s\n",
		"7 + 0*ncpus":           "value 7 of 1.s\n",
		"max(ncpus, 28)":        "order 30.s 29.s 1.s\nvalue 30 of 30.s\nvalue 29 of 29.s\nvalue 28 of 1.s\n",
		"1/(ncpus==30)":         "value 1 of 30.s\n",
		"ncpus if ncpus else 0": "order 30.s 29.s 28.s 27.s 26.s 25.s 24.s 23.s 22.s 21.s 20.s 19.s 18.s 17.s 16.s 15.s 14.s 13.s 12.s 11.s\nvalue 30 of 30.s\nvalue 29 of 29.s\nvalue 28 of 28.s\n",
	} {
		taken, err := l.Take(lab.State{Formula: formula}, "test")
		if err != nil {
			t.Errorf("%s: %v", formula, err)
			continue
		}
		_, got, _ := strings.Cut(string(taken.Text), "formula "+formula+"\n")
		if got != want {
			t.Errorf("%s:\n%swant\n%s", formula, taken.Text, want)
		}
	}
	if taken, err := l.Take(lab.State{Formula: "1/(ncpus*0)"}, "test"); err == nil {
		t.Errorf("no job has a value, and yet there is a test:\n%s", taken.Text)
	}
}

// FuzzQuestions: whatever is asked, there is an answer that says so.
func FuzzQuestions(f *testing.F) {
	l := newLab(f, 30)
	s := lab.NewServer(l)
	for _, text := range []string{`{"formula":"ncpus*2","settings":["ann.shares=5"],"count":5}`, `{"formula":"1/0","job":"1","other":"2","what":"diff"}`, `{"first":-5,"count":1e9}`, `{"settings":["queue.workq.priority=3","sched.fair_share=true"]}`} {
		f.Add("try", text)
		f.Add("take", text)
		f.Add("explain", text)
	}
	f.Fuzz(func(t *testing.T, name, body string) {
		if strings.ContainsAny(name, " \r\n?#%\x00") {
			t.Skip()
		}
		w := ask(s, name, body)
		if w.Code >= 500 && w.Code != http.StatusServiceUnavailable {
			t.Errorf("%s %q: %d %s", name, body, w.Code, w.Body)
		}
	})
}

func TestDiffKeepsTheRest(t *testing.T) {
	l := newLab(t, 3)
	taken, err := l.Take(lab.State{Formula: "ncpus", Settings: []string{"g.shares=70", "new.new.shares=4"}}, "diff")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"-g\t5 root 60 # comment\n", "+g\t5 root 70 # comment\n", " ann 10 g 3\n", "+# new has 4 shares, and no line: give it a cresgroup of its own\n"} {
		if !strings.Contains(string(taken.Text), line) {
			t.Errorf("the diff lacks %q:\n%s", line, taken.Text)
		}
	}
	for state, want := range map[string]string{
		"":                          "# nothing is changed\n",
		"queue.workq.priority=9":    "qmgr -c 'set queue workq Priority = 9'\n",
		"queue.workq.started=false": "qmgr -c 'set queue workq started = false'\n",
		"bob.usage=5":               "pbsfs -s bob 5\n", "sched.fair_share=true": "# sched_config: fair_share: true ALL\n", "sched.fairshare_decay_time=86400": "# sched_config: fairshare_decay_time: 86400\n",
	} {
		s := lab.State{Formula: "ncpus"}
		if state != "" {
			s.Settings = []string{state}
		}
		taken, err := l.Take(s, "qmgr")
		if err != nil || string(taken.Text) != want {
			t.Errorf("%s: %q (%v), want %q", state, taken.Text, err, want)
		}
	}
	taken, _ = l.Take(lab.State{Formula: "ncpus*2"}, "qmgr")
	if want := "qmgr -c 'set server job_sort_formula = \"ncpus*2\"'\n"; string(taken.Text) != want {
		t.Errorf("%s", taken.Text)
	}
}

// BenchmarkTry is the answer to a key stroke, with a new formula each time.
func BenchmarkTry(b *testing.B) {
	for _, jobs := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(jobs), func(b *testing.B) {
			l := newLab(b, jobs)
			n := 0
			for b.Loop() {
				n++
				if _, err := l.Try(lab.Query{State: lab.State{Formula: fmt.Sprintf("%d*fairshare_factor + ncpus/%d + eligible_time/3600", n, n)}, Count: 100}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
