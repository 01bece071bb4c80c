package record

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

const hour = 3600 // seconds

// eventReader makes rows of sacctmgr show event times in which nodes take no job.
type eventReader struct {
	setup     *sched.Setup
	zone      *time.Location
	cluster   string
	away      map[eventBegin]int64 // the end, ForGood where it is not known
	odd       []string             // rows that cannot be read, or whose times
	down      map[eventBegin]bool  // whether the node failed, so that its jobs were killed
	lost      map[string]bool      // nodes that the site does not have
	unknown   map[string]bool      // states that Slurm does not have
	others    int                  // rows of other clusters
	powered   int                  // rows of nodes that are switched on for a job
	nodeNames map[string]int
	isUp      []bool // whether a node was up when the site was asked
}

// eventBegin is the begin of an event, of which there is one.
type eventBegin struct {
	node int
	from int64
}

// ReadWorld makes what happened to nodes and what reservations kept part of the site's setup, for a replay of a
// record, with remarks on what was read and what is not modelled. A table of sacctmgr show event may be given,
// nil for those of the site.
func ReadWorld(n *setup.Site, events *file.Source, record *Record, zone *time.Location) ([]diag.Remark, error) {
	n.Setup.Zone = zone
	remarks, err := readEvents(n, events, record, zone)
	if err != nil {
		return remarks, err
	}
	list, said, err := n.World.Reservations(zone)
	if err != nil {
		return remarks, err
	}
	n.Reservations = list
	return slices.Concat(remarks, said, readReservations(n, record)), nil
}

// readEvents makes what is told of nodes that were down or drained part of the site's setup, for a replay of a
// record: by a table of sacctmgr -P show event that is given, or else by those of the site. Without any, a node
// that is down or drained in the list of nodes is so since its Reason was set, as is one that is drained, of which the event begins later.
// The remarks say what was read.
func readEvents(n *setup.Site, given *file.Source, record *Record, zone *time.Location) ([]diag.Remark, error) {
	parts := n.World.All(dump.KindEvents)
	if given != nil {
		const most = 1 << 28
		text, err := given.Text(most)
		if err != nil {
			return nil, err
		}
		if dump.KindOf(text) != dump.KindEvents {
			return nil, fmt.Errorf("%s is no table of node events with the columns NodeName, TimeStart, TimeEnd and State (sacctmgr -P show event)", given.Name)
		}
		parts = []dump.Part{{Source: *given, Kind: dump.KindEvents, Text: text}}
	}
	r, remarks := newEvents(n.Setup, parts, n.World.ReasonTimes(), zone)
	first, last := record.Last, record.Last
	for _, x := range record.Jobs {
		first = min(first, x.Submit)
	}
	r.drain(record.starts(), n.World.ReasonTimes())
	isUsed, ended, against := r.end(record.starts(), n.World, zone)
	remarks = append(remarks, ended...)
	events, nodes, seconds := 0, map[int]bool{}, int64(0)
	for _, b := range slices.SortedFunc(maps.Keys(r.away), func(a, b eventBegin) int { return cmp.Or(cmp.Compare(a.from, b.from), a.node-b.node) }) {
		to := r.away[b]
		if to <= first || b.from >= last {
			continue
		}
		n.Setup.Outages = append(n.Setup.Outages, sched.Outage{Node: b.node, From: b.from, To: to})
		if r.down[b] {
			n.Setup.Failures = append(n.Setup.Failures, sched.Failure{Node: b.node, At: b.from, To: to})
		}
		events++
		nodes[b.node] = true
		seconds += min(to, last) - max(b.from, first)
	}
	all := float64(len(n.Setup.Nodes)) * float64(last-first)
	if events > 0 {
		text := fmt.Sprintf("%s down or drained for some of the record (%s, %s of %s node hours): nothing starts there meanwhile", report.Count(len(nodes), "node"),
			report.Count(events, "time"), report.Fixed(float64(seconds)/hour, 1), report.Fixed(all/hour, 1))
		said := diag.Notef("%s", text)
		if !isUsed { // by the jobs on record, which nothing of it kept waiting then
			said = diag.Generalf("%s", text)
		}
		remarks = append(remarks, said)
	}
	if against > 0 {
		remarks = append(remarks, diag.Warningf("%s of the record on nodes that are down or drained then, as events tell: they are of another site, or --tz is another zone", report.Count(against, "start")))
	}
	return remarks, nil
}

