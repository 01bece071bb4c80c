package conformance

import (
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// ofEachJob are the attributes that PBS writes of each job that has come that far. Others it may not have.
var ofEachJob = []string{
	"Resource_List.ncpus", "Resource_List.nodect", "Resource_List.place", "Resource_List.select", "ctime", "end", "etime", "exec_host", "exec_vnode", "group", "qtime", "queue", "start", "user",
}

// A record whose lines of one type or of all types lack an attribute of each job gives the answer of the whole one, as
// other records of a job complete it, or a warning says what is lacking.
func TestRecordsThatTellLess(t *testing.T) {
	list, by := records(t)
	list = slices.DeleteFunc(slices.Clone(list), func(p place) bool { return !p.isPBS() })
	hold(t, list, 17, func(t testing.TB, p place, d *differences) {
		r := by[p.name]
		seed := fnv.New64()
		seed.Write([]byte(p.name))
		random := rand.New(rand.NewPCG(seed.Sum64(), 0))
		lines := strings.SplitAfter(r.text, "\n")
		tries := 2
		if workshop.TestsAll() {
			tries = 6
		}
		for range tries {
			name, kind := ofEachJob[random.IntN(len(ofEachJob))], []string{"", "Q", "S", "E"}[random.IntN(4)]
			less := without(lines, name, kind)
			for _, q := range readers[1:5] {
				whole, part := q.of(t, r, []string{"-"}), r
				part.text = less
				got := q.of(t, part, []string{"-"})
				isSaid := slices.ContainsFunc(strings.Split(got.said, "\n"), func(line string) bool {
					return (strings.Contains(line, "warning: ") || strings.Contains(line, "error: ")) && !strings.Contains(whole.said, line)
				})
				if whole.out != got.out && !isSaid {
					d.add("%s without %s in records %q: another answer, without a word", q.name, name, kind)
				}
			}
		}
	})
}

// without returns a log in which no record of a type, or for "" none of any, tells an attribute.
func without(lines []string, name, kind string) string {
	told := regexp.MustCompile(`(?:^| )` + regexp.QuoteMeta(name) + `=(?:"[^"]*"|\S*)`)
	var log strings.Builder
	for _, line := range lines {
		if parts := strings.SplitN(line, ";", 4); len(parts) == 4 && (kind == "" || kind == parts[1]) {
			line = strings.Join(parts[:3], ";") + ";" + told.ReplaceAllString(parts[3], "")
		}
		log.WriteString(line)
	}
	return log.String()
}
