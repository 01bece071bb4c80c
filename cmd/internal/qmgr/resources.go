// Package qmgr reads what qmgr prints.
package qmgr

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/formula"
)

var types = []formula.Type{formula.Long, formula.FloatType, formula.Size, formula.Boolean, formula.String, formula.StringArray}

// ParseResources reads a site's resources and their types from the output of
// "list resource" or "print resource".
func ParseResources(text string) (map[string]formula.Type, []*file.LineError) {
	resources := map[string]formula.Type{}
	var problems []*file.LineError
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
			if name == "" || !slices.Contains(types, formula.Type(value)) {
				problems = append(problems, &file.LineError{Line: number, Detail: fmt.Sprintf("%q is no type of a resource", value)})
				continue
			}
			resources[name] = formula.Type(value)
		}
	}
	return resources, problems
}
