package conformance

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// Where nothing tells the priorities of queues, which the formula has, no place is told as known that these could make another: with what
// qstat -Qf prints each job is between the places that sort and explain tell without it, and of two jobs the one goes first that does.
func TestUntoldQueues(t *testing.T) {
	t.Parallel()
	formulas := []string{
		"queue_priority + 0.01*ncpus + eligible_time/3600",
		"queue_priority*ncpus + eligible_time",
		"ncpus - pow(queue_priority, 2)",
		"(queue_priority > 20)*1000 + walltime/3600",
	}
	said := regexp.MustCompile(`(?m)^ *job_sort_formula = .*\n`)
	type row struct {
		ID, Queue        string
		Rank, From, To   *int
		IsUnsure, Placed bool
	}
	read := func(t *testing.T, text string) (rows []row) {
		var list []struct {
			ID, Queue  string
			Rank       *int
			RankFrom   *int `json:"rank_from"`
			RankTo     *int `json:"rank_to"`
			RankUnsure bool `json:"rank_unsure"`
			Considered bool
		}
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			t.Fatal(err)
		}
		for _, of := range list {
			rows = append(rows, row{of.ID, of.Queue, of.Rank, of.RankFrom, of.RankTo, of.RankUnsure, of.Considered})
		}
		return rows
	}
	narrow, pairs, undecided := 0, 0, 0
	step := 8
	if workshop.TestsAll() {
		step = 2
	}
	for i, p := range momentsOfPBS(t, step) {
		files := filesBelow(t, p.dir)
		f := formulas[i%len(formulas)]
		text, hasServer := files["server/qstat_Bf.out"]
		if !hasServer || files["server/qstat_Qf.out"] == "" {
			continue
		}
		maps.DeleteFunc(files, func(name, _ string) bool {
			return !slices.Contains([]string{"job", "node", "server"}, filepath.Dir(name)) && name != "ctime" || strings.Contains(name, "qmgr")
		})
		first, rest, _ := strings.Cut(said.ReplaceAllString(text, ""), "\n")
		files["server/qstat_Bf.out"] = first + "\n    job_sort_formula = " + f + "\n" + rest
		whole := write(t, "queues/"+p.name, files)
		for name := range files {
			if strings.Contains(name, "qstat_Q") {
				delete(files, name)
			}
		}
		part := write(t, "noqueues/"+p.name, files)

		maps.DeleteFunc(files, func(name, _ string) bool { return filepath.Dir(name) != "job" && name != "ctime" })
		alone := write(t, "jobsalone/"+p.name, files)

		with := ask("sort", whole, "-o", "json")
		if with.code != 0 {
			t.Fatalf("%s: exit %d: %s", p.name, with.code, with.said)
		}
		ranks := map[string]int{}
		for _, of := range read(t, with.out) {
			if of.Rank != nil {
				ranks[of.ID] = *of.Rank
			}
		}
		var asked []row
		for _, of := range [][]string{{alone, "-f", f}, {part}} { // the formula is given, or the server's
			without := ask(append([]string{"sort", "-o", "json"}, of...)...)
			if without.code > 1 {
				t.Fatalf("%s: exit %d: %s", p.name, without.code, without.said)
			}
			asked = nil
			for _, of := range read(t, without.out) {
				rank, isRanked := ranks[of.ID]
				switch {
				case !of.Placed || !isRanked: // such as in a queue that is stopped, as qstat -Qf tells
				case of.Rank != nil && !of.IsUnsure && len(ranks) > 1:
					t.Errorf("%s, %s: %s is number %d, as if the priorities of queues were known", p.name, f, of.ID, *of.Rank)
				case of.From == nil:
				case rank < *of.From || rank > *of.To:
					t.Errorf("%s, %s: %s is number %d with the queues, and %d to %d without", p.name, f, of.ID, rank, *of.From, *of.To)
				case *of.To-*of.From < len(ranks)-1:
					narrow++
				}
				if isRanked && len(asked) < 6 {
					asked = append(asked, of)
				}
			}
		}
		for a := range asked {
			var of struct {
				From *int `json:"rank_from"`
				To   *int `json:"rank_to"`
			}
			if text := ask("explain", asked[a].ID, part, "-o", "json"); json.Unmarshal([]byte(text.out), &of) != nil || asked[a].From != nil && (of.From == nil || *of.From != *asked[a].From || *of.To != *asked[a].To) {
				t.Errorf("%s: %s in sort, and in explain: %s%s", p.name, asked[a].ID, text.out, text.said)
			}
			for b := range a {
				one, other := asked[a].ID, asked[b].ID
				var with, without struct{ First, Key, Why string }
				text, decided := ask("explain", one, whole, "--vs", other, "-o", "json"), ask("explain", one, part, "--vs", other, "-o", "json")
				if err := json.Unmarshal([]byte(text.out), &with); err != nil {
					t.Fatal(err)
				}
				if err := json.Unmarshal([]byte(decided.out), &without); err != nil {
					t.Fatal(err)
				}
				switch {
				case decided.code != 0:
					undecided++
				case without.Key == "formula" && ((ranks[one] < ranks[other]) != (without.First == one)):
					t.Errorf("%s, %s: %s with the queues, and without them: %s", p.name, f, with.Why, without.Why)
				default:
					pairs++
				}
			}
		}
	}
	if narrow < fewest(100, 20) || pairs < fewest(40, 8) || undecided < fewest(40, 8) {
		t.Errorf("%d jobs have a place within bounds, %d pairs are decided, and %d are not", narrow, pairs, undecided)
	}
}
