package conformance

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// What is said of two jobs without the fairshare tree, of which an ordinary user has no copy, is what is said with it.
func TestUndecided(t *testing.T) {
	t.Parallel()
	formulas := []string{
		"1000*fairshare_factor + eligible_time/60",
		"eligible_time*fairshare_perc + ncpus",
		"2000*ncpus - fairshare_tree_usage",
		"pow(2, -(fairshare_tree_usage/fairshare_perc))*(ncpus + eligible_time/3600) - walltime/7200",
	}
	said := regexp.MustCompile(`(?m)^ *job_sort_formula = .*\n`)
	decided, told := 0, map[bool]int{}
	step := 6
	if workshop.TestsAll() {
		step = 2
	}
	for i, p := range momentsOfPBS(t, step) {
		files := filesBelow(t, p.dir)
		f := formulas[i%len(formulas)]
		text, hasServer := files["server/qstat_Bf.out"]
		config, err := os.ReadFile(filepath.Join(p.dir, "sched_priv", "sched_config"))
		if !hasServer || err != nil || regexp.MustCompile(`(?m)^fairshare_entity:\s*(egroup|queue|Account_Name)`).Match(config) {
			continue
		}
		maps.DeleteFunc(files, func(name, _ string) bool {
			return !slices.Contains([]string{"job", "node", "server"}, filepath.Dir(name)) && name != "ctime" || strings.Contains(name, "qmgr")
		})
		first, rest, _ := strings.Cut(said.ReplaceAllString(text, ""), "\n")
		files["server/qstat_Bf.out"] = first + "\n    job_sort_formula = " + f + "\n" + rest
		user := write(t, "undecided/"+p.name, files)

		jobs := asked(t, "sort", p.dir, "--all", "-f", f)
		var rows []line
		for _, row := range jobs.rows {
			if row["rank"] != "" && len(rows) < 10 {
				rows = append(rows, row)
			}
		}
		for a := range rows {
			for b := range a {
				one, other := rows[a]["id"], rows[b]["id"]
				part := ask("explain", one, user, "--vs", other, "-o", "json")
				if told[part.code == 0]++; part.code == 1 { // it is not decided
					continue
				}
				var with, without struct{ First, Key, Why string }
				whole := ask("explain", one, p.dir, "--vs", other, "-f", f, "-o", "json")
				if whole.code != 0 || part.code != 0 {
					t.Fatalf("%s: exit %d: %s; exit %d: %s", p.name, whole.code, whole.said, part.code, part.said)
				}
				if err := json.Unmarshal([]byte(whole.out), &with); err != nil {
					t.Fatal(err)
				}
				if err := json.Unmarshal([]byte(part.out), &without); err != nil {
					t.Fatal(err)
				}
				switch {
				case with.Key != "formula": // such as by a queue or a preemption that only the whole site tells
				case without.Key != "formula", without.First != with.First:
					t.Errorf("%s, %s: %s with the tree, and without it: %s", p.name, f, with.Why, without.Why)
				default:
					decided++
				}
			}
		}
	}
	if decided < fewest(40, 10) || told[false] < 50 {
		t.Errorf("%d pairs are decided without the tree, as with it, and %d are not", decided, told[false])
	}
}
