package obfuscate

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/dump/dumptest"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/cmd/internal/workshop"
)

// An obfuscated site gives the same order and priorities, and has none of the names.
func TestObfuscated(t *testing.T) {
	for moment := range dumptest.Moments {
		t.Run(moment, func(t *testing.T) {
			d, err := dump.Open(filepath.Join("../../../../testdata/slurm-site", moment+".tgz"))
			if err != nil {
				t.Fatal(err)
			}
			hidden, err := Copy(d, obfuscate.Shift{})
			if err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(t.TempDir(), "hidden.tgz")
			if err := hidden.Write(out); err != nil {
				t.Fatal(err)
			}
			s, err := order.Open(out)
			if err != nil {
				t.Fatal(err)
			}
			plain, err := order.Open(dumptest.Sites + moment + ".tgz")
			if err != nil {
				t.Fatal(err)
			}
			if got, want := strings.Join(placed(s), "\n"), strings.Join(placed(plain), "\n"); got != want {
				t.Errorf("\n%s\nwant\n%s", got, want)
			}
			names := []string{"matlab", "a100", "v100", "localhost", "course", "chemres", "maint1", "hpc", "home"}
			for i := range plain.Tree.Len() {
				if name := plain.Tree.At(i).Name; name != "root" {
					names = append(names, name)
				}
			}
			for name := range plain.Conf.Partitions {
				names = append(names, name)
			}
			for name := range plain.QOS {
				names = append(names, name)
			}
			for _, list := range []string{"c[01-06]", "h[01-02]", "f[01-02]", "g[01-02]"} {
				hosts, err := slurm.Hostlist(list)
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, hosts...)
			}
			for _, p := range hidden.Parts {
				file, text := p.File(), p.Text
				lower := strings.ToLower(text)
				for _, name := range names {
					if !strings.Contains(lower, strings.ToLower(name)) {
						continue // as a pattern would find
					}
					if at := regexp.MustCompile(`(?i)(^|[^A-Za-z0-9/])` + regexp.QuoteMeta(name) + `($|[^A-Za-z0-9=])`).FindStringIndex(text); at != nil && name != "gpu" {
						t.Errorf("%s has %s: %s", file, name, text[max(0, at[0]-30):min(len(text), at[1]+30)])
					}
				}
			}
		})
	}
}

