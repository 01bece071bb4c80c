package dump

import (
	"strings"
	"testing"
	"time"
)

// A node gets jobs in some states, in others none; what Slurm never prints is known for that.
func TestIsUp(t *testing.T) {
	for state, want := range map[string][2]bool{
		"IDLE": {true, true}, "MIXED+PLANNED": {true, true}, "ALLOCATED+COMPLETING": {true, true}, "idle": {true, true},
		"IDLE+CLOUD+POWERED_DOWN": {true, true}, "IDLE~": {true, true}, "MIXED#": {true, true},
		"DOWN": {false, true}, "DOWN*+DRAIN": {false, true}, "IDLE+DRAIN": {false, true}, "MIXED+DRAIN": {false, true}, "IDLE*": {false, true},
		"IDLE+NOT_RESPONDING": {false, true}, "FUTURE": {false, true}, "UNKNOWN": {false, true}, "IDLE+FAIL": {false, true},
		"IDLE+POWER_DRAIN": {false, true}, "IDLE+REBOOT_ISSUED": {false, true}, "IDLE+PERFCTRS": {false, true}, "IDLE+BLOCKED": {true, true},
		"DOWN+POWERING_UP+NOT_RESPONDING": {false, true}, "IDLE*+POWERING_UP": {true, true}, "IDLE+BANANA": {true, true},
		"BANANA": {false, false}, "": {false, false},
	} {
		if is, isKnown := IsUp(state); is != want[0] || isKnown != want[1] {
			t.Errorf("%q: up %v, known %v; want %v", state, is, isKnown, want)
		}
	}
}

// A node that Slurm says to be reserved, by whatever word, and of which no reservation is known, is named. Where no node is and
// nothing tells of reservations, it is said that they are not known.
func TestUnreserved(t *testing.T) {
	const reservation = "ReservationName=r StartTime=2026-03-02T11:00:00 EndTime=2026-03-02T20:00:00 Nodes=n1 Flags=\n"
	const none = "no scontrol show reservation"
	for _, test := range []struct {
		nodes, reservations string
		is                  string
	}{
		{"NodeName=n1 State=IDLE+RESERVED\n", reservation, ""},
		{"NodeName=n1 State=IDLE\n", "", ""},
		{"NodeName=n1 State=IDLE+RESERVED\n", "", "be reserved, n1:"},
		{"NodeName=n1 State=IDLE+RESERVED\n", none, "be reserved, n1:"},
		{"NodeName=n1 State=IDLE\n", none, "the site has no scontrol show reservation"},
		{"NodeName=n1 State=IDLE+MAINT\n", "", "be reserved, n1:"},
		{"NodeName=n1 State=IDLE+MAINTENANCE*\n", "", "be reserved, n1:"},
		{"NodeName=n1 State=idle$\n", "", "be reserved, n1:"},
		{"NodeName=n1 State=MIXED ReservationName=r\n", "", "be reserved, n1:"},
		{"NodeName=n1 State=MIXED ReservationName=(null)\n", "", ""},
		{"NodeName=n1 State=MIXED+RESERVED ReservationName=r\n", reservation, ""},
		{"NodeName=n1 State=MIXED+RESERVED ReservationName=other\n", reservation, "be reserved, n1:"}, // and not by one that begins later
		{"NodeName=n1 State=IDLE+RESERVED\nNodeName=n2 State=MIXED+RESERVED+PLANNED\n", reservation, "be reserved, n2:"},
	} {
		d := &Dump{Parts: []Part{{Kind: KindNodes, Text: test.nodes}, {Kind: KindReservations, Text: test.reservations}}}
		if test.reservations == none {
			d.Parts = d.Parts[:1]
		}
		_, remarks, err := d.Reservations(time.UTC)
		switch {
		case err != nil:
			t.Error(err)
		case (test.is == "") != (len(remarks) == 0) || test.is != "" && !strings.Contains(remarks[0].Text, test.is):
			t.Errorf("%q with %q: %v", test.nodes, test.reservations, remarks)
		}
	}
}

// The Reason of a node is that of all its words, however scontrol printed it.
func TestReasons(t *testing.T) {
	const want = "bad DIMM, ticket 7 [root@2026-03-02T11:00:00]"
	for name, text := range map[string]string{
		"lines":    "NodeName=n1 State=IDLE\n   Weight=1\n\nNodeName=n2 State=IDLE+DRAIN\n   Reason=" + want + "\n   Comment=x\n",
		"one line": "NodeName=n1 State=IDLE Weight=1\nNodeName=n2 State=IDLE+DRAIN Reason=" + want + " Comment=x\n",
		"JSON":     `{"nodes": [{"name": "n1", "state": ["IDLE"], "reason": ""}, {"name": "n2", "state": ["IDLE", "DRAIN"], "reason": "bad DIMM, ticket 7", "reason_changed_at": {"set": true, "infinite": false, "number": 1772449200}, "reason_set_by_user": "root"}]}`,
	} {
		d := &Dump{Parts: []Part{{Kind: KindNodes, Text: text}}}
		if got := d.Reasons(); len(got) != 1 || got["n2"] != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
