package cli

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
)

type varsCmd struct {
	Site string `arg:"" optional:"" help:"A snapshot, whose own resources are added."`
	siteFlags
	Resources string `placeholder:"FILE" help:"Add a site's own resources, as qmgr -c 'list resource' prints them."`
	Output    string `short:"o" enum:"table,json" default:"table" placeholder:"FORM" help:"What to print (${enum})."`
}

// nameLine is a name in JSON.
type nameLine struct {
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
	for _, kind := range []string{"keyword", "resource", "comparison"} {
		table := [][]string{{strings.ToUpper(kind) + "S", "TYPE", "UNIT", "MEANING"}}
		for _, l := range lines {
			if l.Kind == kind {
				meaning := l.Meaning
				if !l.Usable {
					meaning += " (no number: not in a formula)"
				}
				table = append(table, []string{l.Name, string(l.Type), l.Unit, meaning})
			}
		}
		if err := s.print(report.Table{Rows: table}); err != nil {
			return err
		}
		fmt.Fprintln(s.out)
	}
	builtins, math, constants := formula.Functions()
	printWrapped(s, "FUNCTIONS of Python", builtins)
	printWrapped(s, "FUNCTIONS of Python's math", math)
	printWrapped(s, "CONSTANTS", constants)
	return nil
}

func (c *varsCmd) lines(s *session) ([]nameLine, error) {
	names := c.names(c.Site)
	names.Resources = c.Resources
	p, err := s.find(names, false)
	if err != nil {
		return nil, err
	}
	site, err := s.siteOf(p)
	if err != nil {
		return nil, err
	}
	return namesOf(site), nil
}

// namesOf returns the names that formulas at a site know.
func namesOf(site *pbs.Site) []nameLine {
	var lines []nameLine
	add := func(kind string, list ...formula.Variable) {
		for _, v := range list {
			lines = append(lines, nameLine{v.Name, kind, v.Type, v.Type.Numeric(), v.Unit, v.Meaning})
		}
	}
	add("keyword", formula.Keywords...)
	add("resource", formula.Resources...)
	if len(site.Resources) > 0 {
		var own []formula.Variable
		symbols := formula.NewSymbols(site.Resources)
		for name := range site.Resources {
			v, _ := symbols.Lookup(name)
			own = append(own, v)
		}
		slices.SortFunc(own, func(a, b formula.Variable) int { return strings.Compare(a.Name, b.Name) })
		add("resource", own...)
	}
	for _, term := range order.Terms {
		if v := term.Variable; v.Origin == formula.Additional {
			v.Meaning += "; not known to PBS"
			add("comparison", v)
		}
	}
	builtins, math, constants := formula.Functions()
	for _, name := range append(builtins, math...) {
		lines = append(lines, nameLine{Name: name, Kind: "function", Usable: true})
	}
	for _, name := range constants {
		lines = append(lines, nameLine{Name: name, Kind: "constant", Usable: true})
	}
	return lines
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
