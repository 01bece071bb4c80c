package lab

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fairshare/cmd/internal/lab"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/workshop"
)

const recorded = "../../../../testdata/slurm-site/t2_busy.tgz"

// read returns a site and what it prints.
func read(t testing.TB, name string) (*order.Site, *dump.Dump) {
	t.Helper()
	printed, err := dump.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	site, err := order.New(printed)
	if err != nil {
		t.Fatal(err)
	}
	return site, printed
}

// open returns a lab of a site.
func open(t testing.TB, name string) *Lab {
	t.Helper()
	site, printed := read(t, name)
	return New(site, printed, name)
}

// ask asks a lab's server, and returns the status and the answer.
func ask(s *lab.Server, question, body string) (int, string) {
	r := httptest.NewRequest("POST", "http://localhost/", strings.NewReader(body))
	r.URL.Path = s.Path() + question
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// What cannot be is refused, and says why.
func TestRefusals(t *testing.T) {
	s := lab.NewServer(open(t, recorded))
	many := `"a.shares=1"` + strings.Repeat(`,"a.shares=1"`, 500)
	for _, row := range []struct {
		question, body string
		status         int
		want           string
	}{
		{"try", `{"settings":["astro.shares=80"]}`, 200, `"problem":""`},
		{"try", `{"settings":["PriorityWeightAge=-5"]}`, 200, `"problem":"\"-5\" is not a whole number from 0 to 4294967295","setting":"PriorityWeightAge"`},
		{"try", `{"settings":["PriorityWeightAge=1000"]}`, 200, `"problem":""`},
		{"try", `{"settings":["astro.shares=80","astro.shares=90"]}`, 200, `"problem":"it is set twice"`},
		{"try", `{"settings":["partition.gpus.tier=3"]}`, 200, `no partition gpus; did you mean gpu?`},
		{"try", `{"settings":["/etc/passwd"]}`, 200, `expected NAME=VALUE`},
		{"try", `{"settings":["Include=/etc/passwd"]}`, 200, `"setting":"Include"`},
		{"try", `{"settings":["astro.shares=1\ntouch x"]}`, 422, `control characters`},
		{"try", `{"settings":[` + many + `]}`, 422, `too many settings`},
		{"try", `{"formula":"ncpus"}`, 422, `Slurm has no formula`},
		{"try", `{"formula":"` + strings.Repeat("1+", 5000) + `"}`, 422, ``},
		{"try", `{"file":"/etc/passwd"}`, 400, `not a question`},
		{"site", `{"settings":["astro.shares=-1"]}`, 422, `not a whole number`},
		{"site", `{"settings":["astro.shares=1\u0000"]}`, 422, `control characters`},
		{"explain", `{"job":"999999"}`, 404, `there is no job 999999`},
		{"explain", `{"job":"137","settings":["x.shares=1"]}`, 422, `no association x`},
		{"versus", `{"job":"137","other":"137"}`, 422, `compared with itself`},
		{"versus", `{"job":"137","other":"x"}`, 404, `there is no job x`},
		{"take", `{"what":"/etc/passwd"}`, 422, `there is no /etc/passwd to take away`},
		{"take", `{"what":"commands","settings":["astro.shares=1; touch x"]}`, 422, `not a whole number`},
		{"take", `{"what":"commands","settings":["PriorityFlags=$(touch x)"]}`, 422, `unknown`},
		{"now", `{"jobs":["137"]}`, 404, ``},
		{"read", `{}`, 404, ``},
		{"replay", `{}`, 422, `there are no logs`},
	} {
		status, text := ask(s, row.question, row.body)
		if status != row.status || !strings.Contains(text, row.want) || strings.Contains(text, "root:") {
			t.Errorf("%s %.80s: %d %.300s, want %d %s", row.question, row.body, status, text, row.status, row.want)
		}
	}
}

// A replay of what cannot be tried is refused at once, and does not begin.
func TestReplayRefused(t *testing.T) {
	l := open(t, recorded)
	l.Replay = func(context.Context, lab.State, func(float64)) ([]byte, error) { return nil, nil }
	s := lab.NewServer(l)
	for body, want := range map[string]int{
		`{}`: 200, `{"settings":["astro.shares=80"]}`: 200,
		`{"settings":["astro.shares=-1"]}`: 422, `{"settings":["nosuch.shares=1"]}`: 422, `{"settings":["x"]}`: 422, `{"formula":"ncpus"}`: 422,
	} {
		if status, text := ask(s, "replay", body); status != want {
			t.Errorf("%s: %d %s, want %d", body, status, text, want)
		}
		for l.Running() != "" {
			time.Sleep(time.Millisecond)
		}
	}
}

// renamed returns the recorded site with other names.
func renamed(t *testing.T, names ...string) string {
	t.Helper()
	packed, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	replace := strings.NewReplacer(names...)
	for r := tar.NewReader(unpacked); ; {
		h, err := r.Next()
		if err == io.EOF {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(h.Name, "/root/") && len(text) > 0 {
			if err := os.WriteFile(filepath.Join(dir, filepath.Base(h.Name)), []byte(replace.Replace(string(text))), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A name is never more than text: neither in what a shell is to run, nor in a page.
func TestNamesAreText(t *testing.T) {
	const evil = `<script>x</script>'$(touch_x)`
	l := open(t, renamed(t, "astro", evil))
	s := lab.NewServer(l)
	settings, err := json.Marshal([]string{evil + ".shares=80", evil + "/dora.shares=3"})
	if err != nil {
		t.Fatal(err)
	}
	state := `"settings":` + string(settings)
	if status, text := ask(s, "try", `{`+state+`}`); status != http.StatusOK || !strings.Contains(text, `"problem":""`) || !json.Valid([]byte(text)) {
		t.Fatalf("%d %s", status, text)
	}
	for what, want := range map[string]string{
		"commands": `'name=<script>x</script>'\''$(touch_x)' set fairshare=80` + "\n",
		"compare":  `'<script>x</script>'\''$(touch_x).shares=80'`,
		"page":     `<html`,
	} {
		status, text := ask(s, "take", `{"what":"`+what+`",`+state+`}`)
		if status != http.StatusOK || !strings.Contains(text, want) || what == "page" && strings.Contains(text, "<script>x") {
			t.Errorf("%s: %d %.500s", what, status, text)
		}
	}
}

// What is taken away makes the changes that are tried, and no other.
func TestTake(t *testing.T) {
	l := open(t, recorded)
	for _, row := range []struct {
		settings []string
		want     string
	}{
		{nil, "# nothing is changed\n"},
		{[]string{"PriorityWeightAge=5000", "PriorityMaxAge=3-0", "partition.gpu.factor=7"}, "# slurm.conf, after which scontrol reconfigure makes it take effect\nPriorityWeightAge=5000\nPriorityMaxAge=3-0\n# in the line PartitionName=gpu: PriorityJobFactor=7\n"},
		{[]string{"chem/gina.shares=parent", "bob.shares=3"}, "sacctmgr modify user where name=gina account=chem set fairshare=parent\nsacctmgr modify user where name=bob account=hep set fairshare=3\n"},
		{[]string{"PriorityFlags=NO_FAIR_TREE"}, "# these replace all flags: add INCR_ONLY, MAX_TRES or MAX_TRES_GRES where the site has them\nPriorityFlags=NO_FAIR_TREE\n"},
		{[]string{"chem.GrpTRES=cpu=10", "chem/erin.maxjobs=2"}, "# GrpTRES of chem: sacctmgr keeps what the limit has of other resources; RESOURCE=-1 clears one\nsacctmgr modify account where name=chem set GrpTRES=cpu=10\nsacctmgr modify user where name=erin account=chem set MaxJobs=2\n"},
		{[]string{"chem/hank.maxjobs=", "qos.normal.MaxTRESPU="}, "sacctmgr modify user where name=hank account=chem set MaxJobs=-1\n# MaxTRESPU of normal: sacctmgr keeps what the limit has of other resources; RESOURCE=-1 clears one\n"},
		{[]string{"bob.usage=0"}, "sacctmgr modify user where name=bob account=hep set RawUsage=0\n"},
		{[]string{"bob.usage=7"}, "# bob: sacctmgr can set usage to 0 only, and not to 7\n"},
		{[]string{"qos.high.priority=7", "job.105.nice=-3", "job.57.qos=high"}, "sacctmgr modify qos where name=high set priority=7\nscontrol update JobId=105 Nice=-3\nscontrol update JobId=57 QOS=high\n"},
	} {
		got, err := l.Answer("take", lab.Request{Query: lab.Query{State: lab.State{Settings: row.settings}}, What: "commands"})
		if err != nil {
			t.Error(row.settings, err)
			continue
		}
		if text := string(got.(*lab.Download).Text); !strings.HasSuffix(text, row.want) {
			t.Errorf("%v:\n%swant\n%s", row.settings, text, row.want)
		}
	}
}

// Each setting on which an order depends has a field, and a user stands in the tree as --set takes it.
func TestSurroundings(t *testing.T) {
	l := open(t, recorded)
	a, err := l.around(lab.State{Settings: []string{"chem/gina.shares=parent", "partition.gpu.tier=3"}})
	if err != nil {
		t.Fatal(err)
	}
	withoutEffect := []string{"PriorityDecayHalfLife", "PriorityCalcPeriod"} // on the order now
	for _, s := range (&slurm.Conf{}).Settings() {
		if !slices.Contains(withoutEffect, s.Name) && !slices.ContainsFunc(a.Fields, func(f Field) bool { return f.Name == s.Name }) {
			t.Errorf("there is no field for %s", s.Name)
		}
	}
	for _, n := range a.Tree[1:] {
		for _, what := range []string{".shares=12345", ".usage=12345"} {
			if n.Group && what == ".usage=12345" {
				continue
			}
			if _, err := l.try(lab.State{Settings: []string{n.Name + what}}); err != nil {
				t.Errorf("%s: %v", n.Name, err)
			}
		}
		if n.Name == "chem/gina" && n.Shares != "parent" {
			t.Errorf("%+v", n)
		}
	}
	if i := slices.IndexFunc(a.Partitions, func(p Partition) bool { return p.Name == "gpu" }); a.Partitions[i].Tier != 3 {
		t.Errorf("%+v", a.Partitions)
	}
}

// Several can ask at once, and each gets the answer to its own question.
func TestCrowd(t *testing.T) {
	l := open(t, recorded)
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			settings := []string{fmt.Sprintf("PriorityWeightAge=%d", 2000+n%3), fmt.Sprintf("astro.shares=%d", 30+n%2)}
			q := lab.Request{Query: lab.Query{State: lab.State{Settings: settings}, Count: 1}, Job: "137", Other: "167", What: "page"}
			for _, question := range []string{"try", "site", "explain", "versus", "take"} {
				got, err := l.Answer(question, q)
				if err != nil {
					t.Error(question, err)
				} else if e, ok := got.(order.Explanation); ok && float64(e.Parts[0].Weight) != float64(2000+n%3) {
					t.Errorf("%v: %+v", settings, e.Parts[0])
				}
			}
		})
	}
	group.Wait()
}

// A job of several partitions has a row in each, which is explained by itself.
func TestSeveralPartitions(t *testing.T) {
	l := open(t, renamed(t, "Partition=main AllocNode", "Partition=main,gpu AllocNode"))
	got, err := l.answer(lab.Query{Count: 500, All: "yes"})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, row := range got.Ranking.Rows {
		if _, isTwice := seen[row.Key]; isTwice {
			t.Errorf("two rows are called %s", row.Key)
		}
		seen[row.Key] = row.Partition
		e, err := l.Answer("explain", lab.Request{Job: row.Key})
		if err != nil {
			t.Errorf("%s: %v", row.Key, err)
		} else if e := e.(order.Explanation); e.ID != row.ID || e.Partition != row.Partition {
			t.Errorf("%s: %s in %s", row.Key, e.ID, e.Partition)
		}
	}
	if seen["57@gpu"] != "gpu" || seen["57@main"] != "main" {
		t.Errorf("%v", seen)
	}
}

// FuzzQuestions: whatever is asked, there is an answer that says so.
func FuzzQuestions(f *testing.F) {
	l := open(f, recorded)
	s := lab.NewServer(l)
	for _, text := range []string{
		`{"settings":["astro.shares=5","PriorityWeightTRES=cpu=1,mem=2"],"count":5,"all":"yes","by":"qos"}`, `{"job":"137","other":"167@gpu","what":"page"}`, `{"first":-5,"count":1e9,"account":"chem"}`,
		`{"settings":["qos.high.priority=3","partition.gpu.tier=0","job.105.qos=low","bob.usage=1e18"]}`, `{"settings":["PriorityMaxAge=0","PriorityFlags=NO_NORMAL_ALL,DEPTH_OBLIVIOUS","FairShareDampeningFactor=1e300"],"what":"commands"}`,
	} {
		for _, question := range []string{"try", "site", "explain", "versus", "take"} {
			f.Add(question, text)
		}
	}
	f.Fuzz(func(t *testing.T, question, body string) {
		if strings.ContainsAny(question, " \r\n?#%\x00") {
			t.Skip()
		}
		if status, text := ask(s, question, body); status >= 500 && status != http.StatusServiceUnavailable {
			t.Errorf("%s %q: %d %s", question, body, status, text)
		}
	})
}

// BenchmarkTry says how the cost of a step of a slider grows with the number of rows.
func BenchmarkTry(b *testing.B) {
	workshop.Growth(b, []int{1_000, 2_000, 4_000}, func(b *testing.B, rows int) func() any {
		site, printed := read(b, recorded)
		jobs := slices.Clone(site.Jobs)
		for n := 0; len(site.Jobs) < rows; n++ {
			for _, j := range jobs {
				j.ID = fmt.Sprintf("%d%s", n+1, j.ID)
				site.Jobs = append(site.Jobs, j)
			}
		}
		site.Stored = nil
		l, step := New(site, printed, recorded), 0
		return func() any {
			step++
			got, err := l.answer(lab.Query{State: lab.State{Settings: []string{fmt.Sprintf("PriorityWeightAge=%d", 2000+step)}}, Count: 60})
			if err != nil {
				b.Fatal(err)
			}
			return got
		}
	})
}
