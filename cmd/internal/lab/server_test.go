package lab

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/joblist"
	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/pbs"
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

// serve serves a lab.
func serve(t *testing.T, l *Lab) (*Server, *httptest.Server) {
	s := NewServer(l, "localhost")
	served := httptest.NewServer(s)
	t.Cleanup(served.Close)
	return s, served
}

// attack sends a request and returns the status and the body.
func attack(t *testing.T, method, address, body string, header map[string]string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(text), response.Header
}

// Only the page itself gets an answer.
func TestRefusals(t *testing.T) {
	s, served := serve(t, newLab(t, 20))
	own := served.URL + s.Path()
	host := strings.TrimPrefix(served.URL, "http://")
	question := `{"formula":"ncpus","count":1}`
	for _, row := range []struct {
		name, method, address, body string
		header                      map[string]string
		want                        int
	}{
		{"the page", "GET", own, "", nil, 200},
		{"a question", "POST", own + "try", question, nil, 200},
		{"from the page", "POST", own + "try", question, map[string]string{"Origin": "http://" + host, "Sec-Fetch-Site": "same-origin"}, 200},
		{"by the name", "POST", own + "try", question, map[string]string{"Host": "localhost:1234"}, 200},
		{"without the token", "POST", served.URL + "/try", question, nil, 404},
		{"the root", "GET", served.URL + "/", "", nil, 404},
		{"with another token", "POST", served.URL + "/" + strings.Repeat("A", len(s.token)) + "/try", question, nil, 404},
		{"rebinding", "POST", own + "try", question, map[string]string{"Host": "evil.example:80"}, 421},
		{"rebinding, for the page", "GET", own, "", map[string]string{"Host": "localhost.evil.example"}, 421},
		{"from another site", "POST", own + "try", question, map[string]string{"Origin": "http://evil.example"}, 403},
		{"from another port", "POST", own + "try", question, map[string]string{"Origin": "http://localhost:1"}, 403},
		{"from nowhere", "POST", own + "try", question, map[string]string{"Origin": "null"}, 403},
		{"opened from elsewhere", "GET", own, "", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 200},
		{"in a frame of another site", "GET", own, "", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, 403},
		{"a link from another site", "GET", own, "", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"as a form", "POST", own + "try", "formula=ncpus", map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, 415},
		{"as plain text", "POST", own + "try", question, map[string]string{"Content-Type": "text/plain"}, 415},
		{"another method", "DELETE", own + "try", "", nil, 405},
		{"two questions", "POST", own + "try", question + question, nil, 400},
		{"control characters", "POST", own + "take", `{"what":"qmgr","settings":["bob.usage=1\nrm -rf /"]}`, nil, 422},
		{"no setting", "POST", own + "take", `{"what":"qmgr","settings":["bob.usage=1; touch x #"]}`, nil, 422},
		{"no JSON", "POST", own + "try", "{", nil, 400},
		{"an unknown field", "POST", own + "try", `{"file":"/etc/passwd"}`, nil, 400},
		{"too long", "POST", own + "try", `{"formula":"` + strings.Repeat("1+", maxBody) + `1"}`, nil, 413},
		{"a formula that is too long", "POST", own + "try", `{"formula":"` + strings.Repeat("1+", maxFormula) + `1"}`, nil, 422},
		{"an unknown question", "POST", own + "read", `{}`, nil, 404},
		{"a file", "GET", own + "../../../../etc/passwd", "", nil, 404},
		{"its own source", "GET", own + "server.go", "", nil, 404},
		{"an unknown thing to take", "POST", own + "take", `{"what":"/etc/passwd"}`, nil, 422},
		{"no such replay", "GET", own + "report/1", "", nil, 404},
		{"no logs", "POST", own + "replay", question, nil, 422},
	} {
		status, text, header := attack(t, row.method, row.address, row.body, row.header)
		if status != row.want {
			t.Errorf("%s: %d %s, want %d", row.name, status, text, row.want)
		}
		if header.Get("Access-Control-Allow-Origin") != "" || header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: headers %v", row.name, header)
		}
		if strings.Contains(text, "root:") {
			t.Errorf("%s: a file was read", row.name)
		}
	}
}

