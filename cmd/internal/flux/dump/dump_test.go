package dump

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
)

const recorded = "../../../../testdata/flux-site/"

// traceKeep asks for all that a record may keep.
var traceKeep = trace.Keep{Requests: true, Asked: []string{"ncpus", "nodect", "mem"}}

func text(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(recorded + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Each form in which flux account prints a list tells the same.
func TestForms(t *testing.T) {
	whole, err := file.OpenTree(recorded + "R2-m2.tgz")
	if err != nil {
		t.Fatal(err)
	}
	want, err := Find(whole)
	if err != nil {
		t.Fatal(err)
	}
	accounts := want.Accounts(nil)
	if len(accounts.Associations) != 13 || len(accounts.Banks) != 8 || !accounts.HasPriority || accounts.Banks[3].Priority != 20 {
		t.Fatalf("%+v", accounts)
	}
	for _, c := range []struct {
		kind  Kind
		names []string
		get   func(d *Dump) any
	}{
		{KindUsers, []string{"forms/list_users.txt", "csv/association_table.csv"}, func(d *Dump) any { return d.Accounts(nil).Associations }},
		{KindBanks, []string{"forms/list_banks.txt", "csv/bank_table.csv"}, func(d *Dump) any { return d.Accounts(nil).Banks }},
		{KindQueues, []string{"forms/list_queues.txt", "csv/queue_table.csv"}, func(d *Dump) any { return d.Queues() }},
		{KindFactors, []string{"forms/list_factors.txt", "csv/priority_factor_weight_table.csv"}, func(d *Dump) any { w, _ := d.Weights(); return w }},
	} {
		for _, name := range c.names {
			d := &Dump{Name: name}
			if d.Set(name, text(t, name)); d.Parts[0].Kind != c.kind {
				t.Errorf("%s is of kind %d, want %d", name, d.Parts[0].Kind, c.kind)
			}
			if got, want := fmt.Sprint(c.get(d)), fmt.Sprint(c.get(want)); got != want {
				t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
			}
		}
	}
	for _, name := range []string{"forms/view_bank_tree.txt", "forms/view_bank_tree_parsable.txt", "forms/bank_info.txt"} {
		d := &Dump{Name: name}
		d.Set(name, text(t, name))
		a := d.Accounts(nil)
		parents := 0
		for _, b := range a.Banks {
			for _, o := range accounts.Banks {
				if o.Name == b.Name && o.Parent == b.Parent && o.Shares == b.Shares {
					parents++
				}
			}
		}
		if len(a.Associations) != 13 || parents != 8 || a.TellsActive != (name != "forms/bank_info.txt") {
			t.Errorf("%s: %d users, %d of 8 banks, %v", name, len(a.Associations), parents, a.TellsActive)
		}
	}
	d := &Dump{Name: "export"}
	d.Set("export.json", text(t, "forms/export.json"))
	a := d.Accounts(map[string]string{"5001": "ana"})
	if a.HasShares || !a.HasPriority || len(a.Associations) != 13 || a.Associations[0].User != "ana" || a.Associations[0].Fairshare != 0.833333 || len(d.Queues()) != 4 {
		t.Errorf("%+v %v", a, d.Queues())
	}
}

// Each file is told by what is in it, and what is not flux's is not taken for something of it.
func TestKinds(t *testing.T) {
	for name, want := range map[string]Kind{
		"forms/jobs_pending.json": KindJobs, "hold/hold_jobs.json": KindJobs, "hold/hold_tree.json": KindShares, "forms/export_fairshare.json": KindShares,
		"forms/export.json": KindExport, "csv/config_table.csv": KindConfigs, "forms/bank_info.txt": KindBankInfo, "forms/now.txt": KindUnknown,
	} {
		if got := KindOf(text(t, name)); got != want {
			t.Errorf("%s is of kind %d, want %d", name, got, want)
		}
	}
	for text, want := range map[string]Kind{
		`{"jobs": []}`: KindJobs, `{"id": 7, "username": "a", "urgency": 16}`: KindJobs, "SQLite format 3\x00...": KindDatabase, `[{"id": 7, "username": "a", "urgency": 16}]`: KindJobs,
		`{"jobs": [{"job_id": 7, "job_state": "PENDING"}]}`: KindUnknown, `{"Jobs": {}}`: KindUnknown, "": KindUnknown, "[": KindUnknown, "a,b\n": KindUnknown,
		"Module                   Idle  S Sendq Recvq Service\njob-manager  idle R 0 0\nsched-simple idle R 0 0 sched\n": KindModules,
	} {
		if got := KindOf(text); got != want {
			t.Errorf("%q is of kind %d, want %d", text, got, want)
		}
	}
	others, _ := filepath.Glob("../../../../testdata/*/*")
	for _, name := range others {
		if b, err := os.ReadFile(name); err == nil && filepath.Base(filepath.Dir(name)) != "flux-site" {
			if k := KindOf(string(b)); k != KindUnknown && k != KindShares {
				t.Errorf("%s is taken for %s", name, words[k])
			}
		}
	}
}

// FuzzLists reads any text as each list, and makes sure that it is read or refused.
func FuzzLists(f *testing.F) {
	for _, name := range []string{"forms/list_users.txt", "csv/association_table.csv", "forms/view_bank_tree.txt", "forms/view_bank_tree_parsable.txt", "forms/bank_info.txt", "forms/export.json", "hold/hold_jobs.json", "forms/list_queues.txt"} {
		f.Add(text(f, name))
	}
	f.Add("bank|username|active|rawshares\n|||\n   a|b|c|d|e")
	f.Add("[{\"username\": 1, \"bank\": [], \"shares\": 1e999}]")
	f.Fuzz(func(t *testing.T, text string) {
		for k := range words {
			d := &Dump{Name: "fuzz", Parts: []Part{{Kind: k, Text: text}}}
			for _, a := range d.Accounts(nil).Associations {
				if !(a.Shares >= 0 && a.Usage >= 0) {
					t.Fatalf("%+v", a)
				}
			}
			d.Queues()
			d.Weights()
			d.IsUnderFluxion()
			if jobs, _, err := d.Jobs(); err == nil {
				for i := range jobs {
					entryOf(&jobs[i], traceKeep)
				}
			}
		}
		KindOf(text)
	})
}
