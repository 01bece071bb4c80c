package set

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/dump/dumptest"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/sched"
)

// Each change that is said to reverse two jobs reverses them where --set makes it, and one that is a step smaller does not.
func TestTurningPoints(t *testing.T) {
	names, err := filepath.Glob(dumptest.Sites + "*.tgz")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, name := range names {
		site, err := order.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		rows := site.Rows()
		for i := 1; i < len(rows) && rows[i].Rank > 0; i++ {
			for _, k := range []int{i - 1, i / 2} {
				v := site.Compare(rows, rows[i], rows[k])
				points, notes := TurningPoints(site, rows, rows[k], rows[i], v.By)
				if len(points)+len(notes) == 0 && rows[k].Job.ID != rows[i].Job.ID {
					t.Errorf("%s: nothing is said of what reverses %s and %s", name, rows[k].Job.ID, rows[i].Job.ID)
				}
				own := rows[i].Job.Account + "/" + rows[i].Job.User + ".usage"
				isOfOne := rows[k].Job.Account == rows[i].Job.Account && rows[k].Job.User == rows[i].Job.User
				isListed := slices.ContainsFunc(points, func(p compare.TurningPoint) bool { return p.Variable == own })
				if v.By == sched.ByPriority.String() && !isOfOne && !isListed && !rows[i].WasSet() && reverses(t, site, rows, k, i, own, 0, "") {
					t.Errorf("%s: that %s has used nothing reverses %s and %s, and is not told", name, own, rows[k].Job.ID, rows[i].Job.ID)
				}
				for _, p := range points {
					if p.Variable == "age" {
						continue // which no setting changes
					}
					kinds[p.Variable[strings.LastIndexByte(p.Variable, '.')+1:]]++
					if !reverses(t, site, rows, k, i, p.Variable, float64(p.To), p.Text) {
						t.Errorf("%s: %s does not reverse %s and %s", name, p.Text, rows[k].Job.ID, rows[i].Job.ID)
					}
					less := float64(p.To - 1)
					if p.To < p.From {
						less = float64(p.To + 1)
					}
					if !strings.HasSuffix(p.Variable, ".qos") && !strings.HasSuffix(p.Variable, ".tier") && less != float64(p.From) && reverses(t, site, rows, k, i, p.Variable, less, "") {
						t.Errorf("%s: less than %s reverses %s and %s", name, p.Text, rows[k].Job.ID, rows[i].Job.ID)
					}
				}
			}
		}
	}
	for _, kind := range []string{"PriorityWeightAge", "PriorityWeightFairshare", "usage", "qos", "tier", "nice"} {
		if kinds[kind] == 0 {
			t.Errorf("no site has jobs that %s reverses: %v", kind, kinds)
		}
	}
}

// reverses reports whether the second of two rows goes first where a setting is another one.
func reverses(t *testing.T, site *order.Site, rows []order.Row, first, second int, name string, to float64, text string) bool {
	t.Helper()
	value := report.Fixed(to, 0)
	if strings.HasSuffix(name, ".qos") {
		if value = strings.Fields(text)[4]; text == "" {
			return false
		}
		value = strings.TrimSuffix(value, ",")
	}
	changed, changes, err := With(site, []string{name + "=" + value})
	if err != nil {
		t.Fatal(err)
	}
	after, _ := After(site, rows, changed, changes)
	place := func(of order.Row) int {
		return slices.IndexFunc(after, func(r order.Row) bool { return r.Job.ID == of.Job.ID && r.Partition == of.Partition })
	}
	return place(rows[second]) < place(rows[first])
}
