package set

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/dump/dumptest"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// A limit of amounts is set as sacctmgr sets it: other resources stay as they are, and -1 is none.
func TestSetLimitOfAmounts(t *testing.T) {
	site, _, err := setup.Open(dumptest.Replays + "S3a/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	at := func(setup *sched.Setup) string {
		for _, q := range setup.QOS {
			if q.Name == "normal" {
				a := q.Limits.UserTRES
				if a == nil {
					return "none"
				}
				return strings.ReplaceAll(fmt.Sprint(a[setup.AmountOf("cpu")], a[setup.AmountOf("gres/gpu")]), fmt.Sprint(int64(sched.None)), "none")
			}
		}
		return ""
	}
	for _, test := range []struct{ value, want string }{
		{"gres/gpu=8", "96 8"}, {"cpu=48", "48 none"}, {"cpu=-1,gres/gpu=8", "none 8"}, {"cpu=-1", "none none"}, {"", "none none"},
	} {
		changed, _, err := ChangeSetup(site, []string{"qos.normal.MaxTRESPU=" + test.value})
		if err != nil {
			t.Fatal(err)
		}
		if got := at(changed); got != test.want || at(site) != "96 none" {
			t.Errorf("%q: %s, want %s; the site itself %s", test.value, got, test.want, at(site))
		}
	}
	if _, _, err := ChangeSetup(site, []string{"PriorityFlags=INCR_ONLY"}); err == nil || !strings.Contains(err.Error(), "INCR_ONLY is not modelled") {
		t.Error(err)
	}
}

// Limits that nobody enforces are not changed.
func TestUnenforcedLimit(t *testing.T) {
	free, _, err := setup.Open(dumptest.Changed(t, dumptest.Sites+"t2_busy.tgz", "associations,limits,qos,safe", "associations,qos"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := ChangeSetup(free, []string{"qos.high.MaxJobsPU=1"}); err == nil || !strings.Contains(err.Error(), "AccountingStorageEnforce has no limits") {
		t.Error(err)
	}
}

// The licences that a site has, and how their number is changed.
func TestSiteLicences(t *testing.T) {
	d, err := dump.Open("../../../../testdata/slurm-site/t2_busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := d.Write(filepath.Join(dir, "site")); err != nil {
		t.Fatal(err)
	}
	open := func() *sched.Setup {
		site, remarks, err := setup.Open(filepath.Join(dir, "site"))
		if err != nil {
			t.Fatal(err)
		}
		said := fmt.Sprint(remarks)
		for _, r := range setup.Weigh(site, slurm.OnStarts, "the list", func(yield func(*sched.Job, float64) bool) {
			_ = yield(&sched.Job{Association: 1, Licences: []int64{0, 1}}, 8) && yield(&sched.Job{Association: 1}, 8)
		}) {
			said += r.Text
		}
		for _, what := range []string{"that reservations keep licences (ansys@flex:2), which all jobs get here, is not modelled: 1 job of the list with 8 core hours", "bf_licenses, so that jobs which lack licences get no plans, is not modelled: 1 job"} {
			if got := strings.Contains(said, what); got != (len(site.Licences) == 2) {
				t.Errorf("that %s: %v", what, got)
			}
		}
		if strings.Contains(said, "SchedulerParameters: bf_licenses") {
			t.Error("it is said twice")
		}
		return site
	}
	setup := open()
	if got := fmt.Sprint(setup.Licences); got != "[{matlab 4 0 0}]" {
		t.Error(got)
	}
	for setting, want := range map[string]string{
		"licences.matlab=9": "[{matlab 9 0 0}]", "Licenses.MATLAB=0": "[{matlab 0 0 0}]", "licences.octave=1": "there is no licence octave", "licences.matlab=x": "is not a whole number",
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
	if got := fmt.Sprint(setup.Licences); got != "[{matlab 4 0 0}]" {
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
	if got := fmt.Sprint(open().Licences); got != "[{ansys@flex 5 0 0} {matlab 4 0 0}]" {
		t.Error(got)
	}
}

// FuzzChangeSetup makes any change of a policy, and makes sure that it is made or refused, and in a copy alone.
func FuzzChangeSetup(f *testing.F) {
	for _, seed := range []string{"bf_window=2880", "qos.high.MaxTRESPU=cpu=48,gres/gpu=1", "partition.main.tier=1e400", "hep/bob.shares=parent", "qos.high.MaxWall=1-0", "PriorityMaxAge=NaN",
		"node.c0*.down=0/9", "nodes.removed=c[1-9999999]", "reservation.x=2026-03-02 08:00/2026-03-02 10:00 on c01", "SchedulerType=sched/builtin", "sched_interval=-1", "PriorityFlags=NO_NORMAL_ALL", "PriorityWeightTRES=cpu=1e15P", "hep/bob.usage=0", "qos.normal.GrpTRES=cpu=1e15P",
		"partition.main.State=DOWN", "partition.main.MaxTime=1-00:00:00", "partition.main.AllowAccounts=hep,astro", "partition.main.QoS=N/A", "partition.main.MaxNodes=99999999999", "partition.main.MinNodes=3", "partition.main.MaxMemPerNode=4000"} {
		f.Add(seed)
	}
	const name = "../../../../testdata/slurm-site/t2_busy.tgz"
	site, _, err := setup.Open(name)
	if err != nil {
		f.Fatal(err)
	}
	as, _, err := setup.Open(name)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		changed, _, err := ChangeSetup(site, []string{text})
		if err == nil && (changed.Interval < 1 || changed.Backfill != nil && (changed.Backfill.Interval < 1 || changed.Backfill.Resolution < 1)) {
			t.Errorf("%s: a pass every %d seconds, backfill %+v", text, changed.Interval, changed.Backfill)
		}
		if err == nil {
			for _, q := range changed.QOS {
				for i, x := range q.Limits.AllTRES {
					if x < 0 {
						t.Errorf("%s: GrpTRES has %d of resource %d", text, x, i)
					}
				}
			}
		}
		if !reflect.DeepEqual(site, as) {
			t.Errorf("%s changes the setup that it was made of", text)
		}
	})
}

// The jobs of a partition in which a user has an association of its own are under that one, which can be changed by
// itself.
func TestJobsOfAssociationOfPartition(t *testing.T) {
	d := dumptest.TwoAssociations(t, true)
	setup, _, err := setup.Open(dumptest.Written(t, d))
	if err != nil {
		t.Fatal(err)
	}
	gpu, all := setup.AssociationOf("chem", "hank", "gpu"), setup.AssociationOf("chem", "hank", "main")
	changed, _, err := ChangeSetup(setup, []string{"chem/hank/gpu.shares=9"})
	if err != nil || changed.Tree[gpu].Shares != 9 || changed.Tree[all].Shares == 9 {
		t.Error(err)
	}
	const table = `JobID|User|Account|Partition|QOS|Submit|Start|End|Timelimit|ReqCPUS|ReqTRES
1|hank|chem|gpu|normal|2026-03-02T08:00:00|2026-03-02T08:00:01|2026-03-02T09:00:00|02:00:00|1|cpu=1,node=1
2|hank|chem|main|normal|2026-03-02T08:00:00|2026-03-02T08:00:01|2026-03-02T09:00:00|02:00:00|1|cpu=1,node=1
`
	record, err := record.Read(setup, []file.Source{{Name: "sacct.txt", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(table)), nil }}}, time.UTC)
	if err != nil || len(record.Jobs) != 2 || record.Jobs[0].Association != gpu || record.Jobs[1].Association != all {
		t.Fatalf("%v: %+v", err, record)
	}
	for _, isNamed := range []bool{true, false} { // where the table does not say which of two rows is of a partition, it is of no use
		if _, err := order.New(dumptest.TwoAssociations(t, isNamed)); err != nil {
			t.Error(err)
		}
	}
}

