package pbs

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/formula"
)

// refuse says which values of a file qmgr refuses, and leaves what was there before them. own is what the file is given over, and
// resources are those of the site, nil where they are not known. What is tried is checked where it is.
func (g *given) refuse(own []*Object, from file.Source, resources map[string]formula.Type, isTold func(*Object) bool) {
	defined, _ := resourcesOf(g.objects)
	k := known{resources: joined(resources, defined), isAll: resources != nil}
	hasQueues := g.creates || slices.ContainsFunc(own, func(o *Object) bool { return o.Kind == "queue" })
	for _, o := range g.objects {
		if o.Kind == "queue" && hasQueues {
			k.queues = append(k.queues, o.Name)
		}
	}
	for _, o := range g.touched {
		for _, a := range slices.Clone(o.Attributes) {
			is := SettingOf(ownerOf[o.Kind], a.Name)
			if is == nil && o.Kind != "hook" || o.Kind == "resource" || a.Line == 0 {
				continue
			}
			var err error
			if o.Kind == "hook" {
				err = checkHook(a)
			} else if a.Name == formulaName {
				err = g.otherFormula(o, a.Value)
			} else if !isTold(o) || !isTried(o.Kind, a.Name) {
				err = k.check(is, a.Name, a.Value)
				g.guess(k, is, o, a, from)
			}
			if err != nil {
				g.remarks = append(g.remarks, refused(from.Name, o, a, err))
				g.undo(own, o, a)
			}
		}
	}
}

// refused says that PBS does not take a value in a file.
func refused(file string, o *Object, a Attribute, why error) diag.Remark {
	return diag.Damagef("%s: line %d: %s of %s does not count: %v", file, a.Line, a.Name, o, why).At(file, a.Line)
}

// undo leaves what was there before an attribute of an object of the file.
func (g *given) undo(own []*Object, o *Object, a Attribute) {
	isIt := func(b Attribute) bool { return b.Name == a.Name && b.Line == a.Line }
	isOther := func(b Attribute) bool { return b.Name != a.Name }
	o.Attributes = slices.DeleteFunc(o.Attributes, isIt)
	now, was := o.in(g.objects), o.in(own)
	if now.Attributes = slices.DeleteFunc(now.Attributes, isIt); was != nil && now.value(a.Name) == "" {
		now.Attributes = append(now.Attributes, slices.DeleteFunc(slices.Clone(was.Attributes), isOther)...)
	}
}

// otherFormula returns an error for a formula of a scheduler where the server has another one: PBS lets no two that differ stand
// beside each other.
func (g *given) otherFormula(o *Object, formula string) error {
	for _, other := range g.objects {
		of := plainFormula(other.value(formulaName))
		if o.Kind == "sched" && other.Kind == "server" && of != "" && of != plainFormula(formula) {
			return fmt.Errorf("the server has another job_sort_formula, %s, and PBS refuses two that differ: unset that first", of)
		}
	}
	return nil
}

// guess warns, where the site's resources are not all known, of the first attribute of a resource that is spelled nearly as one of PBS's own.
func (g *given) guess(k known, is *Setting, o *Object, a Attribute, from file.Source) {
	_, resource, _ := strings.Cut(a.Name, ".")
	if _, isOwn := OwnResource(resource); k.isAll || !is.PerResource || isOwn || k.resources[resource] != "" {
		return
	}
	if near := NearResource(resource); near != "" && !g.guessed[resource] {
		g.guessed[resource] = true
		g.remarks = append(g.remarks, diag.Warningf("%s: line %d: %s of %s is of a resource that PBS itself does not have; did you mean %s?", from.Name, a.Line, a.Name, o, near).At(from.Name, a.Line))
	}
}
