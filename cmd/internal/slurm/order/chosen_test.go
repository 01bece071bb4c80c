package order

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm/dump"
)

// Where sprio lists the jobs of one user or one job alone, each job has the place that it has without sprio, by the priorities
// of scontrol or as squeue lists it: more prints give no worse answer. sprio tells its terms.
func TestChosen(t *testing.T) {
	const multi = "205" // in 25.05-evening, of several QOS, each of which has a priority, and sprio alone tells them
	for _, site := range []string{"23.11-morning", "24.11-busy", "25.05-evening"} {
		text, err := dump.Open("../../../../testdata/slurm-now/" + site + ".tgz")
		if err != nil {
			t.Fatal(err)
		}
		other, _ := dump.Open("../../../../testdata/slurm-json/" + site + ".tgz")
		for name, list := range map[string]string{"jobs.txt": text.Text("scontrol-show-job.txt"), "squeue.txt": other.Text("squeue.txt")} {
			read := func(sprio []string) (places map[string]string, s *Site) {
				d := text.Empty()
				d.Set(name, list)
				if sprio != nil {
					d.Set("sprio.txt", strings.Join(sprio, ""))
				}
				s, err := New(d)
				if err != nil {
					t.Fatalf("%s, %s: %v", site, name, err)
				}
				places = map[string]string{}
				rows := slices.DeleteFunc(s.Rows(), func(r Row) bool {
					return r.Rank == 0 || site == "25.05-evening" && r.Job.ID == multi || len(r.Job.Partitions) > 1
				})
				for _, r := range rows {
					if r.Stored != nil && len(r.Stored.Terms) == 0 {
						t.Errorf("%s, %s: job %s has no terms", site, name, r.Job.ID)
					}
					behind := 0 // the place among those of its partition
					for _, x := range rows {
						if x.Rank >= r.Rank && x.Partition == r.Partition {
							behind++
						}
					}
					places[r.Job.ID] = fmt.Sprint(r.Partition, " ", behind, " from the end")
				}
				return places, s
			}
			want, _ := read(nil)
			lines := strings.SplitAfter(other.Text("sprio-l.txt"), "\n")
			parts := map[string][]string{}
			for _, line := range lines[1:] {
				if cells := strings.Fields(line); len(cells) > 3 {
					for _, of := range []string{"-u " + cells[2], "-j " + cells[0]} {
						parts[of] = append(parts[of], line)
					}
				}
			}
			for _, of := range slices.Sorted(maps.Keys(parts)) {
				got, s := read(append([]string{lines[0]}, parts[of]...))
				if !s.isChosen {
					t.Errorf("%s, %s, sprio -l %s: not seen to be of some jobs alone", site, name, of)
				}
				if !maps.Equal(got, want) {
					t.Errorf("%s, %s, sprio -l %s:\n%v\nnot\n%v", site, name, of, got, want)
				}
			}
			if _, s := read(lines); s.isChosen || s.isOfSome {
				t.Errorf("%s, %s: all of sprio is taken to be of some jobs", site, name)
			}
		}
	}
}
