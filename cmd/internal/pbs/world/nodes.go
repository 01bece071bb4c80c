package world

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/trace"
	"fairshare/formula"
)

// VnodeEvent is that a vnode becomes another one at a time.
type VnodeEvent struct {
	At       int64 // seconds since 1970
	Vnode    string
	Kind     VnodeChange
	Resource string  // with Resized
	Amount   float64 // of Resource; sizes in kb
	IsAsked  bool    // whether a policy asks for it: what the record tells of the vnode then does not end it
}

// repeats reports whether an event says the same as the one before it: the server logs what qmgr has set twice.
func (e *VnodeEvent) repeats(last VnodeEvent) bool {
	isSame := e.Vnode == last.Vnode && e.Kind == last.Kind && e.Amount == last.Amount
	return isSame && e.At-last.At <= 1
}

// VnodeChange is what happens to a vnode.
type VnodeChange int

// What happens to vnodes.
const (
	Offline VnodeChange = iota // an administrator lets nothing start on it; what runs there goes on
	Online                     // that is taken back
	Down                       // it does not answer any more, and loses what runs on it after a while
	Up                         // it answers again
	Resized                    // it has another amount of a resource
	InUse                      // jobs have something of it that nothing else tells: it is not without jobs
)

// maxVnodeEvents bounds what is kept of a site's server logs.
const maxVnodeEvents = 1 << 20

// ReadVnodeEvents returns what a log of PBS's server says of vnodes, appended to all, and how
// many lines tell of a change whose time or amount cannot be. Lines of other things are passed
// over. The times are local to a zone.
func ReadVnodeEvents(all []VnodeEvent, r io.Reader, zone *time.Location) (events []VnodeEvent, unread int, err error) {
	lines := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		if e, is := vnodeEvent(line, zone); is && e.At == trace.Unknown {
			unread++
		} else if is {
			if len(all) == maxVnodeEvents {
				return all, unread, errors.New("it tells of too many changes of vnodes")
			}
			if n := len(all); n == 0 || !e.repeats(all[n-1]) {
				all = append(all, e)
			}
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull): // the rest of a line that is too long says nothing of vnodes
		case errors.Is(err, io.EOF):
			return all, unread, nil
		case err != nil:
			return all, unread, err
		}
	}
}

// vnodeEvent returns what a line says of a vnode. Its time is Unknown if that or the amount
// cannot be. ok is false if the line says nothing.
func vnodeEvent(line []byte, zone *time.Location) (e VnodeEvent, ok bool) {
	const stamp = "01/02/2006 15:04:05"
	mark := []byte(";Node;")
	at := bytes.Index(line, mark)
	if at < 0 {
		return e, false
	}
	name, said, ok := strings.Cut(string(bytes.TrimRight(line[at+len(mark):], "\r\n")), ";")
	if !ok || name == "" {
		return e, false
	}
	e = VnodeEvent{At: trace.Unknown, Vnode: name}
	if when, err := time.ParseInLocation(stamp, string(line[:min(at, len(stamp))]), zone); err == nil {
		e.At = when.Unix()
	}
	set, isSet := strings.CutPrefix(said, "attributes set: ")
	switch {
	case isSet && strings.HasPrefix(set, "resources_available."):
		resource, value, _ := strings.Cut(strings.TrimPrefix(set, "resources_available."), " = ")
		amount, isAmount := formula.ParseAmount(strings.TrimSpace(value), "")
		e.Kind, e.Resource = Resized, resource
		if e.Amount, ok = amount.Number(); !isAmount || !ok {
			return e, false // a word, such as that of host
		}
		const most = 1 << 53 // more than any vnode has, also of mem in kb
		if !(e.Amount >= 0 && e.Amount <= most) || resource == "ncpus" && e.Amount > math.MaxInt32 {
			e.At, e.Amount = trace.Unknown, 0
		}
	case isSet:
		return e.ofState(set)
	case strings.HasPrefix(said, "node down"):
		e.Kind = Down
	case strings.HasPrefix(said, "node up"):
		e.Kind = Up
	default:
		return e, false
	}
	return e, true
}

// ofState returns the event of "state = offline" and its like, as qmgr sets it.
func (e VnodeEvent) ofState(set string) (VnodeEvent, bool) {
	words := strings.Fields(set)
	if len(words) != 3 || words[0] != "state" {
		return e, false
	}
	isOffline := slices.Contains(strings.Split(words[2], ","), "offline")
	switch {
	case words[1] == "-" && isOffline, words[1] == "=" && words[2] == "free":
		e.Kind = Online
	case isOffline:
		e.Kind = Offline
	default:
		return e, false
	}
	return e, true
}

// ServerLine returns the line in which a server logs an event, with its time local to a zone.
func (e VnodeEvent) ServerLine(zone *time.Location) string {
	said := map[VnodeChange]string{
		Offline: "attributes set: state = offline", Online: "attributes set: state - offline", Down: "node down", Up: "node up",
		Resized: "attributes set: resources_available." + e.Resource + " = " + strconv.FormatFloat(e.Amount, 'f', -1, 64),
	}[e.Kind]
	return time.Unix(e.At, 0).In(zone).Format("01/02/2006 15:04:05") + ";0004;Server@server;Node;" + e.Vnode + ";" + said
}

// ParseVnodeEvents returns the events of a table in CSV with the columns time, vnode and
// state, in the order of their times. A state is up, down, offline, online or RESOURCE=AMOUNT;
// a time is seconds since 1970, or a date and time in a zone.
func ParseVnodeEvents(text string, zone *time.Location) ([]VnodeEvent, error) {
	rows := csv.NewReader(strings.NewReader(text))
	rows.FieldsPerRecord, rows.TrimLeadingSpace, rows.Comment = 3, true, '#'
	var all []VnodeEvent
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		line, _ := rows.FieldPos(0)
		if len(all) == 0 && line == 1 && row[0] == "time" {
			continue
		}
		e, err := parsedEvent(row, zone)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if all = append(all, e); len(all) > maxVnodeEvents {
			return nil, errors.New("it tells of too many changes of vnodes")
		}
	}
	slices.SortStableFunc(all, func(a, b VnodeEvent) int { return cmp.Compare(a.At, b.At) })
	return all, nil
}

// states are the words for what happens to vnodes.
var states = map[string]VnodeChange{"offline": Offline, "online": Online, "down": Down, "up": Up}

func parsedEvent(row []string, zone *time.Location) (e VnodeEvent, err error) {
	e.Vnode = strings.TrimSpace(row[1])
	if e.At, err = moment.ParseTime(strings.TrimSpace(row[0]), zone); err != nil {
		return e, err
	}
	state := strings.TrimSpace(row[2])
	kind, isKnown := states[state]
	resource, text, isAmount := strings.Cut(state, "=")
	switch {
	case e.Vnode == "":
		return e, errors.New("a vnode without a name")
	case isKnown:
		e.Kind = kind
		return e, nil
	case !isAmount:
		return e, fmt.Errorf("%q is none of up, down, offline, online and RESOURCE=AMOUNT", state)
	}
	e.Kind, e.Resource = Resized, strings.TrimSpace(resource)
	amount, ok := formula.ParseAmount(strings.TrimSpace(text), "")
	if e.Amount, isKnown = amount.Number(); !ok || !isKnown || !(e.Amount >= 0) {
		return e, fmt.Errorf("%q is not an amount", text)
	}
	return e, nil
}

// Merge returns the events of two lists that are in the order of their times, in that order.
func Merge(a, b []VnodeEvent) []VnodeEvent {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(a, b VnodeEvent) int { return cmp.Compare(a.At, b.At) })
	return all
}
