package conformance

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// Prints that were saved with the line ends of Windows are read as they are without: each command gives the same answer, whichever of the
// prints of a site has them, and all of them. (Files that the scheduler itself reads are none: it takes \r for a part of a word.)
func TestLineEnds(t *testing.T) {
	for from, job := range map[string]string{"moments/snapshot_20260302_14_45_00.tgz": "142", "slurm-site/t2_busy.tgz": "106", "slurm-now/24.11-morning.tgz": "52"} {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			whole := map[string]string{}
			for name, text := range members(t, matching(t, from)[0]) {
				base := path.Base(name)
				if strings.HasSuffix(base, ".out") {
					base = "as-" + base // known by what is in it alone
				}
				if path.Base(path.Dir(name)) != "accounting" && (whole[base] == "" || strings.Contains(name, "root/")) {
					whole[base] = strings.ReplaceAll(text, "\r\n", "\n")
				}
			}
			asked := func(files map[string]string) (all []answer) {
				dir := write(t, "ends/"+path.Base(from)+"/site", files)
				for _, args := range [][]string{{"explain", job, dir}, {"sort", dir}, {"nodes", dir}, {"when", job, dir, "--runs", "1"}} {
					a := ask(append(args, "--tz", "UTC", "--at", "2026-03-02T14:45:00Z")...)
					all = append(all, answer{code: a.code, out: a.out, said: a.said})
				}
				return all
			}
			want := asked(whole)
			names := append(slices.Sorted(maps.Keys(whole)), "")
			for i, name := range names {
				if name != "" && !workshop.Among(i, 1) {
					continue
				}
				files := maps.Clone(whole)
				for other, text := range files {
					if isPrint := strings.HasSuffix(other, ".out") || strings.HasSuffix(other, ".txt"); isPrint && (name == "" || other == name) {
						files[other] = strings.ReplaceAll(text, "\n", "\r\n")
					}
				}
				for i, a := range asked(files) {
					if a.code != want[i].code || a.out != want[i].out || a.said != want[i].said {
						t.Errorf("%q with the line ends of Windows: %+v, else %+v", name, a, want[i])
					}
				}
			}
		})
	}
}
