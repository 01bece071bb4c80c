package pbs

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/formula"
)

// checkSubmissions warns of attributes of the server and of queues with which jobs are refused that nobody means to refuse: access
// lists that are in force and empty, and jobs that ask for nothing and are given more, or less, than is let in.
func (s *Site) checkSubmissions() (remarks []diag.Remark) {
	say := func(where, format string, args ...any) {
		remarks = append(remarks, diag.Warningf(format, args...).At(where, 0))
	}
	check := func(a Attributes, where string) {
		for _, list := range accessLists {
			if strings.EqualFold(a[list.enable], "true") && strings.Trim(a[list.name], ", ") == "" {
				say(where, "%s of %s is true, and %s is empty: it takes no jobs of any %s", list.enable, where, list.name, list.of)
			}
		}
	}
	check(s.Sched.Server, "the server")
	if len(s.Queues) == 0 {
		s.checkGiven(Queue{Attributes: Attributes{}}, "the server", say)
	}
	for _, q := range s.Queues {
		check(q.Attributes, "queue "+q.Name)
		if !q.Routes {
			s.checkGiven(q, "queue "+q.Name, say)
		}
	}
	return remarks
}

// checkGiven says which amount PBS gives the jobs of a queue that ask for none and then refuses, by the bounds of the queue or, where it
// has none, of the server.
func (s *Site) checkGiven(q Queue, where string, say func(where, format string, args ...any)) {
	const given = "resources_default"
	amount := func(name, text string) (float64, bool) {
		value, ok := formula.ParseAmount(text, s.Resources[name])
		if !ok {
			return 0, false
		}
		return value.Number()
	}
	find := func(attribute, name string) (text, of string) {
		if text = q.Attributes[attribute+"."+name]; text != "" {
			return text, where
		}
		return s.Sched.Server[attribute+"."+name], "the server"
	}
	names := maps.Clone(s.Sched.Server.Of(given))
	if names == nil {
		names = map[string]string{}
	}
	maps.Copy(names, q.Attributes.Of(given))
	for _, name := range slices.Sorted(maps.Keys(names)) {
		text, of := find(given, name)
		asked, isAmount := amount(name, text)
		if !isAmount {
			continue
		}
		for _, bound := range []struct {
			attribute, beyond string
			sign              int
		}{{"resources_max", "above", 1}, {"resources_min", "below", -1}} {
			limit, ofLimit := find(bound.attribute, name)
			if most, ok := amount(name, limit); ok && cmp.Compare(asked, most) == bound.sign {
				say(where, "%s.%s of %s, %s, is %s %s of %s, %s: %s refuses jobs that do not ask for %s", given, name, of, text, bound.beyond, bound.attribute, ofLimit, limit, where, name)
			}
		}
	}
}
