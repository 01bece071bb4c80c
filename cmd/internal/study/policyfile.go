package study

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
)

// ReadPolicy returns the changes that a policy file asks for.
func ReadPolicy(from file.Source) (Changes, error) {
	const most = 1 << 20
	text, err := from.Text(most)
	if err != nil {
		return Changes{}, err
	}
	c, err := parsePolicy(text)
	if err != nil {
		return Changes{}, diag.Requestf("%s: %w", from.Name, err)
	}
	c.From = from.Name
	return c, nil
}

// Placed returns an error about what changes ask for as one about the line of their file that asks for it, where a file does: about
// the setting or whatever else the error is of.
func (c *Changes) Placed(err error, of string) error {
	var wrong *diag.SettingError
	if c.From != "" && errors.As(err, &wrong) {
		if of = wrong.Setting; c.Lines[of] == 0 {
			if at := slices.IndexFunc(c.Settings, func(s string) bool { return (&diag.SettingError{Setting: s}).Name() == wrong.Name() }); at >= 0 {
				of = c.Settings[at]
			}
		}
		err = wrong
	}
	if c.From == "" || c.Lines[of] == 0 {
		return err
	}
	return diag.Requestf("%s: line %d: %w", c.From, c.Lines[of], err)
}

// parsePolicy returns the changes that the text of a policy file asks for. Each line is a
// word and its value; a # at the begin of a line or after a blank begins a comment:
//
//	name        TEXT         what the policy is called
//	formula     FORMULA
//	sched-priv  DIR          a sched_priv with another tree and sched_config
//	set         NAME=VALUE   a setting, as the site's scheduler has it; any number of lines
//
// Its errors are *file.Problem.
func parsePolicy(text string) (Changes, error) {
	c := Changes{Lines: map[string]int{}}
	for number, line := range file.EachWords(text) {
		wrong := func(format string, args ...any) (Changes, error) {
			return Changes{}, &file.Problem{Line: number, Message: fmt.Sprintf(format, args...)}
		}
		word, rest := line.First, line.Rest
		single := map[string]*string{"name": &c.Name, "formula": &c.Formula, "sched-priv": &c.SchedPriv}[word]
		switch {
		case rest == "" && (single != nil || word == "set"):
			return wrong("%s needs a value", word)
		case word == "set":
			c.Settings = append(c.Settings, rest)
			c.Lines[rest] = number
		case single == nil:
			if strings.Contains(word, "=") {
				return wrong("a setting is written as: set %s", strings.TrimSpace(word+" "+rest))
			}
			return wrong("%q is none of name, formula, sched-priv and set", word)
		case *single != "":
			return wrong("%s is given twice", word)
		default:
			*single, c.Lines[rest] = rest, number
		}
	}
	if c.Formula == "" && c.SchedPriv == "" && len(c.Settings) == 0 {
		lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
		return Changes{}, &file.Problem{Line: lines, Message: "the policy changes nothing"}
	}
	return c, nil
}