// newEvents reads tables of what happened to the nodes of a site, of which since tells when the Reason of each was set
// that has one. The nodes that are down or drained now are given back to the time before that.
func newEvents(setup *sched.Setup, parts []dump.Part, since map[string]string, zone *time.Location) (*eventReader, []diag.Remark) {
	r := &eventReader{setup: setup, zone: zone, cluster: setup.ClusterName, away: map[eventBegin]int64{}, down: map[eventBegin]bool{}, lost: map[string]bool{}, unknown: map[string]bool{}, nodeNames: map[string]int{}}
	for i, node := range setup.Nodes {
		r.nodeNames[node.Name] = i
		r.isUp = append(r.isUp, i >= len(setup.Down) || setup.Down[i] == 0)
	}
	var names []string
	for _, p := range parts {
		names = append(names, p.Name)
		r.read(p.Text)
	}
	remarks := r.remarks(strings.Join(names, ", "))
	if len(parts) == 0 {
		remarks = append(remarks, diag.Notef("which nodes were down or drained before now is not known: the site has no sacctmgr -P show event all_time").Joined(diag.NotKnown, "which nodes were down or drained before now (sacctmgr -P show event all_time)"))
	}
	if untold := r.restore(since); len(untold) > 0 {
		remarks = append(remarks, diag.Notef("%s down or drained now with no event that tells since when: taken to be so for the whole record: %s", report.Count(len(untold), "node"), report.First(untold)))
	}
	return r, remarks
}

// read reads a table, as sacctmgr prints it with -P or without. A reason may have pipes in it.
func (r *eventReader) read(text string) {
	if header, _, _ := strings.Cut(strings.TrimSpace(text), "\n"); !strings.Contains(header, "|") {
		rows, odd := dump.ReadTable(text)
		for range odd {
			r.odd = append(r.odd, header)
		}
		for _, row := range rows {
			r.addRow(func(name string) string { return row[name] })
		}
		return
	}
	var header []string
	reason := -1
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if header == nil {
			header = dump.ColumnsOf(line)
			reason = slices.Index(header, "reason")
			continue
		}
		cells := strings.Split(line, "|")
		if n := len(header); len(cells) == n+1 && cells[n] == "" && header[n-1] != "" { // of -p, whose lines end with one
			cells = cells[:n]
		}
		if more := len(cells) - len(header); more > 0 && reason >= 0 {
			cells = slices.Concat(cells[:reason], []string{strings.Join(cells[reason:reason+more+1], "|")}, cells[reason+more+1:])
		}
		if len(cells) != len(header) {
			r.odd = append(r.odd, line)
			continue
		}
		r.addRow(func(name string) string {
			if i := slices.Index(header, name); i >= 0 {
				return cells[i]
			}
			return ""
		})
	}
}

// addRow adds a row of a table whose cells are told by the names of their columns.
func (r *eventReader) addRow(cell func(name string) string) {
	at := func(names ...string) string {
		for _, name := range names {
			if text := strings.TrimSpace(cell(name)); text != "" && dump.CopyOf(dump.KindEvents, name) != slurm.CopyNot {
				return text
			}
		}
		return ""
	}
	if cluster := at("cluster"); cluster != "" && r.cluster != "" && cluster != r.cluster {
		r.others++
		return
	}
	r.add(at("nodename"), at("timestart", "start"), at("timeend", "end"), at("state"))
}

// add adds a row. One without a node is of the whole cluster: its resources have changed.
func (r *eventReader) add(name, from, to, state string) {
	if name == "" {
		return
	}
	node, isKnown := r.nodeNames[name]
	if !isKnown {
		r.lost[name] = true
		return
	}
	isUp, isState := dump.IsUp(state)
	first, _, _ := strings.Cut(strings.ToUpper(state), "+")
	switch {
	case strings.HasPrefix(first, "MAINT"): // which sacctmgr says in place of DOWN
	case isUp: // it is switched off to save power, and on for a job
		r.powered++
		return
	case !isState:
		r.unknown[state] = true
	}
	begin, ok := r.time(from)
	end, isEnd := r.time(to)
	if to == "" || strings.EqualFold(to, "unknown") {
		end, isEnd = sched.ForGood, true
	}
	if !ok || !isEnd || end < begin {
		r.odd = append(r.odd, fmt.Sprintf("%s from %s to %s", name, from, to))
		return
	}
	key := eventBegin{node, begin}
	r.down[key] = strings.HasPrefix(first, "DOWN")
	if before, isTwice := r.away[key]; isTwice {
		end = min(end, before) // printed again, when it was over
	}
	r.away[key] = end
}

func (r *eventReader) time(text string) (int64, bool) {
	t, err := time.ParseInLocation(dump.TimeLayout, text, r.zone)
	return t.Unix(), err == nil
}

// remarks say what of the tables is not part of the replay.
func (r *eventReader) remarks(names string) (list []diag.Remark) {
	if len(r.odd) > 0 {
		list = append(list, diag.Damagef("%s: %s left out, whose columns or times cannot be read: %s", names, report.Count(len(r.odd), "event"), report.First(r.odd)))
	}
	if r.others > 0 {
		list = append(list, diag.Notef("%s: %s of other clusters left out", names, report.Count(r.others, "event")))
	}
	if len(r.lost) > 0 {
		list = append(list, diag.Warningf("%s tells of nodes that the site does not have: %s", names, report.First(slices.Sorted(maps.Keys(r.lost)))))
	}
	if len(r.unknown) > 0 {
		list = append(list, diag.Damagef("%s has states that Slurm does not have, in which nodes are taken to be down: %s", names, report.First(slices.Sorted(maps.Keys(r.unknown)))))
	}
	if r.powered > 0 {
		list = append(list, diag.Notef("%s: %s of nodes in states in which Slurm gives them to jobs, as those that save power: left out", names, report.Count(r.powered, "event")))
	}
	return list
}

