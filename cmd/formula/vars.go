package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"fairshare/formula"
)

type varsCmd struct {
	Resources string `placeholder:"FILE" help:"Add a site's own resources, as qmgr -c 'list resource' prints them."`
	Output    string `short:"o" enum:"table,json" default:"table" help:"Print a table or JSON (${enum})."`
}

// variableLine is a name in JSON.
type variableLine struct {
	Name    string       `json:"name"`
	Kind    string       `json:"kind"` // keyword, resource, comparison, function or constant
	Type    formula.Type `json:"type,omitempty"`
	Usable  bool         `json:"usable"` // in a formula
	Unit    string       `json:"unit,omitempty"`
	Meaning string       `json:"meaning,omitempty"`
}

func (c *varsCmd) Run(s *session) error {
	lines, err := c.lines(s)
	if err != nil {
		return err
	}
	if c.Output == "json" {
		return s.encode(lines)
	}
	w := tabwriter.NewWriter(s.out, 0, 8, 2, ' ', 0)
	for _, kind := range []string{"keyword", "resource", "comparison"} {
		fmt.Fprintf(w, "%sS\tTYPE\tUNIT\tMEANING\n", strings.ToUpper(kind))
		for _, l := range lines {
			if l.Kind == kind {
				meaning := l.Meaning
				if !l.Usable {
					meaning += " (no number: not in a formula)"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", l.Name, l.Type, l.Unit, meaning)
			}
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	builtins, math, constants := formula.Functions()
	printWrapped(s, "FUNCTIONS of Python", builtins)
	printWrapped(s, "FUNCTIONS of Python's math", math)
	printWrapped(s, "CONSTANTS", constants)
	return nil
}

func (c *varsCmd) lines(s *session) ([]variableLine, error) {
	var lines []variableLine
	add := func(kind string, list []formula.Variable) {
		for _, v := range list {
			lines = append(lines, variableLine{v.Name, kind, v.Type, v.Type.Numeric(), v.Unit, v.Meaning})
		}
	}
	add("keyword", formula.Keywords)
	add("resource", formula.Resources)
	if c.Resources != "" {
		site, err := s.siteResources(c.Resources)
		if err != nil {
			return nil, err
		}
		var own []formula.Variable
		for name, t := range site {
			own = append(own, formula.Variable{Name: name, Type: t, Meaning: "the site's own"})
		}
		slices.SortFunc(own, func(a, b formula.Variable) int { return strings.Compare(a.Name, b.Name) })
		add("resource", own)
	}
	for _, v := range formula.OtherFairshare {
		lines = append(lines, variableLine{v.Name, "comparison", v.Type, true, v.Unit, v.Meaning + "; not known to PBS"})
	}
	builtins, math, constants := formula.Functions()
	for _, name := range append(builtins, math...) {
		lines = append(lines, variableLine{Name: name, Kind: "function", Usable: true})
	}
	for _, name := range constants {
		lines = append(lines, variableLine{Name: name, Kind: "constant", Usable: true})
	}
	return lines, nil
}

// printWrapped prints words in lines of at most 78 columns.
func printWrapped(s *session, title string, words []string) {
	fmt.Fprintln(s.out, title)
	line := " "
	for _, w := range words {
		if len(line)+1+len(w) > 78 {
			fmt.Fprintln(s.out, line)
			line = " "
		}
		line += " " + w
	}
	fmt.Fprintf(s.out, "%s\n\n", line)
}
