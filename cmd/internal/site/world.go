package site

import (
	"io"
	"os"
	"slices"
	"time"

	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/snapshot"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/world"
)

// World returns what happened beside the jobs while the logs were written: to vnodes as the
// server's logs of a snapshot tell, or instead as a file of events does. t is what was read
// of the accounting logs.
func (l *Logs) World(t *trace.Trace, events file.Source) (*world.World, []diag.Remark, error) {
	zone, err := moment.Zone(l.zone)
	if err != nil {
		return nil, nil, err
	}
	w := &world.World{Zone: zone}
	var remarks []diag.Remark
	if events.IsGiven() {
		const most = 1 << 28
		text, err := events.Text(most)
		if err != nil {
			return nil, nil, err
		}
		w.HasVnodes = true
		w.Vnodes, err = world.ParseVnodeEvents(text, zone)
		if err != nil {
			return nil, nil, diag.Requestf("%s: %w", events.Name, err)
		}
		return w, remarks, nil
	}
	read := func(_ string, log io.Reader) (err error) {
		w.HasVnodes = true
		w.Vnodes, err = world.ReadVnodeEvents(w.Vnodes, log, zone)
		return err
	}
	for _, name := range l.places() {
		if err := snapshot.ServerLogs(name, read); err != nil {
			remarks = append(remarks, diag.Damagef("%v", err))
		}
	}
	if !w.HasVnodes { // those of the server whose accounting logs these are
		if err := snapshot.ServerLogsNear(l.names, t.Begin(), read); err != nil {
			remarks = append(remarks, diag.Warningf("%v", err))
		}
	}
	if off := t.ZoneOff(); off != 0 && l.zone == "" { // the records tell the zone
		for i := range w.Vnodes {
			w.Vnodes[i].At -= off
		}
	}
	return w, remarks, nil
}

// places returns the names of what may have logs of the server.
func (l *Logs) places() []string {
	names := slices.DeleteFunc(slices.Clone(l.names), func(name string) bool { return name == "-" })
	if l.beside != nil && !slices.Contains(names, l.beside.Name) {
		if _, err := os.Stat(l.beside.Name); err == nil { // it is no complex
			names = append(names, l.beside.Name)
		}
	}
	return names
}

// Zone returns the time zone of the logs, as it was given or this machine's.
func (l *Logs) Zone() (*time.Location, error) { return moment.Zone(l.zone) }

// ToldZone returns the zone of the site's local times at a time as the records of the logs tell it,
// nil where a zone was given, and where they tell that it is this machine's or nothing.
func (l *Logs) ToldZone(at int64) *time.Location {
	if l.off == 0 {
		return nil
	}
	_, seconds := time.Unix(at, 0).In(time.Local).Zone()
	return moment.OffsetZone(seconds + int(l.off))
}

// Reservations returns the reservations that the logs up to a time, or all of them for 0, or
// pbs_rstat in their snapshot tell of, and remarks on those that could not be read. The logs are
// read again for them, unless t, what was read of them, had no record of any; nil says nothing.
func (l *Logs) Reservations(t *trace.Trace, until int64) ([]*world.Reservation, []diag.Remark, error) {
	zone, err := moment.Zone(l.zone)
	if err != nil {
		return nil, nil, err
	}
	var logs []file.Source
	if t == nil || world.TellOfReservations(t.Types) {
		logs = l.again()
	}
	all, problems, err := world.ReadReservations(logs, zone, l.zone == "", until)
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
		more, said := readStatus(from, zone)
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

// again returns the logs that can be read a second time.
func (l *Logs) again() []file.Source {
	return slices.DeleteFunc(slices.Clone(l.Sources), func(from file.Source) bool { return from.Name == file.StandardInput })
}

// Vnodes returns the attributes of the vnodes of the site that the logs come from, as
// cluster.Describe does; none where nothing tells.
func (l *Logs) Vnodes() []map[string]string {
	const most = 1 << 30
	for _, snap := range l.Snapshots() {
		if !snap.Nodes().IsGiven() {
			continue
		}
		if text, err := snap.Nodes().Text(most); err == nil {
			if vnodes, err := cluster.Describe(text); err == nil {
				return vnodes
			}
		}
	}
	return nil
}

// Continuity returns how far what was read covers its time.
func (l *Logs) Continuity() trace.Continuity { return l.continuity }
