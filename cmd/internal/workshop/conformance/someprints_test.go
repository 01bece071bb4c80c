package conformance

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// A user has some of the prints of a site, whichever these are: each command answers of a job that runs and of one that waits by what there
// is, or says what is missing.
func TestSomePrints(t *testing.T) {
	runs, waits := regexp.MustCompile(`JobId=(\d+)(?: .*)?\n(?: .*\n)*? +JobState=RUNNING`), regexp.MustCompile(`JobId=(\d+)(?: .*)?\n(?: .*\n)*? +JobState=PENDING`)
	runsPBS, waitsPBS := regexp.MustCompile(`"(\d+)[^"]*": ?\{(?:[^{}]|\n)*?"job_state": ?"R"`), regexp.MustCompile(`"(\d+)[^"]*": ?\{(?:[^{}]|\n)*?"job_state": ?"Q"`)
	for _, pattern := range []string{"slurm-site/*.tgz", "slurm-now/*.tgz", "moments/*.tgz"} {
		for _, from := range matching(t, pattern) {
			t.Run(path.Base(from), func(t *testing.T) {
				t.Parallel()
				whole := members(t, from)
				var all string
				for _, name := range slices.Sorted(maps.Keys(whole)) {
					if strings.Contains(name, "job") {
						all += whole[name] + "\n"
					}
				}
				var jobs []string
				for _, found := range []*regexp.Regexp{runs, waits, runsPBS, waitsPBS} {
					if m := found.FindStringSubmatch(all); m != nil {
						jobs = append(jobs, m[1])
					}
				}
				if len(jobs) != 2 {
					t.Fatalf("of jobs, %v", jobs)
				}
				r := rand.New(rand.NewPCG(1, 2))
				rounds := 6
				if workshop.TestsAll() {
					rounds = 40
				}
				for round := range rounds {
					some := map[string]string{}
					for _, name := range slices.Sorted(maps.Keys(whole)) {
						if r.IntN(3) == 0 || strings.Contains(name, "job") && r.IntN(2) == 0 {
							some[path.Base(name)] = whole[name]
						}
					}
					if len(some) == 0 {
						continue
					}
					dir := write(t, fmt.Sprintf("some/%s/%d", path.Base(from), round), some)
					for _, args := range [][]string{
						{"explain", jobs[0], dir}, {"explain", jobs[1], dir}, {"explain", jobs[0], dir, "--vs", jobs[1]}, {"explain", jobs[1], dir, "--vs", "ahead"},
						{"sort", dir}, {"sort", dir, "--now"}, {"check", dir}, {"nodes", dir}, {"nodes", dir, jobs[1]}, {"when", jobs[1], dir, "--runs", "1"},
					} {
						a := ask(args...)
						if a.out == "" && a.said == "" || a.code > 4 {
							t.Errorf("formula %s of %v: exit %d, %q, %q", strings.Join(args, " "), slices.Sorted(maps.Keys(some)), a.code, a.out, a.said)
						}
					}
				}
			})
		}
	}
}
