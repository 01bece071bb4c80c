package world

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
)

// monday is 2 March 2026, 00:00 UTC, a Monday.
const monday = 1772409600

func read(tb testing.TB, text string, zone *time.Location) ([]*Reservation, []trace.Problem) {
	log := file.Source{Name: "log", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
	all, problems, err := ReadReservations([]file.Source{log}, zone, false, 0)
	if err != nil {
		tb.Fatal(err)
	}
	return all, problems
}

func TestReadReservations(t *testing.T) {
	at := func(hour, minute int) int64 { return monday + int64(hour)*3600 + int64(minute)*60 }
	line := func(hour int, kind, id, text string) string {
		return fmt.Sprintf("03/02/2026 %02d:00:00;%s;%s;%s\n", hour, kind, id, text)
	}
	times := func(start, end int64) string { return fmt.Sprintf("requestor=s start=%d end=%d ", start, end) }
	for _, test := range []struct {
		name, log string
		want      string // of the first one
		problems  int
	}{
		{
			"as asked", line(8, "U", "R1.x", "requestor=a@x") + line(8, "Y", "R1.x", times(at(10, 0), at(12, 0))+"nodes=(n1:ncpus=2)") + line(12, "K", "R1.x", "requestor=root"),
			"R1 8: 8-12 10-12 (n1:ncpus=2)", 0,
		},
		{"of a count that is no number", line(8, "U", "R1.x", "requestor=a@x") + line(8, "Y", "R1.x", times(at(10, 0), at(12, 0))+"nodes=(n1:ncpus=2) count=3x"), "R1 8:", 1},
		{"denied", line(8, "U", "R1.x", "requestor=a@x") + line(9, "K", "R1.x", "requestor=s"), "R1 8:", 0},
		{
			"altered", line(8, "U", "R1.x", "requestor=a@x") + line(8, "Y", "R1.x", times(at(10, 0), at(12, 0))+"nodes=(n1:ncpus=2)") + line(9, "Y", "R1.x", times(at(11, 0), at(13, 0))+"nodes=(n2:ncpus=2)"),
			"R1 8: 8-9 10-12 (n1:ncpus=2) 9-0 11-13 (n2:ncpus=2)", 0,
		},
		{
			"longer while it runs", line(8, "Y", "R1.x", times(at(10, 0), at(12, 0))+"nodes=(n1:ncpus=2)") + line(11, "Y", "R1.x", times(at(10, 0), at(13, 0))+"nodes=(n1:ncpus=2)"),
			"R1 -: 8-0 10-13 (n1:ncpus=2)", 0,
		},
		{
			"deleted before", line(8, "Y", "R1.x", times(at(10, 0), at(12, 0))+"nodes=(n1:ncpus=2)") + line(9, "k", "R1.x", "requestor=a"),
			"R1 -: 8-9 10-12 (n1:ncpus=2)", 0,
		},
		{
			"before the log", line(10, "B", "R1.x", fmt.Sprintf("owner=a queue=R1 ctime=%d start=%d end=%d nodes=(n1:ncpus=2)", at(7, 0), at(10, 0), at(12, 0))),
			"R1 7: 7-0 10-12 (n1:ncpus=2)", 0,
		},
		{
			"standing", line(8, "U", "S1.x", "requestor=a@x recurrence_rrule=FREQ=HOURLY;INTERVAL=2;COUNT=3 timezone=Etc/UTC") + line(8, "Y", "S1.x", times(at(10, 0), at(11, 0))+"nodes=(n1:ncpus=2) count=3") +
				line(12, "B", "S1.x", fmt.Sprintf("queue=S1 start=%d end=%d nodes=(n2:ncpus=2)", at(12, 0), at(13, 0))),
			"S1 8: 8-0 10-11 (n1:ncpus=2) 8-0 12-13 (n2:ncpus=2) 8-0 14-15 (n2:ncpus=2)", 0,
		},
		{"a rule of another kind", line(8, "U", "S1.x", "recurrence_rrule=FREQ=YEARLY timezone=UTC") + line(8, "Y", "S1.x", times(at(10, 0), at(11, 0))+"nodes=(n1:ncpus=2) count=3"), "S1 8: 8-0 10-11 (n1:ncpus=2)", 1},
		{"no time", line(8, "U", "R1.x", "requestor=a") + line(8, "Y", "R1.x", "start=soon end=5 nodes=(n1:ncpus=2)"), "R1 8:", 1},
		{"an end before its start", line(8, "U", "R1.x", "requestor=a") + line(8, "Y", "R1.x", times(at(10, 0), at(9, 0))), "R1 8:", 1},
		{"no reservation", line(8, "U", "17.x", "requestor=a"), "", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			all, problems := read(t, test.log, time.UTC)
			got := ""
			if len(all) > 0 {
				got = textOf(all[0])
			}
			if got != test.want || len(problems) != test.problems {
				t.Errorf("%q, %v\nwant %q", got, problems, test.want)
			}
		})
	}
}

