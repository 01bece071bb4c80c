package world

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/qstat"
)

// maxStatus is more reservations than any site has at a time.
const maxStatus = 10_000

// ParseStatus returns the reservations that pbs_rstat -f prints, with their state and with one
// Hold for each occurrence to come of those that are confirmed. Its times are local to a zone.
func ParseStatus(text string, zone *time.Location) (all []*Reservation, problems []error) {
	var attributes map[string]string
	known := map[string]bool{}
	finish := func() {
		if attributes == nil {
			return
		}
		k, err := reservationOf(attributes, zone)
		attributes = nil
		if known[k.ID] {
			return // it stands twice
		}
		known[k.ID] = true
		if err != nil {
			problems = append(problems, err)
		}
		all = append(all, k)
	}
	last := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		id, isFirst := strings.CutPrefix(strings.TrimSpace(line), "Resv ID:")
		if !isFirst {
			id, isFirst = strings.CutPrefix(strings.TrimSpace(line), "Name:") // as older ones print it
		}
		name, value, isAttribute := strings.Cut(line, " = ")
		rest, continues := strings.CutPrefix(line, "\t")
		switch {
		case isFirst && len(all) < maxStatus:
			finish()
			attributes, last = map[string]string{"id": strings.TrimSpace(id)}, ""
		case attributes == nil:
		case continues && last != "":
			attributes[last] += rest
		case isAttribute:
			last = strings.TrimSpace(name)
			attributes[last] = strings.TrimSpace(value)
		}
	}
	finish()
	return all, problems
}

// keepsVnodes says of each reserve_state without RESV_ whether a reservation in it has its vnodes, as PBS's pbs_ifl.h has the
// states: one that is being deleted has them until its jobs are gone.
var keepsVnodes = map[string]bool{
	"NONE": false, "UNCONFIRMED": false, "FINISHED": false, "DELETED": false,
	"CONFIRMED": true, "WAIT": true, "TIME_TO_RUN": true, "RUNNING": true, "DEGRADED": true, "BEING_ALTERED": true, "IN_CONFLICT": true,
	"BEING_DELETED": true, "DELETING_JOBS": true,
}

// reservationOf returns a reservation of its attributes. What is wrong with its times comes
// with one that holds nothing.
func reservationOf(of map[string]string, zone *time.Location) (*Reservation, error) {
	id := of["id"]
	queue, _, _ := strings.Cut(id, ".")
	k := &Reservation{ID: id, Queue: queue, State: strings.TrimPrefix(of["reserve_state"], "RESV_"), Amounts: map[string]string{}}
	if of["queue"] != "" {
		k.Queue = of["queue"]
	}
	k.Partition = of["partition"]
	k.IsMaintenance = strings.HasPrefix(id, "M")
	k.IsStanding = strings.HasPrefix(id, "S")
	for name, value := range of {
		if resource, ok := strings.CutPrefix(name, "Resource_List."); ok {
			k.Amounts[resource] = value
		}
		if name != "id" && pbs.SettingOf(pbs.OfReservation, name) == nil {
			k.Unknown = append(k.Unknown, name)
		}
	}
	k.Asked, _ = localTime(of["ctime"], zone)
	isKept, isKnown := keepsVnodes[k.State]
	if isKnown && !isKept {
		return k, nil
	}
	if of["resv_nodes"] == "" {
		if isKept {
			return k, fmt.Errorf("reservation %.40q is %s, but nothing tells its vnodes: the list is cut off, and nothing is kept for it", id, strings.ToLower(k.State))
		}
		return k, nil // not confirmed
	}
	start, isStart := localTime(of["reserve_start"], zone)
	end, isEnd := localTime(of["reserve_end"], zone)
	if !isStart || !isEnd || end <= start {
		return k, fmt.Errorf("reservation %.40q is not from one time to another: %.40q to %.40q", id, of["reserve_start"], of["reserve_end"])
	}
	place := of["Resource_List.place"]
	if place == "" {
		place = "free"
	}
	starts := []int64{start}
	var err error
	if k.State != "" && !isKnown {
		err = fmt.Errorf("reservation %.40q is in the state %.40q, which PBS does not have: its vnodes are taken to be kept", id, of["reserve_state"])
	}
	count, wrongCount := strconv.Atoi(cmp.Or(of["reserve_count"], "1"))
	index, wrongIndex := strconv.Atoi(cmp.Or(of["reserve_index"], "0")) // of the occurrence that begins at start, from 1
	switch {
	case k.IsStanding && (wrongCount != nil || wrongIndex != nil):
		err = fmt.Errorf("reserve_count %.40q or reserve_index %.40q of %.80q is no number: only its next occurrence counts", of["reserve_count"], of["reserve_index"], id)
	case k.IsStanding && count > 1:
		if more, ok := occurrences(of["reserve_rrule"], time.Unix(start, 0).In(named(of["reserve_timezone"], zone)), min(count-max(0, index-1), maxOccurrences)); ok && len(more) > 0 {
			starts = more
		} else {
			err = fmt.Errorf("the rule %.80q of %.80q is not known: only its next occurrence counts", of["reserve_rrule"], id)
		}
	}
	for _, at := range starts {
		k.Holds = append(k.Holds, Hold{From: k.Asked, Start: at, End: at + end - start, Nodes: of["resv_nodes"], Place: place})
	}
	return k, err
}

// named returns the zone of a name, such as that of whom a reservation is, or the one given where there is none.
func named(name string, zone *time.Location) *time.Location {
	if own, err := time.LoadLocation(name); err == nil && name != "" && name != "Local" {
		return own
	}
	return zone
}

// localTime returns a time as PBS's commands print it, or in seconds since 1970.
func localTime(text string, zone *time.Location) (at int64, ok bool) {
	if at, why := timeOf("", text); why == "" {
		return at, true
	}
	at, ok = qstat.ParseTime(text, zone)
	if !ok || time.Unix(at, 0).In(zone).Year() < oldestYear {
		return 0, false
	}
	return at, true
}

// With returns reservations and those of others that are not among them.
func With(all, others []*Reservation) []*Reservation {
	known := map[string]bool{}
	for _, r := range all {
		known[r.ID] = true
	}
	return slices.Concat(all, slices.DeleteFunc(slices.Clone(others), func(r *Reservation) bool { return known[r.ID] }))
}
