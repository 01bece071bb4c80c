package door

import (
	"context"
	"errors"
	"io"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs/metrics"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/site"
)

// Measure implements site.Measurer.
func (s *Site) Measure(_ context.Context, p site.Policy, w io.Writer) error {
	at, err := s.under(p)
	if err != nil {
		return err
	}
	plan, err := s.plan(at, p)
	if errors.Is(err, order.ErrNoTree) {
		s.to.Say(diag.Warningf("the formula in force has fairshare terms, and there is no fairshare tree: ranks and the tree are left out (%s)", site.CollectHint))
		unordered := planOptions(p)
		unordered.Unordered = true
		plan, _, err = order.NewPlan(at, unordered)
	}
	if err != nil {
		return err
	}
	o := order.ListOptions(plan)
	o.Columns = append(o.Columns, metrics.Column)
	list, err := s.List(p.Format, o)
	if err != nil {
		return err
	}
	made, err := s.orderOf(plan, list)
	if err != nil {
		return err
	}
	tree := made.Tree
	if !at.HasTree() {
		tree = nil
	}
	return metrics.Write(w, tree, made, s.Place.Taken)
}

// Tree implements site.Sharer.
func (s *Site) Tree(_ context.Context, from accounts.Format, settings []string) (site.Tree, error) {
	tree, remarks, err := s.Place.Tree(from, settings)
	s.to.Say(remarks...)
	return tree, err
}
