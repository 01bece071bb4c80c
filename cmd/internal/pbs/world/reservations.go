package world

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
)

// Reservation is vnodes that are kept for a queue of its own during a time.
type Reservation struct {
	ID            string            // such as R11.pbsref
	Queue         string            // whose jobs it is for, such as R11
	Partition     string            // whose scheduler places its jobs, "" for the default one
	State         string            // as pbs_rstat tells it, such as CONFIRMED; "" of a record
	Asked         int64             // in seconds since 1970, as all times; 0 where the record does not say
	Ended         int64             // when it was gone; 0 where it is not, or not on record
	IsStanding    bool              // whether it comes again and again
	IsASAP        bool              // whether it was made of a job that waited
	IsMaintenance bool              // whether an administrator took whole hosts
	Amounts       map[string]string // what it has in all, as Resource_List; nil where no record says it
	Holds         []Hold
	Unknown       []string // attributes that pbs_rstat prints of it and that are not known here
}

// Hold is one occurrence of a reservation, as it is known from one time to another: one that
// is altered or moved is another Hold from then on.
type Hold struct {
	From, Until int64 // Until is 0 for as long as it takes
	Start, End  int64
	Nodes       string // such as (n01:ncpus=16)+(n02:ncpus=16)
	Place       string // as place of a job
}

// Lasts reports whether an occurrence is under way at a time.
func (h *Hold) Lasts(at int64) bool { return h.Start <= at && at < h.End }

// Bounds of what is kept, which no real record comes near.
const (
	maxRecords     = 1 << 17
	maxOccurrences = 1 << 12 // of one reservation
	maxHolds       = 1 << 20
	maxText        = 1 << 26 // bytes of names of vnodes in all
)

// ReadReservations returns the reservations of accounting logs, by when they were asked for,
// and the records of them that could not be read. Records later than until are as if they were
// not there; with 0 all count. zone and isTold are as for trace.NewClock.
func ReadReservations(logs []file.Source, zone *time.Location, isTold bool, until int64) ([]*Reservation, []trace.Problem, error) {
	r := &reader{zone: zone, until: until, known: map[string]*reservationRecord{}}
	clock := trace.NewClock(zone, isTold)
	for _, log := range logs {
		if err := r.read(log, clock); err != nil {
			return nil, nil, err
		}
	}
	r.takeAll()
	return r.reservations(), r.problems, nil
}

// recordKinds are the types of the records that tell of reservations.
const recordKinds = "UYBKk"

// TellOfReservations reports whether accounting logs do that have so many records of each type.
func TellOfReservations(types map[string]int) bool {
	for kind, n := range types {
		if n > 0 && strings.Contains(recordKinds, kind) {
			return true
		}
	}
	return false
}

// reader is what is known of reservations so far.
type reader struct {
	zone     *time.Location
	until    int64
	known    map[string]*reservationRecord
	all      []*reservationRecord // in the order of the log
	records  []datedLine
	text     int // bytes of records
	holds    int
	problems []trace.Problem
}

// datedLine is a line of a log with its time.
type datedLine struct {
	at    int64
	line  string
	where trace.Problem
}

// reservationRecord is the records of one reservation.
type reservationRecord struct {
	Reservation
	number, last int64 // its place among all, and the time of its last record
	rule, zone   string
	confirmed    []confirmation
	begun        []confirmation
	place        string
	at           trace.Problem // where its rule stands
}

// confirmation is a record Y or B.
type confirmation struct {
	at, start, end int64
	nodes          string
	count          int
}

