package study

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/work"
)

// strange returns warnings of what the record has of other complexes or of other times, each with
// how much that is.
func (in *Inputs) strange(w *work.Work, c *cluster.Cluster) []diag.Remark {
	isKnown := map[string]bool{}
	for _, name := range c.LeftOut {
		isKnown[name] = true
	}
	for _, v := range c.Vnodes {
		isKnown[v.Name] = true
	}
	return slices.Concat(in.otherVnodes(w, isKnown), in.otherReservations(isKnown))
}

// otherVnodes warns of changes of vnodes that are not there, or of another time.
func (in *Inputs) otherVnodes(w *work.Work, isKnown map[string]bool) []diag.Remark {
	late, unknown, names := 0, 0, map[string]bool{}
	for _, e := range in.happens.Vnodes {
		switch {
		case e.At > w.Last+afterwards:
			late++
		case e.At >= w.First && !isKnown[e.Vnode]:
			unknown++
			names[e.Vnode] = true
		}
	}
	var remarks []diag.Remark
	if all := in.happens.Vnodes; len(all) > 0 && all[len(all)-1].At < w.First-afterwards {
		remarks = append(remarks, diag.Warningf("all that is told of vnodes (%s) is more than a day before the record", report.Count(len(all), "change")))
	}
	if unknown > 0 {
		remarks = append(remarks, diag.Warningf("%s of vnodes that the cluster does not have: %s", report.Count(unknown, "change"), report.First(slices.Sorted(maps.Keys(names)))))
	}
	if late > 0 {
		remarks = append(remarks, diag.Warningf("%s of vnodes more than a day after the end of the record", report.Count(late, "change")))
	}
	return remarks
}

// otherReservations warns of reservations on vnodes that are not there.
func (in *Inputs) otherReservations(isKnown map[string]bool) []diag.Remark {
	reservations, hours, names := map[string]bool{}, 0., map[string]bool{}
	for _, r := range in.happens.Reservations {
		for _, h := range r.Holds {
			end := h.End
			if h.Until != 0 {
				end = min(end, h.Until) // it was altered, or moved to other vnodes
			}
			if end <= h.Start {
				continue
			}
			for name, amounts := range cluster.Vnodes(h.Nodes) {
				if name == "" || isKnown[name] {
					continue
				}
				reservations[r.ID], names[name] = true, true
				hours += cpusOf(amounts) * float64(end-h.Start) / 3600
			}
		}
	}
	if len(reservations) == 0 {
		return nil
	}
	return []diag.Remark{diag.Warningf("%s on vnodes that the cluster does not have, %.0f cpu hours that are not kept free: %s", report.Count(len(reservations), "reservation"), hours, report.First(slices.Sorted(maps.Keys(names))))}
}

// cpusOf returns the cpus of a chunk of exec_vnode, such as ncpus=16:mem=4gb.
func cpusOf(amounts string) float64 {
	for amount := range strings.SplitSeq(amounts, ":") {
		if text, ok := strings.CutPrefix(amount, "ncpus="); ok {
			n, _ := strconv.ParseUint(text, 10, 31)
			return float64(n)
		}
	}
	return 0
}