// restore gives the nodes that are down or drained now back to the time before that. It returns those of which
// nothing tells since when they are: they stay away.
func (r *eventReader) restore(since map[string]string) (untold []string) {
	s := r.setup
	nodes := slices.Clone(s.Nodes)
	down := slices.Clone(s.Down)
	for i, cpus := range s.Down {
		if cpus == 0 {
			continue
		}
		from, isTold := r.time(since[nodes[i].Name])
		hasEvent := false
		for begin, to := range r.away {
			hasEvent = hasEvent || begin.node == i && (to == sched.ForGood || isTold && to > from)
		}
		if isTold && !hasEvent {
			r.away[eventBegin{i, from}] = sched.ForGood
		}
		if !isTold && !hasEvent {
			untold = append(untold, nodes[i].Name)
			continue
		}
		nodes[i].CPUs, down[i] = cpus, 0
	}
	s.Cluster = &sched.Cluster{Nodes: nodes, GRES: s.GRES, Partitions: s.Partitions, Switches: s.Switches, HasNoMemory: s.HasNoMemory}
	s.Down = down
	return untold
}

// placed is when a job started, and where.
type placed struct {
	nodes string // NodeList
	at    int64
}

// starts returns those of all runs of a record.
func (r *Record) starts() iter.Seq[placed] {
	return func(yield func(placed) bool) {
		for _, last := range r.Jobs {
			for _, x := range append(slices.Clone(last.Earlier), last) {
				if x.Start > 0 && !yield(placed{x.NodeList, x.Start}) {
					return
				}
			}
		}
		for _, x := range r.beside {
			if !yield(x) {
				return
			}
		}
	}
}

// end ends events that nothing ends: when a job on record starts on the node, or when the site was asked and had it as up, whichever is
// first. It returns whether jobs on record start on a node of an event, and how many starts are against events that have an end.
func (r *eventReader) end(all iter.Seq[placed], world *dump.Dump, zone *time.Location) (isUsed bool, remarks []diag.Remark, against int) {
	isUsed, returned, against := r.compare(all)
	if returned > 0 {
		remarks = append(remarks, diag.Generalf("nodes that no event gives back (%d) are taken to be back when the first job on record starts there", returned))
	}
	if taken, err := time.ParseInLocation(dump.TimeLayout, world.Taken().Format(dump.TimeLayout), zone); err == nil {
		remarks = append(remarks, r.giveBack(taken.Unix())...)
	}
	return isUsed, remarks, against
}

// drain lets nodes that are drained now take no job from when they were told to, which their Reason tells: the event of a drain begins only
// once the last job on the node has ended. Where some job on record started on the node between these times, its Reason is of something else.
func (r *eventReader) drain(all iter.Seq[placed], since map[string]string) {
	var starts map[int][]int64
	for b, to := range maps.Clone(r.away) {
		from, isTold := r.time(since[r.setup.Nodes[b.node].Name])
		if to != sched.ForGood || r.down[b] || r.isUp[b.node] || !isTold || from >= b.from {
			continue
		}
		if starts == nil {
			starts = r.startsOn(all)
		}
		if slices.ContainsFunc(starts[b.node], func(at int64) bool { return at > from && at <= b.from }) {
			continue
		}
		delete(r.away, b)
		delete(r.down, b)
		r.away[eventBegin{b.node, from}] = to
	}
}

// startsOn returns when jobs started on the nodes that have events, sorted.
func (r *eventReader) startsOn(all iter.Seq[placed]) map[int][]int64 {
	isNamed := map[int]bool{}
	for b := range r.away {
		isNamed[b.node] = true
	}
	starts := map[int][]int64{}
	lists := map[string][]string{}
	for x := range all {
		names, isSeen := lists[x.nodes]
		if !isSeen {
			names, _ = slurm.Hostlist(x.nodes)
			lists[x.nodes] = names
		}
		for _, name := range names {
			if i, ok := r.nodeNames[name]; ok && isNamed[i] {
				starts[i] = append(starts[i], x.at)
			}
		}
	}
	for _, list := range starts {
		slices.Sort(list)
	}
	return starts
}

// compare holds events to the starts on record. One that no event ends does so when a job starts on its node.
// It returns whether jobs on record start on a node of an event, how many events end so, and how many starts are against others.
func (r *eventReader) compare(all iter.Seq[placed]) (isUsed bool, returned, against int) {
	if len(r.away) == 0 {
		return false, 0, 0
	}
	starts := r.startsOn(all)
	for b, to := range r.away {
		list := starts[b.node]
		first := sort.Search(len(list), func(i int) bool { return list[i] > b.from })
		switch {
		case first == len(list) || list[first] >= to:
		case to == sched.ForGood:
			r.away[b] = list[first]
			returned++
		default:
			until, _ := slices.BinarySearch(list, to)
			against += until - first
		}
	}
	return len(starts) > 0, returned, against
}