// Nothing that a setting or a formula names is read or written.
func TestNothingIsTouched(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/secret", []byte("7f3a content"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, served := serve(t, newLab(t, 20))
	for _, question := range []string{
		`{"formula":"open('` + dir + `/secret').read()"}`, `{"formula":"__import__('os').system('touch ` + dir + `/touched')"}`,
		`{"formula":"ncpus","settings":["sched.usage_file=` + dir + `/secret"]}`, `{"formula":"ncpus","settings":["` + dir + `/secret.usage=1"]}`,
	} {
		for _, name := range []string{"try", "site", "explain", "versus", "take", "replay", "progress", "cancel"} {
			_, text, _ := attack(t, "POST", served.URL+s.Path()+name, question, nil)
			if strings.Contains(text, "7f3a") {
				t.Errorf("%s %s: %s", name, question, text)
			}
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("files: %v", entries)
	}
}

// However many ask at once, few compute, and the rest are told in time.
func TestCrowd(t *testing.T) {
	s, served := serve(t, newLab(t, 20))
	s.limit = 50 * time.Millisecond
	for range maxComputing {
		s.busy <- struct{}{} // somebody computes for ever
	}
	status, text, _ := attack(t, "POST", served.URL+s.Path()+"try", `{"formula":"ncpus"}`, nil)
	if status != http.StatusServiceUnavailable {
		t.Errorf("%d %s", status, text)
	}
	<-s.busy
	s.limit = maxTime
	if status, text, _ := attack(t, "POST", served.URL+s.Path()+"try", `{"formula":"ncpus"}`, nil); status != http.StatusOK {
		t.Errorf("with room again: %d %s", status, text)
	}
}

// Names are handed out as JSON, in which no page can be broken out of.
func TestNamesAreText(t *testing.T) {
	s, served := serve(t, newLab(t, 20))
	_, text, header := attack(t, "POST", served.URL+s.Path()+"try", `{"formula":"ncpus","count":20}`, nil)
	if header.Get("Content-Type") != "application/json" || !json.Valid([]byte(text)) {
		t.Errorf("%s: %s", header.Get("Content-Type"), text)
	}
	_, taken, header := attack(t, "POST", served.URL+s.Path()+"take", `{"formula":"ncpus","what":"page"}`, nil)
	if strings.Contains(taken, "<script>alert") || !strings.HasPrefix(header.Get("Content-Disposition"), "attachment") {
		t.Errorf("%s", header)
	}
}

// FuzzQuestions: whatever is asked, there is an answer that says so.
func FuzzQuestions(f *testing.F) {
	l := newLab(f, 30)
	s := NewServer(l)
	for _, text := range []string{`{"formula":"ncpus*2","settings":["ann.shares=5"],"count":5}`, `{"formula":"1/0","job":"1","other":"2","what":"diff"}`, `{"first":-5,"count":1e9}`, `{"settings":["queue.workq.priority=3","sched.fair_share=true"]}`} {
		f.Add("try", text)
		f.Add("take", text)
		f.Add("explain", text)
	}
	f.Fuzz(func(t *testing.T, name, body string) {
		if strings.ContainsAny(name, " \r\n?#%\x00") {
			t.Skip()
		}
		r := httptest.NewRequest("POST", "http://localhost/", strings.NewReader(body))
		r.URL.Path = s.Path() + name
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code >= 500 && w.Code != http.StatusServiceUnavailable {
			t.Errorf("%s %q: %d %s", name, body, w.Code, w.Body)
		}
	})
}

func TestDiffKeepsTheRest(t *testing.T) {
	l := newLab(t, 3)
	taken, err := l.Take(State{Formula: "ncpus", Settings: []string{"g.shares=70", "new.new.shares=4"}}, "diff")
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
		s := State{Formula: "ncpus"}
		if state != "" {
			s.Settings = []string{state}
		}
		taken, err := l.Take(s, "qmgr")
		if err != nil || string(taken.Text) != want {
			t.Errorf("%s: %q (%v), want %q", state, taken.Text, err, want)
		}
	}
	taken, _ = l.Take(State{Formula: "ncpus*2"}, "qmgr")
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
				if _, err := l.Try(Query{State: State{Formula: fmt.Sprintf("%d*fairshare_factor + ncpus/%d + eligible_time/3600", n, n)}, Count: 100}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
