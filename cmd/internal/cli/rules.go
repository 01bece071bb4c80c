package cli

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// rule says which flags go together. A flag that is given its default counts as not given; NAME=VALUE is a flag
// that is given this value, and an argument has the name of its field.
type rule struct {
	of    string // names, one of which is given
	not   string // names that do not go with it
	needs string // names, one of which has to be given beside it
	says  string
}

// ruleHolder is a command that has rules.
type ruleHolder interface{ rules() []rule }

// checkRules returns an error for the first rule of a command that what is given breaks.
func checkRules(ctx *kong.Context) error {
	command, ok := ctx.Selected().Target.Addr().Interface().(ruleHolder)
	if !ok {
		return nil
	}
	given := map[string]bool{}
	for _, element := range ctx.Path {
		switch {
		case element.Positional != nil:
			given[element.Positional.Name] = true
		case element.Flag != nil:
			value := text(element.Flag.Target)
			if value != element.Flag.Default && value != "false" {
				given[element.Flag.Name], given[element.Flag.Name+"="+value] = true, true
			}
		}
	}
	isAny := func(names string) bool {
		return slices.ContainsFunc(strings.Fields(names), func(name string) bool { return given[name] })
	}
	for _, r := range command.rules() {
		if isAny(r.of) && (isAny(r.not) || r.needs != "" && !isAny(r.needs)) {
			return fail(exitUsage, "%s", r.says)
		}
	}
	return nil
}

// text returns the value of a flag as a text.
func text(value reflect.Value) string {
	for value.Kind() == reflect.Pointer && !value.IsNil() {
		value = value.Elem()
	}
	return fmt.Sprint(value.Interface())
}
