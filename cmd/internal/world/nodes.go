package world

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"fairshare/formula"
)

// VnodeEvent is that a vnode becomes another one at a time.
type VnodeEvent struct {
	At       int64 // seconds since 1970
	Vnode    string
	Kind     VnodeChange
	Resource string  // with Resized
	Amount   float64 // of Resource; sizes in kb
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
)

// maxVnodeEvents bounds what is kept of a site's server logs.
const maxVnodeEvents = 1 << 20

// ReadVnodeEvents returns what a log of PBS's server says of vnodes, and appends it to all.
// Lines of other things are passed over, as are those that cannot be read. The times are
// local to a zone.
func ReadVnodeEvents(all []VnodeEvent, r io.Reader, zone *time.Location) ([]VnodeEvent, error) {
	lines := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		if e, ok := vnodeEvent(line, zone); ok {
			if len(all) == maxVnodeEvents {
				return all, errors.New("it tells of too many changes of vnodes")
			}
			// The server logs what qmgr has set twice.
			if n := len(all); n == 0 || all[n-1].Vnode != e.Vnode || all[n-1].Kind != e.Kind || all[n-1].Amount != e.Amount || e.At-all[n-1].At > 1 {
				all = append(all, e)
			}
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull): // the rest of a line that is too long says nothing of vnodes
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return all, err
		}
	}
}

// vnodeEvent returns what a line says of a vnode. ok is false if that is nothing.
func vnodeEvent(line []byte, zone *time.Location) (e VnodeEvent, ok bool) {
	const stamp = "01/02/2006 15:04:05"
	mark := []byte(";Node;")
	at := bytes.Index(line, mark)
	if at < len(stamp) {
		return e, false
	}
	name, said, ok := strings.Cut(string(bytes.TrimRight(line[at+len(mark):], "\r\n")), ";")
	when, err := time.ParseInLocation(stamp, string(line[:len(stamp)]), zone)
	if !ok || err != nil || name == "" {
		return e, false
	}
	e = VnodeEvent{At: when.Unix(), Vnode: name}
	set, isSet := strings.CutPrefix(said, "attributes set: ")
	switch {
	case isSet && strings.HasPrefix(set, "resources_available."):
		resource, value, _ := strings.Cut(strings.TrimPrefix(set, "resources_available."), " = ")
		amount, isAmount := formula.ParseAmount(strings.TrimSpace(value), "")
		e.Kind, e.Resource = Resized, resource
		if e.Amount, ok = amount.Number(); !isAmount || !ok || e.Amount < 0 {
			return e, false
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
