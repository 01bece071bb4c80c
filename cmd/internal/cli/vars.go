package cli

import (
	"fmt"
	"strings"

	pbsdoor "fairshare/cmd/internal/pbs/door"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
)

type varsCmd struct {
	Site string `arg:"" optional:"" help:"A snapshot. The site's own resources are added."`
	siteFlags
	Resources string `placeholder:"FILE" help:"Add a site's own resources, as qmgr -c 'list resource' prints them."`
	Output    string `short:"o" enum:"table,json" default:"table" placeholder:"FORM" help:"What to print (${enum})."`
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

func (c *varsCmd) lines(s *session) ([]order.Name, error) {
	names := c.names(c.Site)
	names.Resources = c.Resources
	at, err := openAs[*pbsdoor.Site](s, names)
	if err != nil {
		return nil, err
	}
	site, err := at.AsItIs()
	if err != nil {
		return nil, err
	}
	return order.Names(site), nil
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