// Each limit of a QOS and of an association is changed by --set under each of its names.
func TestLimitsAreSet(t *testing.T) {
	site, _, err := setup.Open(dumptest.Changed(t, dumptest.Sites+"t2_busy.tgz", "= 22.05.8", "= 24.11.5"))
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []struct {
		prefix, columns string
		kind            int
		limits          []string
	}{{"qos.low.", dumptest.QosColumns, setup.OfQOS, qosLimits}, {"chem/erin.", dumptest.AssociationColumns, setup.OfAssociation, associationLimits}} {
		seen := 0
		for column := range strings.SplitSeq(of.columns, ",") {
			f := setup.FieldNamed(column, of.kind)
			if f == nil || !f.IsLimit() {
				continue
			}
			if seen++; !slices.Contains(of.limits, f.Name) {
				t.Errorf("%s can be set, and help does not say so", f.Name)
			}
			value := "5"
			switch {
			case f.Amounts != nil:
				value = "cpu=5"
			case f.Seconds > 0:
				value = "5:00"
			}
			for _, name := range append([]string{f.Name, strings.ToLower(f.Name)}, f.Other...) {
				changed, changes, err := ChangeSetup(site, []string{of.prefix + name + "=" + value})
				if err != nil || changes[0].IsSame || changed == nil {
					t.Errorf("%s%s: %v", of.prefix, name, err)
				}
			}
		}
		if seen != len(of.limits) {
			t.Errorf("%s: %d limits are set of %d", of.prefix, seen, len(of.limits))
		}
	}
}

