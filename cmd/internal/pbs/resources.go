package pbs

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/formula"
)

var resourceTypes = []formula.Type{formula.Long, formula.Float64, formula.Size, formula.Boolean, formula.String, formula.StringArray}

// parseResources returns a site's resources and their types as qmgr's "list
// resource" or "print resource" prints them.
func parseResources(text string) (map[string]formula.Type, []*file.Problem) {
	resources := map[string]formula.Type{}
	var problems []*file.Problem
	name := ""
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		attribute, value, _ := strings.Cut(line, "=")
		words := strings.Fields(attribute)
		value = strings.Trim(strings.TrimSpace(value), `"`)
		switch {
		case len(words) == 2 && words[0] == "Resource":
			name = words[1]
		case len(words) == 3 && words[0] == "create" && words[1] == "resource":
			name = words[2]
		case len(words) == 4 && words[0] == "set" && words[1] == "resource" && words[3] == "type":
			name = words[2]
			fallthrough
		case len(words) == 1 && words[0] == "type":
			if name == "" || !slices.Contains(resourceTypes, formula.Type(value)) {
				problems = append(problems, &file.Problem{Line: number, Message: fmt.Sprintf("%q is not a resource type", value)})
				continue
			}
			resources[name] = formula.Type(value)
		}
	}
	return resources, problems
}
