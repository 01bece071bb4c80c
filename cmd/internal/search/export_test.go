package search

import "fairshare/cmd/internal/study"

// What tests ask that stand outside, since they make studies of a PBS site.
const MostCells = mostCells

var Substitute = substitute

// Identify returns what tells a search from others.
func (g *Grid) Identify(on *study.Study, site Site) string { return g.identify(on, site) }
