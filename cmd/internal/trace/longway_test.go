package trace

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// randomMessage returns what a record may say, with much that none does.
func randomMessage(r *rand.Rand) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	digits := func() string { return fmt.Sprint(r.Uint64() >> (r.IntN(61) + 3)) }
	value := func() string {
		switch r.IntN(8) {
		case 0:
			return digits() + pick("kb", "mb", "gb", "tb", "b", "", "w", "GB", "kw")
		case 1:
			return digits() + ":" + digits()
		case 2:
			return fmt.Sprintf("%02d:%02d:%02d", r.IntN(200), r.IntN(70), r.IntN(70))
		case 3:
			return pick("", "0", "-", "0:", ":1", "1:2:3:4", "1::2", "-3gb", "gb", "0001gb", "1e3", "1.5gb", "1048576gb", "1048577gb", "999999999:00:00", "00:00:00.5", "+5", "١:٢")
		case 4:
			return pick(`"`, "'") + "a value" + pick(`"`, "'", "")
		case 5:
			return "(n1:ncpus=1:mem=5gb)+(n2:ncpus=2)"
		}
		return fmt.Sprint(1772438400 + r.IntN(1000))
	}
	fits := map[string]string{
		"Resource_List.mem": "5gb", "Resource_List.walltime": "01:00:00", "Resource_List.ncpus": "4",
		"resources_used.mem": "12kb", "resources_used.walltime": "60", "resources_used.cput": "00:00:05", "start": "1772438400", "end": "1772438460",
	}
	var b strings.Builder
	b.WriteString(pick("", "", "Job deleted ", " ", "x=", "requestor="))
	for range r.IntN(12) {
		name := pick("user", "queue", "ctime", "etime", "start", "end", "Exit_status", "Resource_List.mem", "Resource_List.walltime", "Resource_List.ncpus", "Resource_List.other",
			"resources_used.mem", "resources_used.walltime", "resources_used.cput", "exec_vnode", "two words", "_x", "1x", "")
		is := pick("=", "=", "=", "=", "==", " ", "") + value() + pick(" ", " ", " ", "  ", "", "\t")
		if fit := fits[name]; fit != "" && r.IntN(4) > 0 { // else most records have one for which they are left out
			is = "=" + fit + pick(" ", "  ")
		}
		b.WriteString(name + is)
	}
	return b.String()
}

// The short ways of reading a record understand what the long ones do.
func TestShortWay(t *testing.T) {
	defer func() { takesLongWay = false }()
	random := rand.New(rand.NewPCG(5, 6))
	keep := Keep{Used: []string{"mem", "walltime"}, Asked: []string{"mem", "other"}, Requests: true}
	messages := 50_000
	if testing.Short() {
		messages = 5_000
	}
	read := 0
	for range messages {
		line := "03/02/2026 09:00:00;" + string("QSERDA"[random.IntN(6)]) + ";1.s;" + randomMessage(random)
		say := func() string {
			l, why := ParseLine([]byte(line))
			r, _ := cut([]byte(line))
			e, wrong := newEvent(r, keep)
			if wrong == "" && len(l.Attributes) > 2 {
				read++
			}
			return fmt.Sprintf("%+v %s %+v %s", l, why, e, wrong)
		}
		takesLongWay = true
		long := say()
		takesLongWay = false
		if short := say(); short != long {
			t.Fatalf("%q is read as\n%s\nand the long way as\n%s", line, short, long)
		}
	}
	if read < messages/4 {
		t.Errorf("of %d messages, %d have attributes without anything wrong", messages, read/2)
	}
}
