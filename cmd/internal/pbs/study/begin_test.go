package study

import (
	"maps"
	"slices"
	"testing"
	"time"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/snapshot"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/workshop"
	"fairshare/fstree"
	"fairshare/usagefile"
)

// The usage with which a policy begins is that which is given, whatever its site has; its last decay is of
// the same file where that tells one.
func TestBegin(t *testing.T) {
	given, own := &usagefile.Database{}, &usagefile.Database{LastDecay: 700}
	told := &usagefile.Database{LastDecay: 900}
	fair, _ := fstree.ParseConfig("fair_share: true\nfairshare_entity: no_such\n")
	for _, test := range []struct {
		name        string
		given, own  *usagefile.Database
		hasPriv     bool
		isFair      bool
		wantsGiven  bool
		wantRemarks int
		wantDecay   int64
	}{
		{"no sched_priv", given, nil, false, false, false, 0, 0},
		{"given, and the site has its own", given, own, true, true, true, 0, 700},
		{"given, with its own decay", told, own, true, true, true, 0, 900},
		{"given, without fairshare", told, own, true, false, true, 0, 900},
		{"no fairshare", nil, own, true, false, false, 0, 700},
		{"nobody's usage is known", nil, nil, true, true, false, 1, 0},
		{"the logs do not tell the entity", nil, own, true, true, false, 1, 700},
	} {
		site := &pbs.Site{}
		if test.hasPriv {
			site.SchedPriv = &pbs.SchedPriv{Usage: test.own}
			if test.isFair {
				site.SchedPriv.Config = fair
			}
		}
		in := &Inputs{Site: site, Usage: test.given}
		db, remarks, err := (&Study{Inputs: in}).begin(&Policy{Policy: study.Policy{}, Site: site, Plan: &order.Plan{}})
		if err != nil || (db != nil) != test.wantsGiven || db != nil && db != test.given || len(remarks) != test.wantRemarks {
			t.Errorf("%s: begins with %v, %v (%v)", test.name, db, remarks, err)
		}
		if decay := in.lastDecay(site); decay != test.wantDecay {
			t.Errorf("%s: decayed last at %d, want %d", test.name, decay, test.wantDecay)
		}
	}
}

// A changed usage replaces each record of the name, or adds one; the database itself stays.
func TestWithChanges(t *testing.T) {
	db := &usagefile.Database{Records: []usagefile.Record{{Name: "ann", Usage: 1}, {Name: "bob", Usage: 2}, {Name: "ann", Usage: 3}}}
	site := &pbs.Site{SchedPriv: &pbs.SchedPriv{Tree: treeOf(t, "ann 10 root 1\nbob 11 root 1\ncid 12 root 1\n")}}
	changed, err := site.WithReplayed([]string{"ann.usage=50", "cid.usage=7", "bob.shares=3"})
	if err != nil {
		t.Fatal(err)
	}
	want := []usagefile.Record{{Name: "ann", Usage: 50}, {Name: "bob", Usage: 2}, {Name: "ann", Usage: 50}, {Name: "cid", Usage: 7}}
	if got := withChanges(db, changed.Changes); !slices.Equal(got.Records, want) {
		t.Errorf("%v, want %v", got.Records, want)
	}
	if db.Records[0].Usage != 1 || len(db.Records) != 3 {
		t.Errorf("the database has changed: %v", db.Records)
	}
}

func treeOf(t *testing.T, groups string) *fstree.Tree {
	t.Helper()
	tree, problems := fstree.ParseResourceGroup(groups, 10)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return tree
}

// What a policy tries has not changed what was: with the usage at the begin rebuilt from that of the end, all policies begin alike,
// whichever settings of fairshare they try.
func TestBeginIsThatInForce(t *testing.T) {
	snap, err := snapshot.Open(workshop.Testdata("replay") + "/P2/snapshot")
	if err != nil {
		t.Fatal(err)
	}
	in := &Inputs{Nodes: snap.Nodes(), Lists: snap.Jobs()}
	in.Site, _, err = snap.Files().Read()
	if err != nil {
		t.Fatal(err)
	}
	if _, in.IsKnown, err = in.Site.SetFormula(""); err != nil {
		t.Fatal(err)
	}
	in.Taken, _ = snap.Taken()
	logs, _, err := snapshot.Logs(snap.Tree())
	if err != nil {
		t.Fatal(err)
	}
	keep, err := in.Keep()
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := trace.Read(logs, time.UTC, keep)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := in.Study(recorded)
	if err != nil {
		t.Fatal(err)
	}
	beginsWith := func(site *pbs.Site) map[string]float64 {
		db, _, err := s.begin(&Policy{Site: site, Plan: &order.Plan{}})
		if err != nil {
			t.Fatal(err)
		}
		return maps.Collect(db.All())
	}
	want := beginsWith(in.Site)
	if end := maps.Collect(in.Site.SchedPriv.Usage.All()); maps.Equal(want, end) {
		t.Fatalf("it is not rebuilt: %v", want)
	}
	for _, setting := range []string{"fairshare_decay_time=1:00:00", "fairshare_decay_factor=0.9", "fairshare_usage_res=walltime", "fairshare_entity=egroup"} {
		site, err := in.Site.WithReplayed([]string{"sched." + setting})
		if err != nil {
			t.Fatal(err)
		}
		if got := beginsWith(site); !maps.Equal(got, want) {
			t.Errorf("%s: begins with %v, and in force with %v", setting, got, want)
		}
	}
}
