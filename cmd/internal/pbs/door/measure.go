package door

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/metrics"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/site"
)

// Measure implements site.Measurer.
func (s *Site) Measure(ctx context.Context, p site.Policy, w io.Writer) error {
	if err := s.KeepList(); err != nil {
		return err
	}
	at, err := s.under(p)
	if err != nil {
		return err
	}
	plan, err := s.planNow(ctx, at, p)
	if order.IsUntold(err) {
		left := "ranks are left out: " + err.Error()
		if errors.Is(err, order.ErrNoTree) {
			left = fmt.Sprintf("the formula in force has fairshare terms, and there is no fairshare tree: ranks and the tree are left out (%s)", site.CollectHint)
		}
		s.to.Say(diag.Warningf("%s", left))
		unordered := s.planOptions(p)
		unordered.Unordered = true
		plan, _, err = order.NewPlan(at, unordered)
	}
	if err != nil {
		return err
	}
	o := order.ListOptions(plan)
	o.Columns = append(o.Columns, order.EligibleTime)
	list, err := s.List(p.Format, o)
	if err != nil {
		return err
	}
	made, err := s.orderOf(plan, list)
	if err != nil {
		return err
	}
	if !made.Plan.Unordered {
		s.sayDefaults("ranks are", at)
	}
	tree := made.Tree
	if !at.HasTree() {
		tree = nil
	}
	return metrics.Write(w, tree, made, s.vnodes(ctx, at), s.Place.Taken)
}

// vnodes returns the vnodes of a site, nil where they are not known, or cannot be read, which is said. Warnings are said too.
func (s *Site) vnodes(ctx context.Context, at *pbs.Site) *nodes.Machine {
	if !s.Place.Nodes.IsGiven() {
		return nil
	}
	m, remarks, err := s.machine(ctx, at, time.UTC, nodes.Question{})
	s.to.Say(slices.DeleteFunc(remarks, func(r diag.Remark) bool { return r.Kind != diag.Warning })...)
	if err != nil {
		s.to.Say(diag.Damagef("what the vnodes have is left out: %v", err))
		return nil
	}
	return m
}

// Tree implements site.Sharer.
func (s *Site) Tree(_ context.Context, from accounts.Format, settings []string) (site.Tree, error) {
	tree, remarks, err := s.Place.Tree(from, settings)
	s.to.Say(remarks...)
	return tree, err
}
