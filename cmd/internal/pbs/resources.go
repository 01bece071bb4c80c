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
	for _, o := range ParseObjects(text) {
		if o.Kind != "resource" {
			continue
		}
		for _, a := range o.Attributes {
			switch {
			case a.Name != "type":
			case o.Name == "" || !slices.Contains(resourceTypes, formula.Type(unquote(a.Value))):
				problems = append(problems, &file.Problem{Line: a.Line, Message: fmt.Sprintf("%s is not a resource type", strconv.Quote(a.Value))})
			default:
				resources[o.Name] = formula.Type(unquote(a.Value))
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
