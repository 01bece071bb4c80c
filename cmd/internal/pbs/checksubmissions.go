package pbs

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
)

// checkSubmissions warns of attributes of the server and of queues with which jobs are refused that nobody means to refuse: access
// lists that are in force and empty, bounds that no amount is within, and jobs that ask for nothing and are given more, or less, than is let
// in. And it warns of access lists that keep nobody out.
func (s *Site) checkSubmissions() (remarks []diag.Remark) {
	say := func(where, format string, args ...any) {
		remarks = append(remarks, diag.Warningf(format, args...).At(where, 0))
	}
	check := func(a Attributes, where string) {
		for _, list := range accessLists {
			isOn, has := strings.EqualFold(a[list.enable], "true"), strings.Trim(a[list.name], ", ")
			switch {
			case isOn && has == "":
				say(where, "%s of %s is true, and %s is empty: it takes no jobs of any %s", list.enable, where, list.name, list.of)
			case !isOn && has != "":
				say(where, "%s of %s is %s, and %s is not true, so that jobs of any %s get in; set %[4]s to true, or unset %[1]s", list.name, where, has, list.enable, list.of)
			}
		}
	}
	check(s.Sched.Server, "the server")
	bare := Queue{Attributes: Attributes{}}
	s.checkBounds(bare, "the server", say)
	if len(s.Queues) == 0 {
		s.checkGiven(bare, "the server", say)
	}
	for _, q := range s.Queues {
		check(q.Attributes, "queue "+q.Name)
		if !q.Routes {
			s.checkBounds(q, "queue "+q.Name, say)
			s.checkGiven(q, "queue "+q.Name, say)
		}
	}
	return remarks
}

// checkGiven says which amount PBS gives the jobs of a queue that ask for none and then refuses, by the bounds of the queue or, where it
// has none, of the server.
func (s *Site) checkGiven(q Queue, where string, say func(where, format string, args ...any)) {
	const given = "resources_default"
	names := maps.Clone(s.Sched.Server.Of(given))
	maps.Copy(names, q.Attributes.Of(given))
	for _, name := range slices.Sorted(maps.Keys(names)) {
		text, of := s.boundOf(q, where, given, name)
		asked, isAmount := s.amountOf(name, text)
		if !isAmount {
			continue
		}
		for _, bound := range []struct {
			attribute, beyond string
			sign              int
		}{{"resources_max", "above", 1}, {"resources_min", "below", -1}} {
			limit, ofLimit := s.boundOf(q, where, bound.attribute, name)
			most, ok := s.amountOf(name, limit)
			if !ok || cmp.Compare(asked, most) != bound.sign {
				continue
			}
			refused := "jobs that do not ask for " + name
			if bound.sign > 0 && most == 0 {
				refused += ", and those that ask for any"
			}
			say(where, "%s.%s of %s, %s, is %s %s of %s, %s: %s refuses %s", given, name, of, text, bound.beyond, bound.attribute, ofLimit, limit, where, refused)
		}
	}
}
