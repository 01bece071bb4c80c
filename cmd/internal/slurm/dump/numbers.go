package dump

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
)

// The forms of values that count as numbers.
const (
	ofNumber = iota
	ofFilled // a number, which text always has
	ofBound  // a number, or UNLIMITED
	ofSpan   // a time such as 1-00:00:00, a number, or a word for none
)

// numbers are the fields that are read as numbers, by their names in lower case, with the forms of their values. Those of limits
// are not among them: package setup refuses what is none.
var numbers = map[Kind]map[string]int{
	KindNodes: {
		"weight": ofNumber, "cputot": ofNumber, "cpuefctv": ofNumber, "realmemory": ofNumber, "memspeclimit": ofNumber, "sockets": ofNumber, "corespersocket": ofNumber, "threadspercore": ofNumber,
		"cpualloc": ofNumber, "allocmem": ofNumber,
	},
	KindPartitions: {
		"prioritytier": ofNumber, "priorityjobfactor": ofNumber, "minnodes": ofNumber, "maxnodes": ofBound, "defmempercpu": ofBound, "maxmempercpu": ofBound, "maxmempernode": ofBound, "maxtime": ofSpan, "defaulttime": ofSpan, "gracetime": ofSpan,
	},
	KindLicences:     {"total": ofFilled, "used": ofNumber, "free": ofNumber, "reserved": ofNumber, "lastdeficit": ofNumber},
	KindQOS:          {"priority": ofFilled, "usagefactor": ofFilled, "limitfactor": ofNumber, "gracetime": ofSpan, "preemptexempttime": ofSpan},
	KindAssociations: {"priority": ofNumber},
}

// isNumber reports whether a value can be read in a form; an empty one is not set.
func isNumber(text string, form int) bool {
	switch {
	case text == "" || text == "(null)" || !math.IsNaN(Number(text, math.NaN())):
		return true
	case form == ofBound:
		return text == "UNLIMITED"
	case form == ofSpan:
		_, err := slurm.Duration(text)
		return err == nil || text == "NONE"
	}
	return false
}

// unreadNumbers names the values that are no numbers where one is read: what there is instead of them is taken.
func (d *Dump) unreadNumbers() (remarks []diag.Remark) {
	for _, k := range []Kind{KindNodes, KindPartitions, KindLicences, KindQOS, KindAssociations} {
		if len(d.All(k)) == 0 {
			continue
		}
		of := d.All(k)[0]
		rows := d.Records(k)
		if firsts[k] == "" {
			of = d.Table(k)
			rows, _ = d.RowsOf(of)
		}
		var odd []string
		for _, row := range rows {
			for _, name := range slices.Sorted(maps.Keys(numbers[k])) {
				form := numbers[k][name]
				text, isThere := row[name]
				isEmpty := text == "" && form == ofFilled && !slurm.IsJSON(of.Text) && (isThere || firsts[k] != "") // that a column lacks is said elsewhere
				if isEmpty || !isNumber(text, form) {
					odd = append(odd, fmt.Sprintf("%s of %s (%s)", name, rowName(k, row), row[name]))
				}
			}
		}
		if len(odd) > 0 {
			remarks = append(remarks, diag.Damagef("%s has %s where a number belongs, taken as if nothing stood there: %s", of.Name, report.Count(len(odd), "value"), report.First(odd)))
		}
	}
	return remarks
}

// rowName returns what the object of a row is called.
func rowName(k Kind, row Row) string {
	switch {
	case firsts[k] != "":
		return row[strings.ToLower(firsts[k])]
	case k == KindQOS:
		return row["name"]
	}
	return strings.Trim(row["account"]+"/"+row["user"], "/")
}
