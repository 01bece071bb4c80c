package world

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// What the server logs of vnodes, twice what qmgr has set, and of anything else.
const serverLog = `03/02/2026 08:10:12.740964;0004;Server@s;Node;n03;attributes set:  at request of root@s
03/02/2026 08:10:13.033555;0004;Server@s;Node;n03;attributes set: state = offline
03/02/2026 08:10:13.045422;0004;Server@s;Node;n03;attributes set: state = offline
03/02/2026 08:11:00;0004;Server@s;Node;n01;attributes set: comment = fan
03/02/2026 08:12:00;0004;Server@s;Job;1.s;Job Run
03/02/2026 10:00:06.534891;0004;Server@s;Node;n03;attributes set: state - offline
03/02/2026 11:30:04.884517;0004;Server@s;Node;n08;attributes set: resources_available.ncpus = 8
03/02/2026 12:00:15.030137;0002;Server@s;Node;g02;node down: communication closed
03/02/2026 12:05:35.626643;0002;Server@s;Node;g02;node up
32/02/2026 12:05:35.626643;0002;Server@s;Node;g02;node up
2026-03-02 12:05:35;0002;Server@s;Node;g02;node up
;Node;g02;node up
03/02/2026 11:30:04.884517;0004;Server@s;Node;n08;attributes set: resources_available.ncpus = 99999999999999999999
03/02/2026 11:30:04.884517;0004;Server@s;Node;n08;attributes set: resources_available.host = n08
`

func TestReadVnodeEvents(t *testing.T) {
	long := strings.Repeat("x", 200<<10) + "\n"
	got, unread, err := ReadVnodeEvents(nil, strings.NewReader(long+serverLog), time.UTC)
	at := func(hour, minute, second int) int64 {
		return time.Date(2026, 3, 2, hour, minute, second, 0, time.UTC).Unix()
	}
	want := []VnodeEvent{
		{at(8, 10, 13), "n03", Offline, "", 0, false}, {at(10, 0, 6), "n03", Online, "", 0, false}, {at(11, 30, 4), "n08", Resized, "ncpus", 8, false},
		{at(12, 0, 15), "g02", Down, "", 0, false}, {at(12, 5, 35), "g02", Up, "", 0, false},
	}
	if err != nil || unread != 4 || !slices.Equal(got, want) {
		t.Errorf("%v, %d unread (%v), want %v", got, unread, err, want)
	}
}

func TestParseVnodeEvents(t *testing.T) {
	at := time.Date(2026, 3, 2, 8, 10, 0, 0, time.UTC).Unix()
	for _, test := range []struct {
		text string
		want []VnodeEvent
		err  string
	}{
		{"", nil, ""},
		{"time,vnode,state\n2026-03-02 08:10:00,n03,offline\n", []VnodeEvent{{at, "n03", Offline, "", 0, false}}, ""},
		{"# a remark\n1772439000,n03,up\n2026-03-02T08:10:00Z,n03,down\n", []VnodeEvent{{at, "n03", Up, "", 0, false}, {at, "n03", Down, "", 0, false}}, ""},
		{"2026-03-02 08:11,a,online\n2026-03-02 08:10,a,ncpus=8\n", []VnodeEvent{{at, "a", Resized, "ncpus", 8, false}, {at + 60, "a", Online, "", 0, false}}, ""},
		{"2026-03-02 08:10,a,sick\n", nil, `line 1: "sick" is none of up, down, offline, online and RESOURCE=AMOUNT`},
		{"2026-03-02 08:10,,up\n", nil, "line 1: a vnode without a name"},
		{"noon,a,up\n", nil, `line 1: "noon" is not a time`},
		{"2026-03-02 08:10,a,ncpus=many\n", nil, `line 1: "many" is not an amount`},
		{"2026-03-02 08:10,a\n", nil, "wrong number of fields"},
	} {
		got, err := ParseVnodeEvents(test.text, time.UTC)
		if err == nil != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%q: %v, want %q", test.text, err, test.err)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q: %v, want %v", test.text, got, test.want)
		}
	}
}

// Whatever stands in a log or a table: it is read or refused, and what is read is in order
// and of vnodes with a name.
func FuzzVnodeEvents(f *testing.F) {
	f.Add(serverLog)
	f.Add("time,vnode,state\n2026-03-02 08:10:00,n03,offline\n1,a,ncpus=3\n")
	f.Fuzz(func(t *testing.T, text string) {
		logged, _, err := ReadVnodeEvents(nil, strings.NewReader(text), time.UTC)
		if err != nil {
			t.Error(err)
		}
		table, err := ParseVnodeEvents(text, time.UTC)
		if err == nil && !slices.IsSortedFunc(table, func(a, b VnodeEvent) int { return int(a.At - b.At) }) {
			t.Errorf("%v are in no order", table)
		}
		for _, e := range append(logged, table...) {
			if e.Vnode == "" || e.Amount < 0 || e.Amount != e.Amount {
				t.Errorf("%+v", e)
			}
		}
	})
}
