package slurmsite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/slurmsched"
)

// The licences that a site has, and how their number is changed.
func TestSiteLicences(t *testing.T) {
	d, err := OpenDump("../../../testdata/slurm-site/t2_busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := d.Write(filepath.Join(dir, "site")); err != nil {
		t.Fatal(err)
	}
	open := func() *slurmsched.Setup {
		setup, remarks, err := OpenScheduler(filepath.Join(dir, "site"))
		if err != nil {
			t.Fatal(err)
		}
		said := fmt.Sprint(remarks)
		for _, r := range Weigh(setup, "the list", func(yield func(*slurmsched.Job, float64) bool) {
			_ = yield(&slurmsched.Job{Association: 1, Licences: []int64{0, 1}}, 8) && yield(&slurmsched.Job{Association: 1}, 8)
		}) {
			said += r.Text
		}
		for _, what := range []string{"that reservations keep licences (ansys@flex:2), which all jobs get here, is not modelled: 1 job of the list with 8 core hours", "bf_licenses, so that jobs which lack licences get no plans, is not modelled: 1 job"} {
			if got := strings.Contains(said, what); got != (len(setup.Licences) == 2) {
				t.Errorf("that %s: %v", what, got)
			}
		}
		if strings.Contains(said, "SchedulerParameters: bf_licenses") {
			t.Error("it is said twice")
		}
		return setup
	}
	setup := open()
	if got := fmt.Sprint(setup.Licences); got != "[{matlab 4}]" {
		t.Error(got)
	}
	for setting, want := range map[string]string{
		"licences.matlab=9": "[{matlab 9}]", "Licenses.MATLAB=0": "[{matlab 0}]", "licences.octave=1": "there is no licence octave", "licences.matlab=x": "is not a whole number",
		"licences.matlab=-1": "is not a whole number", "licences.=1": "there is no licence",
	} {
		changed, _, err := ChangeSetup(setup, []string{setting})
		if got := fmt.Sprint(err); err != nil && !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", setting, got, want)
		}
		if err == nil && fmt.Sprint(changed.Licences) != want {
			t.Errorf("%s: %v, want %s", setting, changed.Licences, want)
		}
	}
	if _, changes, err := ChangeSetup(setup, []string{"licences.matlab=4"}); err != nil || !changes[0].IsSame {
		t.Error(changes, err)
	}
	if got := fmt.Sprint(setup.Licences); got != "[{matlab 4}]" {
		t.Errorf("changes of copies make it %s", got)
	}
	const shown = "LicenseName=ansys@flex\n    Total=5 Used=0 Free=3 Reserved=2 Remote=yes\nLicenseName=matlab\n    Total=4 Used=0 Free=4 Reserved=0 Remote=no\n"
	if err := os.WriteFile(filepath.Join(dir, "site", "lic.txt"), []byte(shown), 0o600); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "site", "scontrol-show-config.txt")
	text, err := os.ReadFile(config)
	if err == nil {
		err = os.WriteFile(config, []byte(strings.Replace(string(text), "bf_continue", "bf_licenses,bf_continue", 1)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(open().Licences); got != "[{ansys@flex 5} {matlab 4}]" {
		t.Error(got)
	}
}

// What licences a recorded job asked for, by what sacct prints of it.
func TestRecordedLicences(t *testing.T) {
	setup, _, err := OpenScheduler(replayed + "S3a/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	setup.Licences = []slurmsched.Licence{{Name: "matlab", Total: 4}, {Name: "ansys", Total: 2}}
	const header = "JobID|User|Account|Partition|QOS|Submit|Eligible|Start|End|Timelimit|ReqCPUS|ReqTRES|Licenses|SubmitLine\n"
	for _, test := range []struct{ tres, column, line, want string }{
		{"", "", "sbatch a.sh", "[]"},
		{"", "", "sbatch -L matlab:2 a.sh", "[2 0]"},
		{"", "", "sbatch --licenses=matlab:2,ansys a.sh", "[2 1]"},
		{",license/matlab=1", "", "sbatch -L matlab:2 a.sh", "[1 0]"},
		{"", "ansys:2", "sbatch -L matlab:2 a.sh", "[0 2]"},
		{"", "(null)", "sbatch -L matlab:2 a.sh", "[2 0]"},
		{"", "", "sbatch -L octave a.sh", "[] 1 job with 0 core hours: asked for licences that the site does not have"},
		{",license/octave=1", "", "", "[] 1 job with 0 core hours: asked for licences that the site does not have"},
		{"", "", "sbatch -L matlab|ansys a.sh", ""}, // of which the columns cannot be told apart
		{"", "matlab(x)", "", "[] 1 job with 0 core hours: asked for licences in a way that is not modelled"},
	} {
		r := recordOf(t, setup, header+strings.Join([]string{"7|bob|hep|main|normal|2026-03-02T09:00:00|2026-03-02T09:00:00|2026-03-02T09:10:00|2026-03-02T09:20:00|00:20:00|1|cpu=1,mem=100M,node=1" + test.tres, test.column, test.line}, "|")+
			"\n8|bob|hep|main|normal|2026-03-02T09:00:00|2026-03-02T09:00:00|2026-03-02T09:10:00|2026-03-02T09:20:00|00:20:00|1|cpu=1,mem=100M,node=1||\n")
		got := fmt.Sprint(r.Jobs[0].Licences)
		if at := strings.Index(saidOf(r), "1 job with 0 core hours: asked for licences"); at >= 0 {
			got += " " + saidOf(r)[at:]
		}
		if !strings.HasPrefix(got, test.want) || test.want != "" && strings.Contains(got, "asked") != strings.Contains(test.want, "asked") {
			t.Errorf("%s %s %s: %s, want %s", test.tres, test.column, test.line, got, test.want)
		}
	}
}

// A copy without names has the partitions and licences of a job under the names that the site has there.
func TestHiddenLicences(t *testing.T) {
	h := &hider{names: obfuscate.NewReplacer()}
	has, asks := licences(h, "matlab:4,ansys:2"), submitLine(h, "sbatch -p main,debug -L Matlab=2,ansys --partition=main -n4 a.sh")
	partition := name("partition")
	want := fmt.Sprintf("sbatch -p%s,%s -L%s,%s --partition=%s -n4", partition(h, "main"), partition(h, "debug"), strings.Replace(strings.Split(has, ",")[0], ":4", ":2", 1), strings.Replace(strings.Split(has, ",")[1], ":2", ":1", 1), partition(h, "main"))
	if asks != want || strings.Contains(has, "matlab") {
		t.Errorf("%s: %q, want %q", has, asks, want)
	}
	if got := tres(h, "license/matlab=3"); got != "license/"+strings.Replace(strings.Split(has, ",")[0], ":4", "=3", 1) {
		t.Errorf("%s, of %s", got, has)
	}
	for text, want := range map[string]string{"(null)": "(null)", "": "", "matlab|octave": "license"} {
		if got := licences(h, text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
