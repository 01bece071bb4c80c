package conformance

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What explain --vs says would reverse the order of two jobs does so in the order of sort, if --set makes it so, and a
// change smaller by a tenth does not: of usage and shares of PBS's sites. The priority of a queue
// does so too.
func TestReversed(t *testing.T) {
	var list []place
	for _, p := range sites(t) {
		if p.isPBS() {
			list = append(list, p)
		}
	}
	hold(t, list, 13, func(t testing.TB, p place, d *differences) {
		ids := strings.Fields(answered(t, "sort", p.dir, "-o", "ids"))
		n := len(ids)
		all := strings.Fields(answered(t, "sort", p.dir, "--all", "-o", "ids"))
		ids = append(ids, slices.DeleteFunc(all, func(id string) bool { return slices.Contains(ids[:n], id) })...) // those that are not considered
		for _, at := range [][2]int{{0, 1}, {0, n - 1}, {n / 3, 2 * n / 3}, {n - 2, n - 1}, {0, n}, {n / 2, len(ids) - 1}} {
			if at[0] < 0 || at[1] >= len(ids) || at[0] >= at[1] || ids[at[0]] == ids[at[1]] {
				continue
			}
			var of struct {
				Turn []struct {
					Variable, Text string
					From, To       float64
				}
			}
			told := ask("explain", ids[at[0]], p.dir, "--vs", ids[at[1]], "-o", "json")
			if !told.isGiven() || json.Unmarshal([]byte(told.out), &of) != nil {
				d.add("explain %s --vs %s: exit %d: %s", ids[at[0]], ids[at[1]], told.code, told.said)
				continue
			}
			for _, turn := range of.Turn {
				entity, _, _ := strings.Cut(turn.Text, " had ")
				if queue, isQueue := strings.CutPrefix(entity, "queue "); isQueue && turn.Variable == "queue_priority" {
					a := ask("sort", p.dir, "-o", "ids", "--set", "queue."+queue+".priority="+strconv.FormatFloat(turn.To, 'f', -1, 64))
					then := strings.Fields(a.out)
					if first, second := slices.Index(then, ids[at[0]]), slices.Index(then, ids[at[1]]); second < 0 || first >= 0 && first < second {
						d.add("%s stays before %s, though %s", ids[at[0]], ids[at[1]], turn.Text)
					}
				}
				if turn.Variable != "usage" && turn.Variable != "shares" {
					continue
				}
				isReversed := func(to float64) (reversed, ok bool) {
					setting := entity + "." + turn.Variable + "=" + strconv.FormatFloat(to, 'f', -1, 64)
					a := ask("sort", p.dir, "-o", "ids", "--set", setting)
					if strings.Contains(a.said, "given as new.") {
						a = ask("sort", p.dir, "-o", "ids", "--set", "new."+setting)
					}
					then := strings.Fields(a.out)
					first, second := slices.Index(then, ids[at[0]]), slices.Index(then, ids[at[1]])
					if !a.isGiven() {
						d.add("--set %s: exit %d: %s", setting, a.code, a.said)
					}
					return second >= 0 && (first < 0 || second < first), a.isGiven()
				}
				if is, ok := isReversed(turn.To); ok && !is {
					d.add("%s stays before %s, though %s", ids[at[0]], ids[at[1]], turn.Text)
				}
				smaller := turn.From + math.Trunc(.9*(turn.To-turn.From))
				if is, ok := isReversed(smaller); ok && is && math.Abs(turn.To-turn.From) > 1 {
					d.add("%s goes before %s with %s %s of %.0f already, and not first where %s", ids[at[1]], ids[at[0]], entity, turn.Variable, smaller, turn.Text)
				}
			}
		}
	})
}
