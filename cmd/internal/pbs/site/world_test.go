package site_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/file"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/pbs/snapshot"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/trace"
)

const rstat = `Resv ID: R900.pbsref
reserve_state = RESV_CONFIRMED
reserve_start = 1772500000
reserve_end = 1772510000
queue = R900
resv_nodes = (n01:ncpus=16)
ctime = 1772400000
`

// What happens beside the jobs is found in all forms in which a site and its logs are named.
func TestWorldForms(t *testing.T) {
	dir := t.TempDir()
	copied := func(from, to string) {
		t.Helper()
		if err := os.CopyFS(filepath.Join(dir, to), os.DirFS(filepath.Join("../../../../testdata/replay/V4/snapshot", from))); err != nil {
			t.Fatal(err)
		}
	}
	written := func(name string, days int) string {
		t.Helper()
		names := site.Names{Snapshot: filepath.Join(dir, "whole")}
		p, _, err := pbssite.Find(t.Context(), names, stdin(""))
		if err != nil {
			t.Fatal(err)
		}
		snap, remarks, err := p.Collect(names, days)
		if err != nil || len(remarks) > 0 {
			t.Fatal(err, remarks)
		}
		name = filepath.Join(dir, name)
		if err := snap.Write(name); err != nil {
			t.Fatal(err)
		}
		return name
	}
	copied(".", "whole")
	if err := os.MkdirAll(filepath.Join(dir, "whole/reservation"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "whole/reservation/pbs_rstat_f.out"), []byte(rstat), 0o600); err != nil {
		t.Fatal(err)
	}
	copied("server_priv", "home/server_priv")
	copied("server_logs", "home/server_logs")
	copied("server_priv/accounting", "logs")
	accounting := filepath.Join(dir, "home/server_priv/accounting")
	day, err := filepath.Glob(accounting + "/*")
	if err != nil || len(day) == 0 {
		t.Fatal(err)
	}
	const events, reservations = 27, 1 // as grep counts them in the log
	for _, test := range []struct {
		name         string
		logs         []string
		beside       string // a place
		events       int
		reservations int
	}{
		{"folder", []string{filepath.Join(dir, "whole")}, "", events, reservations},
		{"folder in a folder", []string{dir + "/inner"}, "", events, reservations},
		{"archive", []string{written("packed.tgz", 0)}, "", events, reservations},
		{"as collected", []string{written("again", 1)}, "", events, reservations},
		{"PBS_HOME's logs", []string{accounting}, "", events, 0},
		{"one of them", []string{day[0]}, "", events, 0},
		{"logs alone", []string{filepath.Join(dir, "logs")}, "", 0, 0},
		{"a site and its logs", []string{filepath.Join(dir, "without.tgz"), filepath.Join(dir, "logs")}, "", events, reservations},
		{"a place and its logs", []string{filepath.Join(dir, "logs")}, filepath.Join(dir, "without.tgz"), events, reservations},
	} {
		t.Run(test.name, func(t *testing.T) {
			switch test.name {
			case "folder in a folder":
				if err := os.CopyFS(filepath.Join(dir, "inner/snapshot_1"), os.DirFS(filepath.Join(dir, "whole"))); err != nil {
					t.Fatal(err)
				}
			case "a site and its logs":
				snap, err := snapshot.Open(filepath.Join(dir, "whole"))
				if err != nil {
					t.Fatal(err)
				}
				server, err := snapshot.VnodeLogs(snap.Tree())
				if err != nil {
					t.Fatal(err)
				}
				snap.KeepLogs(nil, server)
				if err := snap.Write(test.logs[0]); err != nil {
					t.Fatal(err)
				}
			}
			logs, _, err := pbssite.FindLogs(test.logs, "UTC", stdin(""))
			if err != nil {
				t.Fatal(err)
			}
			if test.beside != "" {
				p, _, err := pbssite.Find(t.Context(), site.Names{Argument: test.beside}, stdin(""))
				if err != nil {
					t.Fatal(err)
				}
				logs.Beside(p)
			}
			recorded, _, err := logs.Read(trace.Keep{})
			if err != nil || len(recorded.Jobs) == 0 {
				t.Fatal(err)
			}
			w, remarks, err := logs.World(recorded, file.Source{})
			if err != nil || len(remarks) > 0 {
				t.Fatal(err, remarks)
			}
			all, _, err := logs.Reservations(recorded, 0)
			if err != nil || len(w.Vnodes) != test.events || len(all) != test.reservations || w.HasVnodes != (test.events > 0) {
				t.Errorf("%d changes of vnodes and %d reservations (%v)", len(w.Vnodes), len(all), err)
			}
			again, _, err := logs.Reservations(nil, 0)
			if diff := cmp.Diff(again, all); diff != "" || err != nil {
				t.Errorf("the logs tell of others when they are read in any case: %v %s", err, diff)
			}
		})
	}
}
