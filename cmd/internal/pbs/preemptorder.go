package pbs

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// PreemptOrder is the ways in which a job is preempted of whose walltime at most a part is left:
// the first letter of S, C, R and D that works.
type PreemptOrder struct {
	Most    float64 // percent
	Methods string
}

// defaultPreemptOrder is what holds where nothing is set.
const defaultPreemptOrder = "SCR"

// parsePreemptOrder reads preempt_order: "SCR", or "SCR 80 SC 50 S", where each number is the
// percentage of walltime left up to which what follows holds. The list is that of the default
// for "", and never empty.
func parsePreemptOrder(text string) ([]PreemptOrder, error) {
	words := strings.Fields(strings.Trim(text, `"'`))
	if len(words) == 0 {
		words = []string{defaultPreemptOrder}
	}
	list := []PreemptOrder{{Most: math.Inf(1)}}
	for i, word := range words {
		if i%2 == 0 {
			for k, letter := range word {
				if !strings.ContainsRune("SCRD", letter) || strings.ContainsRune(word[:k], letter) {
					return nil, fmt.Errorf("%q is no order of the letters S, C, R and D, such as SCR", word)
				}
			}
			list[len(list)-1].Methods = word
			continue
		}
		percent, err := strconv.Atoi(word)
		if before := list[len(list)-1].Most; err != nil || percent < 0 || percent > 100 || float64(percent) >= before {
			return nil, fmt.Errorf("%q is no percentage of the walltime that is left, below the one before, as in \"SCR 80 SC 50 S\"", word)
		}
		list = append(list, PreemptOrder{Most: float64(percent)})
	}
	if last := list[len(list)-1]; last.Methods == "" {
		return nil, fmt.Errorf("an order of the letters S, C, R and D has to follow %v, as in \"SCR 80 SC 50 S\"", last.Most)
	}
	return list, nil
}

// PreemptOrder returns what preempt_order says of a scheduler. Values that cannot be read do not
// count: whoever reads them says so.
func (s *Sched) PreemptOrder() []PreemptOrder {
	list, err := parsePreemptOrder(s.Scheduler["preempt_order"])
	if err != nil {
		list, _ = parsePreemptOrder("")
	}
	return slices.Clip(list)
}
