package pbs

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
)

// told is a value of an attribute, and which print it is of.
type told struct{ value, from string }

// prints are what several prints tell of the server and of one scheduler, by the kind of an object and the attribute: as the last of them
// has it.
type prints map[string]told

// differ says which attributes of the server and of one scheduler a print has otherwise than one that was read before, which no longer
// counts: qstat -Bf and qmgr's print server tell the same.
func (p prints) differ(objects []*Object, from, of string) (remarks []diag.Remark) {
	own := tellings(objects, func(o *Object, name string) bool {
		s := textSetting(name)
		return o.isOf(of) && !o.IsAssumed && (s != nil && !s.isCount || s == nil && fieldOf(name) != nil)
	}, func(o *Object) string { return o.Kind })
	defer func() { remarks = append(remarks, p.twoFormulas(own)...) }()
	var found []string
	other := ""
	for key, value := range own {
		if before, is := p[key]; is && plainValue(before.value) != plainValue(value) && before.from != from {
			name := key[strings.IndexByte(key, ' ')+1:]
			found, other = append(found, fmt.Sprintf("%s (%s, there %s)", name, value, before.value)), max(other, before.from)
		}
	}
	for key, value := range own {
		p[key] = told{value, from}
	}
	if found == nil {
		return nil
	}
	slices.Sort(found)
	return []diag.Remark{diag.Warningf("%s differs from %s in %s: that of %s counts", from, other, report.First(found), from).At(from, 0)}
}

// tellings returns what objects tell of the attributes that count, by what each object is called and the name of the attribute.
func tellings(objects []*Object, counts func(o *Object, name string) bool, called func(*Object) string) map[string]string {
	own := map[string]string{}
	for _, o := range objects {
		for _, a := range o.Attributes {
			if !counts(o, a.Name) {
				continue
			}
			key := called(o) + " " + a.Name
			if before, is := own[key]; is {
				own[key] = before + "," + a.Value
			} else {
				own[key] = a.Value
			}
		}
	}
	return own
}

// queuesDiffer says which attributes of queues another print has otherwise than the one that counts.
func queuesDiffer(objects []*Object, from string, others []*Object, other string) []diag.Remark {
	of := func(objects []*Object) map[string]string {
		return tellings(objects, func(o *Object, name string) bool {
			s := SettingOf(OfQueue, name)
			return o.Kind == "queue" && !o.IsAssumed && s != nil && !s.isCount
		}, func(o *Object) string { return o.String() })
	}
	is, there := of(objects), of(others)
	var found []string
	for key, value := range is {
		if otherwise, isThere := there[key]; isThere && plainValue(value) != plainValue(otherwise) {
			at := strings.LastIndexByte(key, ' ')
			found = append(found, fmt.Sprintf("%s of %s (%s, there %s)", key[at+1:], key[:at], value, otherwise))
		}
	}
	if found == nil {
		return nil
	}
	slices.Sort(found)
	return []diag.Remark{diag.Warningf("%s differs from %s in %s: that of %s counts", from, other, report.First(found), from).At(other, 0)}
}

// twoFormulas says that the server and its scheduler have formulas that differ, one of which the print that was read last has.
func (p prints) twoFormulas(own map[string]string) []diag.Remark {
	const ofServer, ofSched = "server " + formulaName, "sched " + formulaName
	server, sched := p[ofServer], p[ofSched]
	if own[ofServer]+own[ofSched] == "" || server.value == "" || sched.value == "" || plainFormula(server.value) == plainFormula(sched.value) {
		return nil
	}
	counts := "the scheduler's"
	if own[ofSched] == "" {
		counts = "the server's"
	}
	return []diag.Remark{diag.Warningf("%s: job_sort_formula of the scheduler is %s, and that of the server %s (%s): PBS refuses two that differ, and %s counts here", sched.from, sched.value, server.value, server.from, counts).At(sched.from, 0)}
}

// plainFormula returns a formula as another one can be compared with it.
func plainFormula(text string) string { return strings.Trim(strings.TrimSpace(text), quotes) }

// plainValue returns a value as that of another print can be compared with it: the parts of a list in their order, and words of yes and no
// in one form.
func plainValue(value string) string {
	parts := strings.Split(value, ",")
	for i, part := range parts {
		parts[i] = strings.TrimSpace(part)
	}
	slices.Sort(parts)
	switch value = strings.Join(parts, ","); strings.ToLower(value) {
	case "true", "t", "yes", "y":
		return "True"
	case "false", "f", "no", "n":
		return "False"
	}
	return value
}
