package dump

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/file"
)

// Lists of the jobs of two clusters are told apart by the users of the jobs that have the same numbers, of whatever kinds they are, and
// those of one cluster are not, also where names are cut off.
func TestStrangers(t *testing.T) {
	users := [2][]string{{"eva", "ben", "mathilda.long", "dan"}, {"ivan", "gina", "alice", "dan"}}
	list := func(kind Kind, cluster int) Part {
		text := map[Kind]string{
			KindJobs: "", KindPriorities: "          JOBID PARTITION     USER   PRIORITY        AGE\n",
			KindQueue: "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n",
		}[kind]
		for i, user := range users[cluster] {
			switch kind {
			case KindJobs:
				text += fmt.Sprintf("JobId=%d JobName=a\n   UserId=%s(600%d) GroupId=g(1) MCS_label=N/A\n   Priority=1\n\n", 100+i, user, i)
			case KindQueue:
				text += fmt.Sprintf("%18d %9s %8s %8.8s %2s %10s %6d %s\n", 100+i, "main", "a", user, "PD", "0:00", 1, "(Priority)")
			default:
				text += fmt.Sprintf("%15d %-9s %8.8s %10d %10d\n", 100+i, "main", user, 7, 7)
			}
		}
		return Part{Source: file.Source{Name: fmt.Sprint(kind, cluster)}, Kind: kind, Text: text}
	}
	kinds := []Kind{KindJobs, KindQueue, KindPriorities}
	for _, first := range kinds {
		for _, second := range kinds {
			if err := (&Dump{Parts: []Part{list(first, 0), list(second, 0)}}).findStrangers(); err != nil {
				t.Errorf("%v and %v of one cluster: %v", first, second, err)
			}
			of := []Part{list(first, 0), list(second, 1)}
			var strangers *StrangersError
			if err := (&Dump{Parts: of}).findStrangers(); !errors.As(err, &strangers) || len(strangers.Jobs) != 3 {
				t.Errorf("%v and %v of two clusters: %v", first, second, err)
			}
			slices.Reverse(of)
			if err := (&Dump{Parts: of}).findStrangers(); err == nil {
				t.Errorf("%v and %v of two clusters are not told apart", second, first)
			}
		}
		both := list(first, 0)
		both.Text += list(first, 1).Text
		if err := (&Dump{Parts: []Part{both}}).findStrangers(); err == nil || !strings.Contains(err.Error(), "several prints") {
			t.Errorf("%v of two clusters in one file: %v", first, err)
		}
	}
}
