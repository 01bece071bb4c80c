package world

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

const rstat = `Resv ID: R1.x
Reserve_Name = course
Reserve_Owner = alice@login
reserve_state = RESV_CONFIRMED
reserve_start = Mon Mar 02 10:00:00 2026
reserve_end = Mon Mar 02 12:00:00 2026
reserve_duration = 7200
queue = R1
Resource_List.ncpus = 4
resv_nodes = (n1:ncpus=2)
	+(n2:ncpus=2)
ctime = Mon Mar 02 08:00:00 2026

Resv ID: S2.x
    reserve_state = RESV_RUNNING
    reserve_start = 1772445600
    reserve_end = 1772449200
    reserve_rrule = FREQ=DAILY;COUNT=4
    reserve_count = 4
    reserve_index = 2
    resv_nodes = (n3:ncpus=2)
    ctime = 1772438400

Resv ID: R3.x
    reserve_state = RESV_UNCONFIRMED
    reserve_start = 1772445600
`

func TestParseStatus(t *testing.T) {
	all, problems := ParseStatus(rstat, time.UTC)
	if len(all) != 3 || len(problems) > 0 {
		t.Fatal(all, problems)
	}
	for i, want := range []string{
		"R1 8: 8-0 10-12 (n1:ncpus=2)+(n2:ncpus=2)",
		"S2 8: 8-0 10-11 (n3:ncpus=2) 8-0 34-35 (n3:ncpus=2) 8-0 58-59 (n3:ncpus=2)",
		"R3 -:",
	} {
		if got := textOf(all[i]); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if r := all[0]; r.State != "CONFIRMED" || r.Amounts["ncpus"] != "4" || !all[1].IsStanding {
		t.Errorf("%+v", r)
	}
	if both := With(all[:1], all); len(both) != 3 {
		t.Errorf("%d", len(both))
	}
	all, problems = ParseStatus("Resv ID: R1.x\nreserve_start = soon\nreserve_end = late\nresv_nodes = (n1:ncpus=1)\n", time.UTC)
	if len(all) != 1 || len(all[0].Holds) > 0 || len(problems) != 1 {
		t.Error(all, problems)
	}
}

// A reservation has its vnodes in some states and not in others; of one that PBS does not have, that is said.
func TestStates(t *testing.T) {
	for state, holds := range map[string]int{
		"UNCONFIRMED": 0, "FINISHED": 0, "DELETED": 0, "CONFIRMED": 1, "RUNNING": 1, "DEGRADED": 1, "BEING_ALTERED": 1, "BEING_DELETED": 1, "FOO": 1,
	} {
		all, problems := ParseStatus(strings.Replace(rstat, "RESV_CONFIRMED", "RESV_"+state, 1), time.UTC)
		if len(all) != 3 || len(all[0].Holds) != holds || (len(problems) > 0) != (state == "FOO") {
			t.Errorf("%s: %v %v", state, all[0].Holds, problems)
		}
	}
}

// A count of occurrences that is no number is said: the next one alone counts.
func TestOddCounts(t *testing.T) {
	for _, name := range []string{"reserve_count = 4", "reserve_index = 2"} {
		for _, value := range []string{"four", "4x", "99999999999999999999"} {
			key, _, _ := strings.Cut(name, " = ")
			all, problems := ParseStatus(strings.Replace(rstat, name, key+" = "+value, 1), time.UTC)
			if len(all) != 3 || len(problems) != 1 || !strings.Contains(fmt.Sprint(problems), strconv.Quote(value)) || len(all[1].Holds) != 1 {
				t.Errorf("%s: %v", value, problems)
			}
		}
	}
}

// Whatever a text has, what comes out of it is bounded and in order.
func FuzzStatus(f *testing.F) {
	f.Add(rstat)
	f.Add("Resv ID: S1.x\nreserve_rrule = FREQ=HOURLY\nreserve_count = 99999999\nreserve_start = 1772445600\nreserve_end = 1772449200\nresv_nodes = (n1)\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, _ := ParseStatus(text, time.UTC)
		if len(all) > maxStatus {
			t.Errorf("%d reservations", len(all))
		}
		for _, r := range all {
			for _, h := range r.Holds {
				if h.End <= h.Start || h.Nodes == "" || len(r.Holds) > maxOccurrences {
					t.Errorf("%v", h)
				}
			}
		}
	})
}
