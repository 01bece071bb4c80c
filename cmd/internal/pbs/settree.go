package pbs

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"

	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

var errNoTree = errors.New("there is no fairshare tree")

func (e *editor) shares(entity, value string) (was string, err error) {
	shares, err := strconv.ParseInt(value, 10, 32)
	if err != nil || shares < 0 {
		return "", fmt.Errorf("%q is not a number of shares, from 0 to %d", value, math.MaxInt32)
	}
	id, err := e.find(entity)
	if err != nil {
		return "", err
	}
	tree := e.site.SchedPriv.Tree
	if !e.isNew {
		was = strconv.Itoa(int(tree.Entity(id).Shares))
	}
	tree.SetShares(id, int32(shares))
	return was, nil
}

func (e *editor) setUsage(entity, value string) (was string, err error) {
	usage, err := strconv.ParseFloat(value, 64)
	if err != nil || usage < 0 || math.IsInf(usage, 0) || math.IsNaN(usage) {
		return "", fmt.Errorf("%q is not a usage: a finite number of 0 or more is needed", value)
	}
	id, err := e.find(entity)
	tree := e.site.SchedPriv.Tree
	switch {
	case err != nil:
		return "", err
	case id == fstree.Unknown || tree.IsGroup(id):
		return "", fmt.Errorf("%s is a resgroup: its usage is that of its entities", entity)
	case !e.isNew:
		was = strconv.FormatFloat(tree.Entity(id).Usage, 'f', -1, 64)
	}
	e.usage[entity] = usage
	return was, nil
}

// find returns the entity of a name. One that the tree does not have joins "unknown" if it
// is said to be new.
func (e *editor) find(name string) (fstree.ID, error) {
	tree := e.site.SchedPriv.Tree
	id, ok := tree.Lookup(name)
	switch {
	case !ok && e.isNew:
		return tree.AddUnknown(name), nil
	case !ok:
		var names []string
		for id := range tree.Preorder() {
			if id != fstree.Root && id != fstree.Unknown {
				names = append(names, tree.Entity(id).Name)
			}
		}
		return 0, fmt.Errorf("%s; one that is to join unknown is given as new.%s", report.NoSuch("entity", name, names), name)
	case e.isNew:
		return 0, fmt.Errorf("the tree has %s already", name)
	case id == fstree.Root:
		return 0, errors.New("the root has all shares and all usage")
	}
	return id, nil
}

// finish derives what depends on the changes.
func (e *editor) finish() error {
	priv := e.site.SchedPriv
	if priv == nil {
		return nil
	}
	if len(e.usage) > 0 {
		priv.Tree.ResetUsage()
		if err := priv.Tree.LoadUsage(e.records(), false); err != nil {
			return err
		}
	}
	priv.Tree.Update()
	return nil
}

// records yields the records of the usage file, and of those entities that have
// another usage one with that.
func (e *editor) records() iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		if usage := e.site.SchedPriv.Usage; usage != nil {
			for name, amount := range usage.All() {
				if _, isOther := e.usage[name]; !isOther && !yield(name, amount) {
					return
				}
			}
		}
		for _, entity := range slices.Sorted(maps.Keys(e.usage)) {
			if !yield(entity, e.usage[entity]) {
				return
			}
		}
	}
}
