package conformance

import (
	"fmt"
	"hash/fnv"
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
// is, or says what is missing. Of each two prints of a site some user has both, some one without the other, and some neither. No two sites
// have the same choices, so that those of the same prints have many of three and more.
func TestSomePrints(t *testing.T) {
	runs, waits := regexp.MustCompile(`JobId=(\d+)(?: .*)?\n(?: .*\n)*? +JobState=RUNNING`), regexp.MustCompile(`JobId=(\d+)(?: .*)?\n(?: .*\n)*? +JobState=PENDING`)
	runsPBS, waitsPBS := regexp.MustCompile(`"(\d+)[^"]*": ?\{(?:[^{}]|\n)*?"job_state": ?"R"`), regexp.MustCompile(`"(\d+)[^"]*": ?\{(?:[^{}]|\n)*?"job_state": ?"Q"`)
	for pattern, times := range map[string]int{"slurm-site/*.tgz": 1, "slurm-now/*.tgz": 1, "moments/*.tgz": 3} { // the last is one site alone
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
				seed := fnv.New64()
				seed.Write([]byte(from))
				r := rand.New(rand.NewPCG(1, seed.Sum64()))
				var choices [][]string
				for range times {
					choices = append(choices, choicesOf(r, slices.Sorted(maps.Keys(whole)))...)
				}
				if !workshop.TestsAll() {
					choices = choices[:2]
				}
				for round, choice := range choices {
					some := map[string]string{}
					for _, name := range choice {
						some[path.Base(name)] = whole[name]
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

// choicesOf returns choices of some names, a third of them or so and more of those of jobs: of each two names, some choice has both, some
// one without the other, and some neither. Each is the best of some random ones.
func choicesOf(r *rand.Rand, names []string) (choices [][]string) {
	type pair struct{ one, other string }
	of := func(name string, isIn bool) string { return fmt.Sprint(name, " ", isIn) }
	isSeen := map[pair]bool{}
	all := 2 * len(names) * (len(names) - 1)
	for len(isSeen) < all {
		var best []string
		var seen []pair
		for range 30 {
			isIn := map[string]bool{}
			for _, name := range names {
				isIn[name] = r.IntN(3) == 0 || strings.Contains(name, "job") && r.IntN(2) == 0
			}
			var fresh []pair
			for i, one := range names {
				for _, other := range names[:i] {
					if p := (pair{of(one, isIn[one]), of(other, isIn[other])}); !isSeen[p] {
						fresh = append(fresh, p)
					}
				}
			}
			if some := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !isIn[name] }); len(fresh) > len(seen) && len(some) > 0 {
				best, seen = some, fresh
			}
		}
		if best == nil {
			continue
		}
		for _, p := range seen {
			isSeen[p] = true
		}
		choices = append(choices, best)
	}
	return choices
}
