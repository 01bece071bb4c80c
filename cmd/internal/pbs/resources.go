package pbs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/formula"
)

var resourceTypes = []formula.Type{formula.Long, formula.Float64, formula.Size, formula.Boolean, formula.String, formula.StringArray}

// readResources reads the site's resources and their types, as qmgr's "list
// resource" or "print resource" prints them, or "print server" among others. It is
// an error if the text is none of these.
func (s *Site) readResources(from file.Source) ([]diag.Remark, error) {
	text, err := from.Text(maxFile)
	if err != nil {
		return nil, err
	}
	objects, isCutOff := ParseObjects(text)
	if len(objects) == 0 && strings.TrimSpace(text) != "" {
		return nil, fmt.Errorf("%s names no resource: it is not qmgr's \"list resource\" or \"print resource\"", from.Name)
	}
	var remarks []diag.Remark
	if isCutOff {
		remarks = append(remarks, cutOff(from))
	}
	resources, problems := resourcesOf(objects)
	s.Resources, s.Flags = resources, flagsOf(objects)
	for _, p := range problems {
		remarks = append(remarks, diag.Damagef("%s: %v", from.Name, p))
	}
	return remarks, nil
}

// flagsOf returns the flags of resources among a site's objects.
func flagsOf(objects []*Object) map[string]string {
	flags := map[string]string{}
	for _, o := range objects {
		for _, a := range o.Attributes {
			if o.Kind == "resource" && a.Name == "flag" {
				flags[o.Name] = unquote(a.Value)
			}
		}
	}
	return flags
}

// resourcesOf returns the resources among a site's objects.
func resourcesOf(objects []*Object) (map[string]formula.Type, []*file.Problem) {
	resources := map[string]formula.Type{}
	var problems []*file.Problem
	for _, o := range objects {
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
