package forecast

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/trace"
	"fairshare/formula"
)

// The resources of a select add up as PBS keeps them in Resource_List.
func TestRequested(t *testing.T) {
	for text, want := range map[string]map[string]string{
		"select=4:ncpus=16:mem=2gb,walltime=8:00:00": {"select": "4:ncpus=16:mem=2gb", "walltime": "8:00:00", "ncpus": "64", "mem": "8388608kb", "nodect": "4"},
		"select=ncpus=2+3:ncpus=1:arch=linux":        {"select": "ncpus=2+3:ncpus=1:arch=linux", "ncpus": "5", "nodect": "4"},
		"ncpus=3,mem=1gb":                            {"ncpus": "3", "mem": "1gb"},
	} {
		list, err := parseResources(text)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, r := range (Ask{Resources: list}).requested() {
			got[r.Name] = r.Value
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
	for _, text := range []string{"", "walltime", "a=b c", "=4", "ncpus=4\n    euser = root", "ncpus="} {
		if list, err := parseResources(text); !errors.Is(err, forecast.ErrAsk) {
			t.Errorf("%q: %v %v", text, list, err)
		}
	}
}

// What is asked for by options of qsub is what its resources and --queue ask for.
func TestParseSubmission(t *testing.T) {
	const plain = "select=4:ncpus=16,walltime=8:00:00"
	of, err := parseSubmission(plain, "", "")
	want := of.Resources
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, named, queue string }{
		{plain, "workq", "workq"},
		{"-l select=4:ncpus=16 -l walltime=8:00:00 -q workq", "", "workq"},
		{"-q workq -l " + plain, "workq", "workq"},
		{" -qworkq -l" + plain, "", "workq"},
		{"-l " + plain, "workq", "workq"},
		{"-A acct -W umask=22 -W stageout=a@h:b,c@h:d -l " + plain, "workq", "workq"},
		{"-l " + plain, "", ""},
	} {
		a, err := parseSubmission(c.text, c.named, "")
		if diff := cmp.Diff(want, a.Resources); err != nil || a.Queue != c.queue || diff != "" {
			t.Errorf("%s: queue %q, %v %s", c.text, a.Queue, err, diff)
		}
	}
	for text, why := range map[string]string{
		"-l ncpus=4 -W depend=afterok:1": "not -W depend=afterok:1 (a job that depends on others waits for them", "-l ncpus=4 -W group_list=g": "of the group of the last job", "-l ncpus=4 -W umask=22,depend=on:1": "not -W umask=22,depend=on:1", "-l ncpus=4 -A a -A b": "-A is given twice",
		"-l ncpus=4 -q workq@far": "the name alone is given, as in -q workq", "-l ncpus=4 -q @far": "names a server and no queue", "-l ncpus=4 job.sh": "in the place of job.sh", "--gres=gpu:1": "not --gres=gpu:1", "-l ncpus=4 -q": "-q has no value", "-q highq": "no resources",
		"-l ncpus=4 -q highq": "beside --queue workq", "-l ncpus=4 -q a -q b": "twice", "-l ncpus=4 -p 2000": "2000 is no priority from -1024 to 1023 (-p)",
		"-l ncpus=4 -h": "not -h (a held job", "-l ncpus=4 -J 1-9": "not -J 1-9 (ask for one", "-l ncpus=4 -a 1200": "not -a 1200 (a job waits", "-l ncpus=4 -l ncpus=5": "twice", "-l": "-l has no value",
	} {
		if _, err := parseSubmission(text, "workq", ""); !errors.Is(err, forecast.ErrAsk) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", text, err, why)
		}
	}
}

