package record

import (
	"fmt"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm/setup"
)

// What recorded jobs asked for, as their lines of sbatch and their columns tell, and what is said where neither does.
// The site has c01 to c06 of 16 CPUs, and h01 and h02 of 16 cores with two threads each.
func TestRequestOfRecord(t *testing.T) {
	setup, _, err := setup.Open("../../../../testdata/slurm-site/t5_end.tgz")
	if err != nil {
		t.Fatal(err)
	}
	const header = "JobID|User|Account|Partition|QOS|Submit|Start|End|Timelimit|ReqCPUS|ReqTRES|AllocTRES|NodeList|State|Constraints|SubmitLine\n"
	const byColumns, unread, together, named, whole = "by ReqCPUS, ReqNodes and ReqTRES alone", "in a way that cannot be read", "of their nodes together", "named nodes that they want (-w)", "with all CPUs of whole nodes"
	for _, test := range []struct{ cpus, asked, given, nodes, constraint, line, want, said string }{
		{"8", "cpu=8,mem=8G,node=1", "", "c01", "", "sbatch -n8 --mem-per-cpu=1G a.sh", "8 cpus of 1 to 0 nodes, 1024 MB each", ""},
		{"8", "cpu=8,mem=8G,node=1", "", "c01", "", "sbatch -N1 -n8 --mem=8G a.sh", "8 cpus of 1 to 1 nodes, 8192 MB", ""},
		{"8", "cpu=8,mem=16G,node=1", "", "c01", "", "sbatch -N1 -n8 --mem=8G a.sh", "8 cpus of 1 to 1 nodes, 16384 MB", byColumns}, // its script asks for more
		{"8", "cpu=8,mem=8G,node=1", "", "c01", "", "sbatch a.sh", "8 cpus of 1 to 1 nodes, 8192 MB", byColumns},
		{"8", "cpu=8,mem=8G,node=1", "", "h01", "", "sbatch -N1 -n8 --mem=8G --hint=nomultithread a.sh", "8 cpus of 1 to 1 nodes, 8192 MB, threads 1", ""},
		{"8", "cpu=8,mem=8G,node=1", "", "h01", "", "sbatch -N1 -n8 --mem=8G --threads-per-core=1 a.sh", "8 cpus of 1 to 1 nodes, 8192 MB, threads 1", ""},
		{"8", "cpu=8,mem=8G,node=1", "", "h01", "ht&fast", "sbatch -N1 -n8 --mem=8G a.sh", "8 cpus of 1 to 1 nodes, 8192 MB, ht&fast", ""},
		{"8", "cpu=8,mem=8G,node=1", "", "h01", "", "sbatch -N1 -n8 --mem=8G -C ht a.sh", "8 cpus of 1 to 1 nodes, 8192 MB, ht", ""},
		{"8", "cpu=8,mem=8G,node=1", "", "h01", "&", "sbatch -N1 -n8 --mem=8G a.sh", "8 cpus of 1 to 1 nodes, 8192 MB", unread},
		{"8", "cpu=8,mem=8G,node=2", "", "h[01-02]", "[ht&ib]", "sbatch -N2 -n8 --mem=4G a.sh", "8 cpus of 2 to 2 nodes, 4096 MB, ht&ib", together},
		{"8", "cpu=8,mem=8G,node=1", "", "c01", "", "sbatch -N1 -n8 --mem=8G -w c01 a.sh", "8 cpus of 1 to 1 nodes, 8192 MB, on c01", ""},
		{"20", "cpu=20,mem=8G,node=2", "", "c[01-02]", "", "sbatch -N2 -n20 --mem=4G --nodelist=c0[1-2] a.sh", "20 cpus of 2 to 2 nodes, 4096 MB, on c01 c02", ""},
		{"8", "cpu=8,mem=8G,node=1", "", "c01", "", "sbatch -N1 -n8 --mem=8G -w c99 a.sh", "8 cpus of 1 to 1 nodes, 8192 MB, on all", named},
		{"8", "cpu=8,mem=8G,node=1", "", "c01", "", "sbatch -N1 -n8 --mem=8G -x c0[1-5],c99 a.sh", "8 cpus of 1 to 1 nodes, 8192 MB, not on c01 c02 c03 c04 c05", ""},
		{"8", "cpu=8,mem=8G,node=1", "cpu=16,mem=8G,node=1", "c01", "", "sbatch -N1 -n8 --mem=8G a.sh", "8 cpus of 1 to 1 nodes, 8192 MB, whole", whole},
		{"15", "cpu=15,mem=8G,node=1", "cpu=16,mem=8G,node=1", "h01", "", "sbatch -N1 -n15 --mem=8G a.sh", "15 cpus of 1 to 1 nodes, 8192 MB", ""},
		{"31", "cpu=31,mem=8G,node=1", "cpu=32,mem=8G,node=1", "h01", "", "sbatch -N1 -n31 --mem=8G a.sh", "31 cpus of 1 to 1 nodes, 8192 MB", ""}, // its cores are all there are
		{"8", "cpu=8,mem=8G,node=1", "cpu=16,mem=8G,node=1", "x01", "", "sbatch -N1 -n8 --mem=8G a.sh", "8 cpus of 1 to 1 nodes, 8192 MB", ""},
	} {
		record := recordOf(t, setup, header+strings.Join([]string{"1|alice|hep|main|normal|2026-03-02T10:00:00|2026-03-02T11:00:00|2026-03-02T12:00:00|01:00:00", test.cpus, test.asked, test.given, test.nodes, "COMPLETED", test.constraint, test.line}, "|")+"\n")
		if len(record.Jobs) != 1 {
			t.Errorf("%s: %s", test.line, saidOf(record))
			continue
		}
		q := record.Jobs[0].Request
		got := fmt.Sprintf("%d cpus of %d to %d nodes, %d MB", q.CPUs, q.MinNodes, q.MaxNodes, q.NodeMemory+q.CPUMemory)
		if q.CPUMemory > 0 {
			got += " each"
		}
		if q.Threads > 0 {
			got += fmt.Sprint(", threads ", q.Threads)
		}
		if q.Features != nil {
			got += ", " + q.Features.String()
		}
		if q.Exclusive {
			got += ", whole"
		}
		if q.On != nil {
			var on, off []string
			for i, n := range setup.Nodes {
				if q.On.Has(i) {
					on = append(on, n.Name)
				} else {
					off = append(off, n.Name)
				}
			}
			switch {
			case off == nil:
				got += ", on all"
			case len(on) < len(off):
				got += ", on " + strings.Join(on, " ")
			default:
				got += ", not on " + strings.Join(off, " ")
			}
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.line, got, test.want)
		}
		said := saidOf(record)
		for _, what := range []string{byColumns, unread, together, named, whole} {
			if strings.Contains(said, what) != (what == test.said) {
				t.Errorf("%s: said %s, want %q", test.line, said, test.said)
			}
		}
	}
}