// A limit of each job or user of an account is also that of those below it, but for those that have another one; one of all its jobs
// together is the account's alone.
func TestAssociationLimits(t *testing.T) {
	site, _, err := setup.Open(dumptest.Sites + "t2_busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	of := func(s *sched.Setup, name sched.AccountName) *sched.Limits {
		return &s.Accounts[slices.Index(s.Names, name)].Limits
	}
	text := func(n int64) string {
		if n == sched.None {
			return "none"
		}
		return fmt.Sprint(n)
	}
	for _, test := range []struct{ setting, want string }{
		{"genomics.MaxTRES=cpu=8", "genomics 8/none none, genomics/ivan 8/none none, imaging/ivan none/none none"},
		{"genomics.MaxTRES=node=2", "genomics 64/2 none, genomics/ivan 64/2 none"},
		{"genomics.MaxTRES=", "genomics none/none none, genomics/ivan none/none none"},
		{"genomics/ivan.MaxTRES=cpu=8", "genomics 64/none none, genomics/ivan 8/none none, genomics/judy 64/none none"},
		{"bio.MaxTRES=cpu=8", "bio 8/none none, genomics 64/none none, genomics/ivan 64/none none, imaging 8/none none, imaging/kate 8/none none"},
		{"chem.MaxJobs=1", "chem none/none 1, chem/erin none/none 1, chem/hank none/none 3"},
		{"hank.maxjobs=", "chem/hank none/none none"},
		{"chem.GrpTRES=cpu=9", "chem none/none none 9, chem/erin none/none none none"},
		{"chem.GrpTRES=cpu=-1", "chem none/none none none"},
		{"chem.GrpTRES=cpu=128", "it is that already"},
		{"chem.GrpTRES=billing=9", "it is of billing, which is not modelled"},
		{"chem.GrpTRES=9", "is not NAME=NUMBER"},
		{"chem.MaxJobs=x", "is not a whole number"},
		{"ivan.GrpJobs=2", "ivan has several associations: genomics/ivan, imaging/ivan"},
		{"chme.GrpJobs=2", "there is no association chme; did you mean chem?"},
		{"normal.GrpJobs=2", "there is no association normal; there are 25, of which the nearest are astro, bio, chem, ops, root; QOS normal has qos.normal.GrpJobs"},
		{"chem.GrpJob=2", "did you mean chem.GrpJobs?"},
		{"chem.MaxJobPU=2", "did you mean qos.chem.MaxJobsPU?"},
	} {
		changed, changes, err := ChangeSetup(site, []string{test.setting})
		var got string
		switch {
		case err != nil:
			got = err.Error()
		case changes[0].IsSame:
			got = errSame.Error()
		default:
			var parts []string
			for part := range strings.SplitSeq(test.want, ", ") {
				words := strings.Fields(part)
				account, user, _ := strings.Cut(words[0], "/")
				l := of(changed, sched.AccountName{Account: account, User: user})
				amount := func(a sched.Amounts, name string) string {
					if a == nil {
						return "none"
					}
					return text(a[changed.AmountOf(name)])
				}
				is := fmt.Sprintf("%s %s/%s %s", words[0], amount(l.JobTRES, "cpu"), amount(l.JobTRES, "node"), text(l.UserJobs))
				if len(words) > 3 {
					is += " " + amount(l.AllTRES, "cpu")
				}
				parts = append(parts, is)
			}
			got = strings.Join(parts, ", ")
		}
		if got != test.want && (err == nil || !strings.Contains(got, test.want)) {
			t.Errorf("%s: %s, want %s", test.setting, got, test.want)
		}
	}
	again, _, err := setup.Open(dumptest.Sites + "t2_busy.tgz")
	if err != nil || !reflect.DeepEqual(site.Accounts, again.Accounts) {
		t.Error("the setup has changed of which the others were made", err)
	}
}

// What has been used counts for a limit of it that was none before, and where nothing tells it, that is said.
func TestUseOfNewLimits(t *testing.T) {
	open := func(d *dump.Dump) *sched.Setup {
		site, _, err := setup.Open(dumptest.Written(t, d))
		if err != nil {
			t.Fatal(err)
		}
		return site
	}
	all, err := dump.Open(dumptest.Sites + "t2_busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	known := open(all)
	untold := all.Empty()
	for _, p := range all.Parts {
		if p.Kind != dump.KindManager {
			untold.Set(p.File(), p.Text)
		}
	}
	unknown := open(untold)
	const minutes = 29391 // cpu, as scontrol show assoc_mgr has it of QOS normal
	if q := known.QOS[slices.IndexFunc(known.QOS, func(q sched.QOS) bool { return q.Name == "normal" })]; q.Used.TRES == nil || q.Used.TRES[known.AmountOf("cpu")] != 60*minutes {
		t.Errorf("QOS normal has used %v", q.Used)
	}
	for setting, of := range map[string]string{"qos.normal.GrpTRESMins=cpu=10": "GrpTRESMins of QOS normal", "chem.GrpWall=10": "GrpWall of chem", "chem.GrpTRES=cpu=10": ""} {
		for site, isTold := range map[*sched.Setup]bool{known: true, unknown: false} {
			changed, _, err := ChangeSetup(site, []string{setting})
			if err != nil {
				t.Fatal(err)
			}
			said := fmt.Sprint(changed.NewOmissions(site))
			if isSaid := strings.Contains(said, "what has been used of "+of+" is not known"); isSaid != (of != "" && !isTold) {
				t.Errorf("%s, known %v: %s", setting, isTold, said)
			}
		}
	}
}
