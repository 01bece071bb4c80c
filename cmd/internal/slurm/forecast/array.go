package forecast

import (
	"strconv"
	"strings"

	"fairshare/cmd/internal/pattern"
)

// arrayPart is a part of the list of the tasks of an array: a number, FIRST-LAST or FIRST-LAST:STEP, the last one with %MOST behind it.
var arrayPart = pattern.Of(`^\s*[+]?(\d+)(?:-\s*[+]?(\d+)(?::\s*[+]?(\d+))?)?(?:%.*)?$`)

// checkArray returns what is wrong with the tasks of an array, as slurmctld finds it (job_mgr.c, _parse_array_tok): it takes none
// whose number is MaxArraySize or more.
func (o *offer) checkArray() error {
	text, ok := o.asked["array"]
	if !ok || text == "" {
		return nil
	}
	const words = "Invalid job array specification"
	most := o.site.Setup.Conf.MaxArraySize
	if most == 0 {
		return refused(words, "array=%s: the site takes no arrays (MaxArraySize=0)", text)
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"), ",") {
		found := arrayPart().FindStringSubmatch(part)
		if part == "" {
			continue
		}
		if found == nil {
			return refused(words, "array=%s: %q is no number of a task, nor FIRST-LAST or FIRST-LAST:STEP", text, part)
		}
		number := func(i int) float64 { n, _ := strconv.ParseFloat(found[i], 64); return n }
		first, last := number(1), number(1)
		if found[2] != "" {
			last = number(2)
		}
		switch step := number(3); {
		case last < first:
			return refused(words, "array=%s: %s ends before it begins", text, part)
		case last >= most:
			return refused(words, "array=%s: the site takes tasks up to the number %.0f (MaxArraySize=%.0f)", text, most-1, most)
		case found[3] != "" && (step == 0 || step >= most):
			return refused(words, "array=%s: the step %s is not from 1 to %.0f (MaxArraySize=%.0f)", text, found[3], most-1, most)
		}
	}
	return nil
}