// read takes in a log. Lines of jobs only tell the clock what time it is.
func (r *reader) read(log file.Source, clock *trace.Clock) error {
	const kindAt = len("00/00/0000 00:00:00;")
	var before []byte // the last line of a job
	each := func(number int, line []byte) error {
		if len(line) <= kindAt+1 || line[kindAt+1] != ';' {
			return nil // trace tells what is wrong with it
		}
		switch line[kindAt] {
		case 'Q', 'S', 'E':
			before = append(before[:0], line...)
			return nil
		}
		if strings.IndexByte(recordKinds, line[kindAt]) < 0 {
			return nil
		}
		l, why := trace.ParseLine(line)
		if why != "" {
			return nil
		}
		if job, why := trace.ParseLine(before); why == "" {
			clock.Unix(job)
			before = before[:0]
		}
		at := clock.Unix(l)
		if r.until != 0 && at > r.until {
			return nil
		}
		of := datedLine{at: at, line: string(line)}
		of.where.File, of.where.Line = log.Place(number)
		switch r.text += len(line); {
		case len(r.records) > maxRecords:
		case len(r.records) == maxRecords:
			r.problem(of, fmt.Sprintf("there are more than %d records of reservations: the others are left out", maxRecords))
			r.records = append(r.records, datedLine{})
		case r.text > maxText:
			r.problem(of, "the record has too many vnodes in all: the record is left out")
		default:
			r.records = append(r.records, of)
		}
		return nil
	}
	return file.EachLine(log, each, func(int, string) {})
}

// problem notes what is wrong with a record.
func (r *reader) problem(of datedLine, why string) {
	const most = 1000
	if of.where.Detail = why; len(r.problems) < most {
		r.problems = append(r.problems, of.where)
	}
}

// takeAll takes in the records in the order of their times, whatever that of the logs is, and one
// that is there twice once.
func (r *reader) takeAll() {
	r.records = r.records[:min(len(r.records), maxRecords)]
	slices.SortStableFunc(r.records, func(a, b datedLine) int { return cmp.Compare(a.at, b.at) })
	seen := map[string]bool{}
	for _, of := range r.records {
		if seen[of.line] {
			continue
		}
		seen[of.line] = true
		l, _ := trace.ParseLine([]byte(of.line)) // which read has done
		if why := r.take(l, of.at, of.where); why != "" {
			r.problem(of, why+": the record is left out")
		}
	}
}

// take takes in a record. why says what is wrong with one that cannot be.
func (r *reader) take(l trace.Line, at int64, where trace.Problem) (why string) {
	if l.ID == "" || bytes.IndexByte([]byte("RSM"), l.ID[0]) < 0 {
		return "it names no reservation"
	}
	of := map[string]string{}
	for _, a := range l.Attributes {
		of[a.Name] = a.Value
	}
	c := confirmation{at: at, nodes: of["nodes"], count: 1}
	if l.Type == "Y" || l.Type == "B" {
		if c.start, why = timeOf("start", of["start"]); why != "" {
			return why
		}
		if c.end, why = timeOf("end", of["end"]); why != "" {
			return why
		}
		if c.nodes != "" && !strings.HasSuffix(c.nodes, ")") {
			return "its list of vnodes is cut off"
		}
		if c.end <= c.start {
			return fmt.Sprintf("its end %d does not come after its start %d", c.end, c.start)
		}
		n, err := strconv.Atoi(cmp.Or(of["count"], "1"))
		if err != nil {
			return fmt.Sprintf("its count %.40q is no number", of["count"])
		}
		c.count = max(1, min(n, maxOccurrences))
	}
	k := r.known[l.ID]
	if k == nil || k.Ended != 0 && l.Type == "U" { // numbers begin anew now and then
		k = &reservationRecord{number: int64(len(r.all))}
		k.ID, k.IsStanding, k.IsMaintenance = l.ID, l.ID[0] == 'S', l.ID[0] == 'M'
		k.Queue, _, _ = strings.Cut(l.ID, ".")
		r.known[l.ID] = k
		r.all = append(r.all, k)
	}
	switch l.Type {
	case "U":
		k.Asked = at
		k.rule, k.zone, k.at = of["recurrence_rrule"], of["timezone"], where
		interactive, _ := strconv.Atoi(of["Interactive"])
		k.IsASAP = interactive < 0
	case "Y":
		k.confirmed = append(k.confirmed, c)
	case "B":
		k.begun = append(k.begun, c)
		k.Queue = cmp.Or(of["queue"], k.Queue)
		k.place = cmp.Or(of["Resource_List.place"], k.place)
		k.Amounts = map[string]string{}
		for name, value := range of {
			if resource, ok := strings.CutPrefix(name, "Resource_List."); ok {
				k.Amounts[resource] = value
			}
		}
		if asked, why := timeOf("ctime", of["ctime"]); why == "" && k.Asked == 0 {
			k.Asked = asked
		}
	default:
		k.Ended = at
	}
	k.last = at
	return ""
}