// The directives of a script are read up to its first command, and what the line asks for counts before them.
func TestParseScript(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"job.sh":     "#!/bin/sh\n# a job\n\n#PBS -N run -q highq\n  #PBS -l select=2:ncpus=4,walltime=1:00:00\n##PBS -q idle\n#PBS -P phys -p 7\n./run\n#PBS -l mem=1gb\n",
		"other.sh":   "#!/bin/sh\n#PBS -l ncpus=1\n#XX -l ncpus=3\n",
		"empty.sh":   "#!/bin/sh\n./run\n",
		"array.sh":   "#PBS -J 1-9 -l ncpus=1\n",
		"comment.sh": "#PBS -l ncpus=1 # one\n",
		"crlf.sh":    "#!/bin/sh\n#PBS -l ncpus=1\n./run\r\n",
		"twice.sh":   "#PBS -l select=1:ncpus=1\n#PBS -l ncpus=1\n",
		"unknown.sh": "#PBS -l ncpus=1\n#PBS -y\n", "again.sh": "#PBS -l ncpus=1\n#PBS -l ncpus=2\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ text, named, want string }{
		{"job.sh", "", "highq phys 7 [{select 2:ncpus=4} {walltime 1:00:00}]"},
		{"qsub job.sh", "", "highq phys 7 [{select 2:ncpus=4} {walltime 1:00:00}]"},
		{"-l walltime=2:00:00 -q workq -P chem job.sh", "", "workq chem 7 [{walltime 2:00:00} {select 2:ncpus=4}]"},
		{"job.sh", "workq", "workq phys 7 [{select 2:ncpus=4} {walltime 1:00:00}]"},
		{"qsub -C '#XX' other.sh", "", "  0 [{ncpus 3}]"},
		{"qsub -l ncpus=2 empty.sh", "workq", "workq  0 [{ncpus 2}]"},
	} {
		a, err := parseSubmission(c.text, c.named, "")
		if got := fmt.Sprint(a.Queue, " ", a.project, " ", a.priority, " ", a.Resources); err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", c.text, got, err, c.want)
		}
	}
	for text, why := range map[string]string{
		"qsub nosuch.sh": "is not known (no such file", "empty.sh": "neither the line nor the #PBS lines of empty.sh ask for resources", "array.sh": "not -J 1-9", "qsub job.sh other.sh": "both a script",
		"comment.sh": `line 1 of comment.sh: qsub refuses "#" in a directive`, "twice.sh": "beside a select", "crlf.sh": "qsub refuses the script crlf.sh: its lines end with CR LF", "-l ncpus=1 job.sh": "beside a select", "again.sh": "line 2 of again.sh: ncpus is asked for twice", "unknown.sh": "line 2 of unknown.sh: of qsub's options",
		"qsub -l ncpus=1 -- /bin/true": "a program behind --",
	} {
		if _, err := parseSubmission(text, "", ""); !errors.Is(err, forecast.ErrAsk) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", text, err, why)
		}
	}
}

