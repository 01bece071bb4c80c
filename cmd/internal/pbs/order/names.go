package order

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/pbs"
	"fairshare/formula"
)

// Name is what can stand in a formula, or what others than PBS would put there.
type Name struct {
	Name    string       `json:"name"`
	Kind    string       `json:"kind"` // keyword, resource, comparison, function or constant
	Type    formula.Type `json:"type,omitempty"`
	Usable  bool         `json:"usable"` // in a formula
	Unit    string       `json:"unit,omitempty"`
	Meaning string       `json:"meaning,omitempty"`
}

// Names returns the names that formulas at a site know.
func Names(site *pbs.Site) []Name {
	var lines []Name
	add := func(kind string, list ...formula.Variable) {
		for _, v := range list {
			lines = append(lines, Name{v.Name, kind, v.Type, v.Type.Numeric(), v.Unit, v.Meaning})
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
	for _, term := range Terms {
		if v := term.Variable; v.Origin == formula.Additional {
			v.Meaning += "; not known to PBS"
			add("comparison", v)
		}
	}
	builtins, math, constants := formula.Functions()
	for _, name := range append(builtins, math...) {
		lines = append(lines, Name{Name: name, Kind: "function", Usable: true})
	}
	for _, name := range constants {
		lines = append(lines, Name{Name: name, Kind: "constant", Usable: true})
	}
	return lines
}