// timeOf returns a time of a record, in seconds since 1970.
func timeOf(name, value string) (at int64, why string) {
	const year1990, year2200 = 631152000, 7258118400
	at, err := strconv.ParseInt(value, 10, 64)
	if err != nil || at < year1990 || at > year2200 {
		const most = 40
		return 0, fmt.Sprintf("%s is %.*q, which is no time in seconds since 1970", name, most, value)
	}
	return at, ""
}

// reservations returns what the records come to.
func (r *reader) reservations() []*Reservation {
	var all []*Reservation
	for _, k := range r.all {
		k.settle(r)
		all = append(all, &k.Reservation)
	}
	slices.SortStableFunc(all, func(a, b *Reservation) int { return cmp.Compare(a.Asked, b.Asked) })
	return all
}

// settle makes the holds of a reservation.
func (k *reservationRecord) settle(r *reader) {
	if k.place == "" && k.IsMaintenance {
		k.place = "exclhost"
	}
	if len(k.confirmed) == 0 { // before the log
		for _, b := range k.begun {
			k.hold(r, Hold{From: k.Asked, Start: b.start, End: b.end, Nodes: b.nodes})
		}
		return
	}
	for i, y := range k.confirmed {
		until := int64(0)
		if i+1 < len(k.confirmed) {
			until = k.confirmed[i+1].at
		}
		for _, start := range k.starts(r, y) {
			if begun := until != 0 && start <= until; i > 0 && start <= y.at {
				continue // it had begun as it was before, but for its end
			} else if h := k.occurrence(y, start); begun {
				if next := k.confirmed[i+1]; next.start == start {
					h.End = next.end
				}
				k.hold(r, h)
			} else {
				h.Until = until
				k.hold(r, h)
			}
		}
	}
	for _, b := range k.begun { // those that no rule has told
		if !slices.ContainsFunc(k.Holds, func(h Hold) bool { return h.Start == b.start }) {
			k.hold(r, Hold{From: k.confirmed[0].at, Start: b.start, End: b.end, Nodes: b.nodes})
		}
	}
}

// occurrence returns an occurrence as a confirmation has it. All get their vnodes at the
// confirmation, which names those of the first: those of others are known from their begins,
// or are taken to be the last that are known.
func (k *reservationRecord) occurrence(y confirmation, start int64) Hold {
	h := Hold{From: y.at, Start: start, End: start + y.end - y.start, Nodes: y.nodes}
	if start == y.start {
		return h
	}
	for _, b := range k.begun {
		if b.start <= start && b.start >= y.start {
			h.Nodes = b.nodes
		}
	}
	return h
}

// hold adds a hold, as far as the reservation was there.
func (k *reservationRecord) hold(r *reader, h Hold) {
	if k.Ended != 0 {
		if h.From >= k.Ended {
			return
		}
		if h.Until == 0 || h.Until > k.Ended {
			h.Until = k.Ended
		}
	}
	if h.Nodes == "" || h.Until != 0 && h.Until <= h.From || r.holds == maxHolds {
		return
	}
	r.holds++
	h.Place = cmp.Or(k.place, "free")
	k.Holds = append(k.Holds, h)
}

// starts returns when the occurrences of a confirmation begin.
func (k *reservationRecord) starts(r *reader, y confirmation) []int64 {
	if !k.IsStanding || y.count == 1 {
		return []int64{y.start}
	}
	starts, ok := occurrences(k.rule, time.Unix(y.start, 0).In(named(k.zone, r.zone)), y.count)
	if !ok {
		k.at.Detail = fmt.Sprintf("the rule %.80q of %.80q is not known: only occurrences whose begins are on record count", k.rule, k.ID)
		r.problems = append(r.problems, k.at)
		return []int64{y.start}
	}
	return starts
}
