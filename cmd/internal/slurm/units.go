package slurm

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// IsUnlimited reports whether a text is a word for no limit, in whatever letters.
func IsUnlimited(text string) bool {
	return strings.EqualFold(text, "UNLIMITED") || strings.EqualFold(text, "INFINITE")
}

// TimeLimit reads the time limit of a job as squeue prints it, in minutes; NaN for that of the partition, and for what is no time.
func TimeLimit(text string) float64 {
	seconds, err := Duration(text)
	if err != nil {
		return math.NaN()
	}
	return math.Ceil(seconds / 60)
}

// Duration reads a time as slurm.conf and scontrol write it: MINUTES,
// MINUTES:SECONDS, HOURS:MINUTES:SECONDS, DAYS-HOURS[:MINUTES[:SECONDS]], or
// UNLIMITED. It returns seconds.
func Duration(text string) (float64, error) {
	if IsUnlimited(text) || text == "-1" {
		return unlimited * 60, nil
	}
	days, rest, hasDays := strings.Cut(text, "-")
	if !hasDays {
		days, rest = "0", text
	}
	fields := append([]string{days}, strings.Split(rest, ":")...)
	var n []float64
	for _, field := range fields {
		x, err := strconv.ParseUint(field, 10, 32)
		if err != nil {
			return 0, fmt.Errorf("%q is not a time", text)
		}
		n = append(n, float64(x))
	}
	seconds := n[0] * 86400
	switch units := n[1:]; {
	case hasDays && len(units) <= 3:
		for i, unit := range units {
			seconds += unit * []float64{3600, 60, 1}[i]
		}
	case !hasDays && len(units) == 1:
		seconds = units[0] * 60
	case !hasDays && len(units) == 2:
		seconds = units[0]*60 + units[1]
	case !hasDays && len(units) == 3:
		seconds = units[0]*3600 + units[1]*60 + units[2]
	default:
		return 0, fmt.Errorf("%q is not a time", text)
	}
	return seconds, nil
}

// units are the suffixes of numbers, each 1024 of the one before.
const units = "KMGTP"

// base returns the unit that a resource is counted in, as a place in units:
// memory in MB, all else (-1) by one.
func base(tres string) int {
	if tres == "mem" {
		return 1
	}
	return -1
}

// ParseAmounts reads cpu=4,mem=62.50G,gres/gpu=2. Memory is in MB, names are in
// lower case.
func ParseAmounts(text string) ([]Amount, error) {
	return parseTRES(text, func(name string, unit int) float64 {
		return math.Pow(1024, float64(unit-base(name)))
	})
}

// parseWeights reads weights such as CPU=400,Mem=0.5G: a unit says what the
// weight is of, so that 0.5G is 0.5/1024 for each MB. A unit not above the
// resource's own has no effect.
func parseWeights(text string) ([]Amount, error) {
	return parseTRES(text, func(name string, unit int) float64 {
		return math.Pow(1024, -float64(max(0, unit-base(name))))
	})
}

// lastOfEach returns the last weight of each resource, as Slurm keeps them (its slurm_get_tres_weight_array), and those of resources
// that had another one before.
func lastOfEach(list []Amount) (kept, twice []Amount) {
	for _, a := range list {
		at := slices.IndexFunc(kept, func(before Amount) bool { return before.Name == a.Name })
		switch {
		case at < 0:
			kept = append(kept, a)
		case kept[at].Count != a.Count:
			twice = append(twice, a)
			fallthrough
		default:
			kept[at] = a
		}
	}
	return kept, twice
}

func parseTRES(text string, scale func(name string, unit int) float64) ([]Amount, error) {
	var list []Amount
	if text == "" || text == "(null)" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("%q is not NAME=NUMBER", part)
		}
		name = strings.ToLower(name)
		factor := 1.0
		if value != "" {
			if unit := strings.IndexByte(units, value[len(value)-1]); unit >= 0 {
				value = value[:len(value)-1]
				factor = scale(name, unit)
			}
		}
		x, err := count(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, Amount{name, x * factor})
	}
	return list, nil
}

// Bounds of what a host list may expand to.
const (
	maxHosts    = 1 << 18
	maxNames    = 64 << 20 // bytes of all names
	maxBrackets = 8        // in one name
)

// Hostlist expands n[01-10,12],login to names.
func Hostlist(text string) ([]string, error) {
	var all []string
	if text == "" || text == "(null)" {
		return nil, nil
	}
	size := 0
	for _, part := range splitOutside(text) {
		if strings.Count(part, "[") > maxBrackets {
			return nil, fmt.Errorf("a host name has more than %d ranges", maxBrackets)
		}
		names := []string{""}
		for part != "" {
			open := strings.IndexByte(part, '[')
			if open < 0 {
				open = len(part)
			}
			literal, rest := part[:open], part[open:]
			choices := []string{""}
			if rest != "" {
				closing := strings.IndexByte(rest, ']')
				if next := strings.IndexByte(rest[1:], '['); next >= 0 && next+1 < closing {
					return nil, fmt.Errorf("host list %q has no closing bracket behind %q", text, literal+rest[:next+1])
				}
				if closing < 0 {
					return nil, fmt.Errorf("host list %q has no closing bracket", text)
				}
				var err error
				if choices, err = ranges(rest[1:closing]); err != nil {
					return nil, err
				}
				rest = rest[closing+1:]
			}
			longest := len(names[len(names)-1]) + len(literal) + len(choices[len(choices)-1])
			if n := len(names) * len(choices); n+len(all) > maxHosts || size+n*longest > maxNames {
				return nil, fmt.Errorf("a host list has more than %d names or %d bytes", maxHosts, maxNames)
			}
			var longer []string
			for _, name := range names {
				for _, choice := range choices {
					longer = append(longer, name+literal+choice)
				}
			}
			names, part = longer, rest
		}
		all = append(all, names...)
		size += len(names) * len(names[0])
	}
	return all, nil
}

// ranges expands 01-10,12.
func ranges(text string) ([]string, error) {
	var list []string
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		from, err1 := strconv.ParseUint(low, 10, 32)
		to, err2 := strconv.ParseUint(high, 10, 32)
		if err1 != nil || err2 != nil || to < from || to-from >= maxHosts || len(low) > 20 {
			return nil, fmt.Errorf("%q is not a range of hosts", part)
		}
		for n := from; n <= to; n++ {
			list = append(list, fmt.Sprintf("%0*d", len(low), n))
		}
		if len(list) > maxHosts {
			return nil, fmt.Errorf("a range has more than %d hosts", maxHosts)
		}
	}
	return list, nil
}

// splitOutside splits at commas outside of brackets.
func splitOutside(text string) []string {
	var parts []string
	depth, from := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, text[from:i])
				from = i + 1
			}
		}
	}
	return append(parts, text[from:])
}
