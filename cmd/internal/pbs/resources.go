package pbs

import (
	"fmt"
	"slices"
	"strconv"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/formula"
)

var resourceTypes = []formula.Type{formula.Long, formula.Float64, formula.Size, formula.Boolean, formula.String, formula.StringArray}

// parseResources returns a site's resources and their types as qmgr's "list
// resource" or "print resource" prints them.
func parseResources(text string) (map[string]formula.Type, []*file.Problem) {
	resources := map[string]formula.Type{}
	var problems []*file.Problem
	for _, o := range parseObjects(text) {
		if o.kind != "resource" {
			continue
		}
		for _, a := range o.attributes {
			switch {
			case a.name != "type":
			case o.name == "" || !slices.Contains(resourceTypes, formula.Type(unquote(a.value))):
				problems = append(problems, &file.Problem{Line: a.line, Message: fmt.Sprintf("%s is not a resource type", strconv.Quote(a.value))})
			default:
				resources[o.name] = formula.Type(unquote(a.value))
			}
		}
	}
	return resources, problems
}

// readResources reads the site's resources.
func (s *Site) readResources(from file.Source) ([]diag.Remark, error) {
	text, err := from.Text(maxFile)
	if err != nil {
		return nil, err
	}
	var problems []*file.Problem
	s.Resources, problems = parseResources(text)
	var remarks []diag.Remark
	for _, p := range problems {
		remarks = append(remarks, diag.Damagef("%s: %v", from.Name, p))
	}
	if len(s.Resources) == 0 {
		remarks = append(remarks, diag.Warningf("%s names no resource", from.Name))
	}
	return remarks, nil
}
