package pbs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
)

// Values of attributes, as qmgr takes and refuses them. What an attribute is says its Setting: it is true or false, a limit, names of
// queues, any words, has a check of its own, or is of a resource and of that one's type.

var (
	wholeNumber = pattern.Of(`^[+-]?\d+$`)
	anyNumber   = pattern.Of(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)
	sizeNumber  = pattern.Of(`(?i)^\d+[kmgtp]?[bw]?$`)
	timeNumber  = pattern.Of(`^\d+(:\d+){0,2}(\.\d+)?$`)
)

// checkOfType returns what is wrong with a value of a resource of some type. Words may be any, and so may values of a type that is not
// known.
func checkOfType(value string, t formula.Type) error {
	value = strings.Trim(value, quotes)
	is := func(of func(string) bool, what string) error {
		if of(value) {
			return nil
		}
		return fmt.Errorf("%q is %s", value, what)
	}
	switch t {
	case formula.Long:
		return is(wholeNumber().MatchString, "no whole number")
	case formula.Float64:
		return is(anyNumber().MatchString, "no number")
	case formula.Size:
		return is(sizeNumber().MatchString, "no size, such as 512mb or 4gb")
	case formula.Duration:
		return is(timeNumber().MatchString, "no time, such as 3600 or 01:00:00")
	case formula.Boolean:
		return is(func(v string) bool { return switchWords[strings.ToLower(v)] != "" }, "neither true nor false")
	}
	return nil
}

// known is what values may name.
type known struct {
	resources map[string]formula.Type // the site's own
	isAll     bool                    // whether these are all, so that there is no other
	queues    []string                // nil where they are not known
}

// known returns what values of a site may name.
func (s *Site) known() known {
	k := known{resources: s.Resources, isAll: s.Resources != nil}
	for _, q := range s.Queues {
		k.queues = append(k.queues, q.Name)
	}
	return k
}

// typeOf returns the type of a resource, "" where it is not known.
func (k known) typeOf(resource string) formula.Type {
	if t := k.resources[resource]; t != "" {
		return t
	}
	return ownTypes[resource]
}

// CheckValue returns what is wrong with a value that a job asks for of a resource: qsub refuses it. isOfAmounts tells whether it is of a type
// that has amounts.
func (s *Site) CheckValue(resource, value string) (isOfAmounts bool, err error) {
	t := s.known().typeOf(resource)
	return t.Numeric(), checkOfType(value, t)
}

// check returns what is wrong with a value of an attribute of the server, a scheduler or a queue: PBS refuses it.
func (k known) check(of *Setting, name, value string) error {
	_, resource, isOfResource := strings.Cut(name, ".")
	if isOfResource && of.PerResource && k.isAll {
		if err := checkResource(k.resources, resource); err != nil {
			return err
		}
	}
	switch {
	case of.isNewLimit():
		if _, ok := ParseLimits(value); !ok {
			return fmt.Errorf("%q is not a limit, such as [u:PBS_GENERIC=3]", value)
		}
		return nil
	case of.PerResource:
		return checkOfType(value, k.typeOf(resource))
	case of.isOldLimit():
		return checkOfType(value, formula.Long)
	case of.field != nil:
		trial := defaultSched()
		return of.field.set(&trial, value)
	case of.isOfQueues:
		return k.checkQueues(value)
	}
	return of.checkText(name, value)
}

// isNewLimit reports whether values are limits that say whom they are for.
func (s *Setting) isNewLimit() bool {
	return s.limit != nil && s.Name != available && !s.isOldLimit() || slices.Contains(QueuedSettings, s.Name)
}

// checkQueues returns which name of a list is of no queue; those of other servers may be any.
func (k known) checkQueues(list string) error {
	for name := range strings.FieldsFuncSeq(strings.Trim(list, quotes), func(c rune) bool { return c == ',' || c == ' ' }) {
		if name, server, _ := strings.Cut(name, "@"); k.queues != nil && server == "" && !slices.Contains(k.queues, name) {
			return errors.New(report.NoSuch("queue", name, k.queues))
		}
	}
	return nil
}

func checkQueueType(value string) error {
	for _, kind := range []string{"execution", "route"} {
		if value != "" && strings.HasPrefix(kind, strings.ToLower(value)) {
			return nil
		}
	}
	return fmt.Errorf("%q is neither Execution nor Route", value)
}

// checkCount checks a value that is a whole number.
func checkCount(value string) error { return checkOfType(value, formula.Long) }

// checkOptions checks a value that is options of a command.
func checkOptions(value string) error {
	words, err := report.ShellWords(strings.Trim(value, quotes))
	switch {
	case err != nil:
		return err
	case len(words) > 0 && words[0][:min(1, len(words[0]))] != "-":
		return fmt.Errorf("%q is no option", words[0])
	}
	return nil
}