// textOf returns a reservation with its times in hours of the day.
func textOf(r *Reservation) string {
	hour := func(at int64) string {
		if at == 0 {
			return "0"
		}
		return fmt.Sprint((at - monday) / 3600)
	}
	text := r.Queue + " " + strings.ReplaceAll(hour(r.Asked), "0", "-") + ":"
	for _, h := range r.Holds {
		text += fmt.Sprintf(" %s-%s %s-%s %s", hour(h.From), hour(h.Until), hour(h.Start), hour(h.End), h.Nodes)
	}
	return text
}

// The time of a request is that of the zone in which its log was written.
func TestZone(t *testing.T) {
	all, _ := read(t, "03/02/2026 08:00:00;U;R1.x;requestor=a\n", time.FixedZone("", 3600))
	if len(all) != 1 || all[0].Asked != monday+7*3600 {
		t.Errorf("%v", all)
	}
}

func TestOccurrences(t *testing.T) {
	first := time.Unix(monday+10*3600, 0).UTC()
	for _, test := range []struct {
		rule string
		want []int64 // hours after the first
	}{
		{"FREQ=HOURLY;COUNT=3", []int64{0, 1, 2}},
		{"FREQ=DAILY;INTERVAL=2;COUNT=3", []int64{0, 48, 96}},
		{"FREQ=DAILY;UNTIL=20260304T235959Z", []int64{0, 24, 48}},
		{"FREQ=WEEKLY;COUNT=2", []int64{0, 168}},
		{"FREQ=WEEKLY;BYDAY=MO,WE;COUNT=3", []int64{0, 48, 168}},
		{"FREQ=DAILY;BYHOUR=9,10,12;COUNT=3", []int64{0, 2, 23}},
		{"FREQ=DAILY;BYDAY=SA,SU;COUNT=2", []int64{120, 144}},
		{"FREQ=MONTHLY", nil},
		{"INTERVAL=2", nil},
		{"", nil},
	} {
		starts, ok := occurrences(test.rule, first, 5)
		var hours []int64
		for _, at := range starts {
			hours = append(hours, (at-first.Unix())/3600)
		}
		if !slices.Equal(hours, test.want) || ok != (test.want != nil) {
			t.Errorf("%s: %v %v, want %v", test.rule, hours, ok, test.want)
		}
	}
}

// Whatever a log has, what comes out of it is bounded and in order.
func FuzzReservations(f *testing.F) {
	f.Add("03/02/2026 08:00:00;U;S1.x;recurrence_rrule=FREQ=DAILY;COUNT=99999 timezone=Europe/Berlin\n03/02/2026 08:00:00;Y;S1.x;start=1772445600 end=1772452800 nodes=(n1:ncpus=2) count=99999\n03/02/2026 12:00:00;k;S1.x;\n")
	f.Add("03/02/2026 08:00:00;B;M1.x;start=1772445600 end=1772452800 nodes=(n1) ctime=x\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, _ := read(t, text, time.UTC)
		holds := 0
		for _, r := range all {
			for _, h := range r.Holds {
				if holds++; h.End <= h.Start || h.Nodes == "" || h.Until != 0 && h.Until <= h.From {
					t.Errorf("%v", h)
				}
			}
		}
		if holds > maxHolds {
			t.Errorf("%d holds", holds)
		}
	})
}