// What is nearer to the true time than to the moved one is refused, but for numbers that are known to be none: usage, priorities
// and memory. Files are called as a live site has them, or by numbers.
func TestMovedSite(t *testing.T) {
	d, err := dump.Open(dumptest.Sites + "t2_busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	d.Set("alice-2026.txt", "Account|User|RawShares|RawUsage\nroot||1|1799999999\n")
	d.Set("of/squeue.txt", "JOBID|ST|PARTITION|PRIORITY|SUBMIT_TIME\n7|PD|main|1799999999|1799999999\n")
	d.Set("by/squeue.txt", "JOBID|ST|PARTITION|PRIORITY|SUBMIT_TIME\n8|PD|main|1799999999|2026-03-02T08:00:00\n")
	shift := obfuscate.Shift{Weeks: -300, Numbers: 5}
	hidden, err := Copy(d, shift)
	if err != nil {
		t.Fatal(err)
	}
	added := 0
	for _, p := range hidden.Parts {
		if strings.Contains(p.File(), "alice") {
			t.Error(p.File())
		}
		if p.Kind == dump.KindQueue && strings.Contains(p.Text, "1799999999") {
			added++
		}
	}
	if added != 2 {
		t.Errorf("%d of 2 lists of one name", added)
	}
	d.Set("lic.txt", "LicenseName=a\n    Total=1788888888 Used=0 Free=1 Reserved=0 Remote=no\n") // where no number is as large
	if _, err := Copy(d, shift); err == nil || !strings.Contains(err.Error(), "1788888888 in ") {
		t.Error(err)
	}
}

// An obfuscated site is replayed as the site itself: each job starts at the same time on the same node.
// Names of people, nodes, features and reservations are in none of its files.
func TestObfuscatedReplay(t *testing.T) {
	runs, err := filepath.Glob("../../../../testdata/slurm-replay/*")
	if err != nil || len(runs) < 9 {
		t.Fatalf("%v %v", runs, err)
	}
	for i, dir := range runs {
		if i%3 != 1 && !workshop.TestsAll() {
			continue
		}
		t.Run(filepath.Base(dir), func(t *testing.T) {
			d, err := dump.Open(filepath.Join(dir, "site.tgz"))
			if err != nil {
				t.Fatal(err)
			}
			text, err := file.At(filepath.Join(dir, "sacct.json.gz")).Text(1 << 30) // where the text has rows that cannot be read
			if err != nil {
				text, err = file.At(filepath.Join(dir, "sacct.txt.gz")).Text(1 << 30)
			}
			if err != nil {
				t.Fatal(err)
			}
			d.Set("sacct.txt", text)
			hidden, err := Copy(d, obfuscate.Shift{})
			if err != nil {
				t.Fatal(err)
			}
			replayed := func(d *dump.Dump) (starts, users []string) {
				at := filepath.Join(t.TempDir(), "site")
				if err := d.Write(at); err != nil {
					t.Fatal(err)
				}
				setup, remarks, err := setup.Open(at)
				if err != nil {
					t.Fatal(err)
				}
				record, err := record.Read(setup, []file.Source{file.At(filepath.Join(at, "sacct.txt"))}, time.UTC)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range append(remarks, record.Remarks...) {
					_, said, _ := strings.Cut(r.Text, ": ")
					starts = append(starts, said)
				}
				result, err := sched.Run(context.Background(), setup, record.Work(), sched.Options{Swept: record.Swept})
				if err != nil {
					t.Fatal(err)
				}
				for i, j := range result.Jobs {
					x := record.Jobs[i]
					users = append(users, x.User)
					starts = append(starts, fmt.Sprint(x.ID, " ", x.Start, " ", x.End, " ", j.Start, " ", j.End, " ", j.Shares, " ", j.IsBackfilled))
				}
				return starts, users
			}
			want, users := replayed(d)
			if got, _ := replayed(hidden); strings.Join(got, "\n") != strings.Join(want, "\n") {
				for i := range min(len(got), len(want)) {
					if got[i] != want[i] {
						t.Fatalf("%s, want %s", got[i], want[i])
					}
				}
				t.Fatalf("%d lines, want %d", len(got), len(want))
			}
			names := append([]string{"a100", "amd", "intel", "n01", "g01", "physics", "genomics", "main", "hpc", "sleep", "wrap"}, users...)
			slices.Sort(names)
			names = slices.Compact(names)
			for _, p := range hidden.Parts {
				member, text := p.File(), p.Text
				for _, name := range names {
					if !strings.Contains(text, name) {
						continue // as a pattern would find
					}
					if at := regexp.MustCompile(`(^|[^A-Za-z0-9])` + regexp.QuoteMeta(name) + `($|[^A-Za-z0-9])`).FindStringIndex(text); at != nil && name != "root" {
						t.Errorf("%s has %s: %s", member, name, text[max(0, at[0]-30):min(len(text), at[1]+30)])
					}
				}
			}
		})
	}
}

// placed says where each job stands, and why.
func placed(s *order.Site) []string {
	var list []string
	for _, r := range s.Rows() {
		list = append(list, fmt.Sprint(r.Rank, " ", r.Job.ID, " ", r.Value, " ", r.Priority, " ", r.Tier, " ", r.Weighted.Fairshare, " ", r.Weighted.JobSize, " ", len(r.Weighted.TRES), " ", r.Difference()))
	}
	return list
}

// TestPlacementKept asks a copy for what of nodes, partitions and the configuration decides what runs where.
func TestPlacementKept(t *testing.T) {
	d := dumptest.Of(t, "t2_busy", slices.Clone(dumptest.Needed)...)
	for name, change := range map[string][2]string{
		"scontrol-show-node.txt":      {"RealMemory=", "MemSpecLimit=4321 CoreSpecCount=3 RealMemory="},
		"scontrol-show-partition.txt": {"TotalNodes=", "MaxMemPerCPU=4444 TotalNodes="},
		"scontrol-show-config.txt":    {"SLURM_VERSION ", "MaxMemPerCPU            = 4555\nSLURM_VERSION "},
	} {
		dumptest.Edit(t, d, name, change[0], change[1])
	}
	hidden, err := Copy(d, obfuscate.Shift{})
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, p := range hidden.Parts {
		all.WriteString(p.Text)
	}
	for _, want := range []string{"MemSpecLimit=4321", "CoreSpecCount=3", "MaxMemPerCPU=4444", "4555", "22.05.8", "MinCPUsNode="} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("the copy has no %s", want)
		}
	}
}
