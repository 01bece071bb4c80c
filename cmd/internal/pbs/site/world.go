package site

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/snapshot"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// World returns what happened beside the jobs while the logs were written: to vnodes as the
// server's logs of a snapshot tell, or instead as a file of events does. t is what was read
// of the accounting logs.
func (l *Logs) World(t *trace.Trace, events file.Source) (*world.World, []diag.Remark, error) {
	local, err := l.Local()
	if err != nil {
		return nil, nil, err
	}
	shown, err := l.Zone()
	if err != nil {
		return nil, nil, err
	}
	w := &world.World{Zone: shown}
	var remarks []diag.Remark
	if events.IsGiven() {
		const most = 1 << 28
		text, err := events.Text(most)
		if err != nil {
			return nil, nil, err
		}
		w.HasVnodes = true
		w.Vnodes, err = world.ParseVnodeEvents(text, shown)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", events.Name, err)
		}
		return w, remarks, nil
	}
	unread := 0
	byLog := map[string][]world.VnodeEvent{} // those of an archive stand in any order
	read := func(name string, log io.Reader) error {
		w.HasVnodes = true
		all, wrong, err := world.ReadVnodeEvents(byLog[name], log, local.Zone)
		byLog[name], unread = all, unread+wrong
		return err
	}
	for _, t := range l.withLogs() {
		if err := snapshot.ServerLogs(t, read); err != nil {
			remarks = append(remarks, diag.Damagef("%v", err))
		}
	}
	if !w.HasVnodes { // those of the server whose accounting logs these are
		if err := snapshot.ServerLogsNear(l.names, t.Begin(), read); err != nil {
			remarks = append(remarks, diag.Warningf("%v", err))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byLog)) {
		w.Vnodes = append(w.Vnodes, byLog[name]...)
	}
	if unread > 0 {
		remarks = append(remarks, diag.Damagef("the server's logs tell of %s of vnodes whose time is not as in 03/31/2026 08:10:00, or whose amount cannot be: none of it is replayed", report.Count(unread, "change")))
	}
	byTime := func(a, b world.VnodeEvent) int { return cmp.Compare(a.At, b.At) }
	if !slices.IsSortedFunc(w.Vnodes, byTime) {
		const most = 2 * 3600 // seconds, for clocks that are put back
		for i := range w.Vnodes[1:] {
			if w.Vnodes[i].At > w.Vnodes[i+1].At+most {
				remarks = append(remarks, diag.Warningf("the server's logs are not in the order of their times: what they tell of vnodes is replayed in that order"))
				break
			}
		}
		slices.SortStableFunc(w.Vnodes, byTime)
	}
	if off := t.ZoneOff(); off != 0 && l.isOfRecords() { // the records tell the zone
		for i := range w.Vnodes {
			w.Vnodes[i].At -= off
		}
	}
	return w, remarks, nil
}

// withLogs returns what may have logs of the server.
func (l *Logs) withLogs() []*file.Tree {
	if l.beside != nil && l.beside.snap != nil && !slices.Contains(l.trees, l.beside.snap.Tree()) {
		return append(slices.Clone(l.trees), l.beside.snap.Tree())
	}
	return l.trees
}

// Reservations returns the reservations that the logs up to a time, or all of them for 0, or
// pbs_rstat in their snapshot tell of, and remarks on those that could not be read. The logs are
// read again for them, unless t, what was read of them, had no record of any; nil says nothing.
func (l *Logs) Reservations(t *trace.Trace, until int64) ([]*world.Reservation, []diag.Remark, error) {
	local, err := l.Local()
	if err != nil {
		return nil, nil, err
	}
	var logs []file.Source
	if t == nil || world.TellOfReservations(t.Types) {
		ordered, err := trace.Order(l.Sources)
		if err != nil {
			return nil, nil, err
		}
		logs = ordered.Sources
	}
	all, problems, err := world.ReadReservations(logs, local.Zone, l.isOfRecords(), until)
	if err != nil {
		return nil, nil, err
	}
	const most = 3 // that are told
	var remarks []diag.Remark
	for _, p := range problems[:min(len(problems), most)] {
		remarks = append(remarks, diag.Warningf("%v", p))
	}
	var status []file.Source // which has those that were confirmed before the logs
	for _, snap := range l.Snapshots() {
		status = append(status, snap.First(snapshot.Reservations))
	}
	if l.beside != nil {
		status = append(status, l.beside.Resvs)
	}
	for _, from := range status {
		more, said := readStatus(from, local.Zone)
		for _, r := range more {
			for i := range r.Holds { // the records tell the zone
				h := &r.Holds[i]
				h.From, h.Start, h.End = h.From-l.off, h.Start-l.off, h.End-l.off
			}
		}
		all, remarks = world.With(all, more), append(remarks, said...)
	}
	return all, remarks, nil
}

// Vnodes returns what pbsnodes prints of the site that the logs come from, which is read once; nil where nothing tells.
func (l *Logs) Vnodes() *cluster.Listing {
	for _, snap := range l.Snapshots() {
		if l.vnodes != nil {
			break
		}
		if snap.Nodes().IsGiven() {
			l.vnodes, _ = ReadVnodes(snap.Nodes())
		}
	}
	return l.vnodes
}

// Continuity returns how far what was read covers its time.
func (l *Logs) Continuity() trace.Continuity { return l.continuity }