// What default_qsub_arguments of the server ask for counts where neither the line nor its script asks for the same.
func TestParseDefaults(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("job.sh", []byte("#PBS -q highq -l ncpus=2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const always = "-m n -l walltime=1:00:00,ncpus=1 -q workq -p 5 -W umask=22"
	for _, c := range []struct{ text, named, always, want string }{
		{"ncpus=4", "", always, "workq  5 [{ncpus 4} {walltime 1:00:00}] true []"},
		{"ncpus=4", "idle", always, "idle  5 [{ncpus 4} {walltime 1:00:00}] true []"},
		{"qsub -l ncpus=4,walltime=10 -q highq -p 7", "", always, "highq  7 [{ncpus 4} {walltime 10}] true []"},
		{"job.sh", "", always, "highq  5 [{ncpus 2} {walltime 1:00:00}] true []"},
		{"ncpus=4", "", "-m n -r n", "  0 [{ncpus 4}] false []"},
		{"ncpus=4", "", "-W group_list=g -P chem", " chem 0 [{ncpus 4}] true [-W group_list=g (the job is taken to be of the group of the last job of its user)]"},
	} {
		a, err := parseSubmission(c.text, c.named, c.always)
		if got := fmt.Sprint(a.Queue, " ", a.project, " ", a.priority, " ", a.Resources, " ", a.always != "", " ", a.unread); err != nil || got != c.want {
			t.Errorf("%s by %s: %q, %v; want %q", c.text, c.always, got, err, c.want)
		}
	}
	for always, why := range map[string]string{
		"-l": "-l has no value", "-y": "default_qsub_arguments of the server, -y: of qsub's options", "-l 'ncpus=1": "default_qsub_arguments of the server: ", "-l ncpus=1": "-l ncpus=1: ncpus cannot be asked for beside a select", "-P 'a": "",
	} {
		if _, err := parseSubmission("select=1:ncpus=4", "", always); !errors.Is(err, forecast.ErrAsk) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", always, err, why)
		}
	}
}

// Another number of cpus leaves chunks as large as they are where that divides.
func TestResized(t *testing.T) {
	for _, test := range []struct {
		text string
		n    int
		want string
	}{{"4:ncpus=16", 32, "2:ncpus=16"}, {"4:ncpus=16:mem=1gb", 24, "4:ncpus=6:mem=1gb"}, {"4:ncpus=16", 6, "6:ncpus=1"}, {"1:ncpus=8:mem=1gb", 4, "1:ncpus=4:mem=1gb"}, {"ncpus=8", 4, "1:ncpus=4"}, {"1:ncpus=8+2:ncpus=4", 4, "4:ncpus=1"}, {"6", 3, "3:ncpus=1"}} {
		if got := resized(test.text, test.n); got != test.want {
			t.Errorf("%s with %d: %s, not %s", test.text, test.n, got, test.want)
		}
	}
}

// A job that is asked for as it is starts as it is forecast; a change that changes nothing makes no
// difference in any run, and one that asks for more than there is never starts.
func TestAdvise(t *testing.T) {
	s := pastMoment(t, "P1x", "1772462700")
	o := forecast.Options{Runs: 8, Seed: 1, Horizon: 4 * day}
	whole, err := forecastOf(s, o)
	if err != nil {
		t.Fatal(err)
	}
	a, ok := s.askOf("142.pbsref")
	if !ok {
		t.Fatal("it does not wait")
	}
	_, list, err := forecast.Advise(context.Background(), o, s.Offer("142.pbsref"), []string{"walltime=" + a.of("walltime"), "ncpus=16", "ncpus=4096"})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range whole.Jobs {
		if j.ID == "142.pbsref" {
			if diff := cmp.Diff(j.Starts, list[0].Job.Starts); diff != "" {
				t.Errorf("as it is: %s", diff)
			}
		}
	}
	if same := list[1]; same.Sooner != 0 || !same.IsNoise() {
		t.Errorf("what changes nothing: %+v", same)
	}
	if less := list[2]; less.Sooner < 1800 || less.IsNoise() {
		t.Errorf("a quarter of the cpus: %+v", less)
	}
	if never := list[3]; never.Job.Within(float64(s.At+o.Horizon)) != 0 || never.Sooner >= 0 {
		t.Errorf("more than there is: %+v", never)
	}
}

// Without a select what a job asks for of hosts is its chunk, as PBS makes it: resources of PBS's own such as vnode, and those
// of the site whose flag has an h.
func TestChunked(t *testing.T) {
	s := *pastMoment(t, "P1x", "1772462700")
	site := *s.Site
	s.Site = &site
	site.Resources = map[string]formula.Type{"licence": formula.Long, "scratch": formula.Size, "ngpus": formula.Long}
	site.Flags = map[string]string{"scratch": "nh"}
	for text, want := range map[string]string{
		"ncpus=2,mem=1gb,walltime=60":    "", // which everybody takes for one chunk
		"ncpus=1,vnode=n02":              "1:ncpus=1:vnode=n02",
		"host=n09":                       "1:host=n09",
		"arch=linux,vmem=2gb,place=excl": "1:arch=linux:vmem=2gb",
		"scratch=1gb,licence=2":          "1:scratch=1gb",
		"ngpus=1,cput=60":                "", // the site's own has no h
		"select=1:ncpus=1,licence=2":     "1:ncpus=1",
	} {
		list, err := parseResources(text)
		if err != nil {
			t.Fatal(err)
		}
		a := s.chunked(Ask{Resources: list})
		if got := a.of("select"); got != want {
			t.Errorf("%s: %q, not %q", text, got, want)
		}
	}
	site.Resources, site.Flags = nil, nil
	a := s.chunked(Ask{Resources: []Resource{{"ngpus", "1"}}})
	if a.of("select") != "1:ngpus=1" {
		t.Error("ngpus where the site's own resources are not known")
	}
}

// A job gets what its queue, or else the server, gives those that do not ask for it, and where neither does the most that a job
// may have of what is not of chunks: of resources that PBS or the site has, for one without a select in its chunk as well. One
// that is there has it.
func TestDefaultsOf(t *testing.T) {
	s := *pastMoment(t, "P1x", "1772462700")
	site := *s.Site
	s.Site = &site
	site.Resources, site.Flags = map[string]formula.Type{"licence": formula.Long, "seat": formula.Long, "ssd": formula.Long}, map[string]string{"ssd": "nh"}
	site.Queues = []pbs.Queue{{Name: "workq", Attributes: pbs.Attributes{"resources_default.mem": "2gb", "resources_max.walltime": "02:00:00", "resources_max.licence": "7", "resources_max.seat": "9", "resources_max.ssd": "8", "resources_max.ngpus": "4",
		"resources_max.nodect": "2", "resources_max.cput": "3:00:00"}}, {Name: "short", Attributes: pbs.Attributes{"resources_default.walltime": "60"}}}
	site.Sched.Server = pbs.Attributes{"resources_default.ncpus": "3", "resources_default.mem": "1gb", "resources_default.licence": "1", "resources_default.place": "scatter",
		"resources_default.gone": "1", "resources_default.walltime": "none", "resources_max.walltime": "09:00:00", "resources_max.seat": "5", "resources_max.mem": "64gb"}
	for _, test := range []struct{ queue, asked, want string }{
		{"workq", "ncpus=1", "ncpus=1 mem=2gb licence=1 place=scatter cput=3:00:00 seat=9 walltime=02:00:00"},
		{"workq", "select=1:ncpus=1:mem=4gb,licence=2", "select=1:ncpus=1:mem=4gb licence=2 place=scatter cput=3:00:00 seat=9 walltime=02:00:00"},
		{"short", "select=2,place=pack", "select=2 place=pack walltime=60 licence=1 mem=1gb seat=5"},
		{"other", "host=n01,walltime=5", "host=n01 walltime=5 licence=1 mem=1gb ncpus=3 place=scatter seat=5 select=1:host=n01:mem=1gb:ncpus=3"},
	} {
		list, err := parseResources(test.asked)
		if err != nil {
			t.Fatal(err)
		}
		of, _ := s.settled(Ask{Queue: test.queue, Resources: list})
		var got []string
		for _, r := range of.Resources {
			got = append(got, r.Name+"="+r.Value)
		}
		if !slices.Equal(got, strings.Fields(test.want)) {
			t.Errorf("%s in %s: %q", test.asked, test.queue, got)
		}
		of.is = &trace.ListedJob{}
		if _, given := s.settled(of); given != nil {
			t.Errorf("a job that is there is given %v", given)
		}
	}
}

// A job of which nothing tells who submits it, and that names no queue, goes to default_queue, as any other; it is said where
// that only hands jobs on.
func TestNewcomerOfDefaultQueue(t *testing.T) {
	s := *pastMoment(t, "P1x", "1772462700")
	site := *s.Site
	s.Site = &site
	site.Queues = []pbs.Queue{{Name: "workq"}, {Name: "off", Attributes: pbs.Attributes{"enabled": "False"}}, {Name: "route", Routes: true}}
	for _, test := range []struct{ usual, named, queue, refused, said string }{
		{"workq", "", "workq", "", "no queue is named (--queue): the job goes to workq, the server's default_queue"},
		{"off", "", "off", "queue off takes no jobs (enabled is false)", "no queue is named (--queue): the job goes to off, the server's default_queue"},
		{"off", "workq", "workq", "", ""},
		{"route", "", "", "", "no queue is named (--queue): the server's default_queue, route, only hands jobs on, and it is not looked at to which queue"},
		{"", "", "", "", ""},
	} {
		site.Sched.Server = pbs.Attributes{"default_queue": test.usual}
		n, err := s.Newcomer(test.named, "", "ncpus=1")
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, remark := range n.Caveats() {
			said += remark.Text
		}
		if n.Queue != test.queue || n.Refused != test.refused || said != test.said {
			t.Errorf("%+v: %q, %q, %q", test, n.Queue, n.Refused, said)
		}
	}
}
