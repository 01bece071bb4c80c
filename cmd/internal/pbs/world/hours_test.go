package world

import (
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/workshop"
)

// usual is a file of holidays as PBS comes with, for a year of its own.
const usual = `* the usual hours
# of weekdays
YEAR 2026
  weekday 0900 1500
  saturday none all
  sunday all none
    1 Jan 1 New Year's Day
  359 Dec 25 Christmas
`

func TestHours(t *testing.T) {
	berlin := workshop.Zone(t, "Europe/Berlin")
	at := func(text string) time.Time {
		when, err := time.ParseInLocation("2006-01-02 15:04:05", text, berlin)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	h, problems := ParseHours(usual, "03/02/2026 17:30 03/02/2026 18:30\n03/02/2026 18:30 03/02/2026 19:00\n03/03/2026 24:00 03/04/2026 24:00\n", berlin)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, test := range []struct {
		at, next    string // next is that of prime time
		isPrime     bool
		isDedicated bool
	}{
		{"2026-03-02 08:59:59", "2026-03-02 09:00:00", false, false}, // a Monday
		{"2026-03-02 09:00:00", "2026-03-02 15:00:00", true, false},
		{"2026-03-02 15:00:00", "2026-03-03 09:00:00", false, false},
		{"2026-03-02 17:29:59", "2026-03-03 09:00:00", false, false},
		{"2026-03-02 17:30:00", "2026-03-03 09:00:00", false, true},
		{"2026-03-02 18:59:59", "2026-03-03 09:00:00", false, true},
		{"2026-03-02 19:00:00", "2026-03-03 09:00:00", false, false},
		{"2026-03-03 23:59:59", "2026-03-04 09:00:00", false, false},
		{"2026-03-04 00:00:00", "2026-03-04 09:00:00", false, true},
		{"2026-03-04 23:59:59", "2026-03-05 09:00:00", false, true},
		{"2026-03-05 00:00:00", "2026-03-05 09:00:00", false, false},
		{"2026-03-06 15:00:00", "2026-03-08 00:00:00", false, false}, // over Saturday
		{"2026-03-08 12:00:00", "2026-03-09 00:00:00", true, false},
		{"2026-03-28 12:00:00", "2026-03-29 00:00:00", false, false}, // the clock goes forward on the 29th
		{"2026-03-29 01:30:00", "2026-03-30 00:00:00", true, false},
		{"2026-12-24 15:00:00", "2026-12-27 00:00:00", false, false}, // over Christmas, Friday and Saturday
		{"2025-12-31 12:00:00", "2026-01-01 00:00:00", true, false},  // of a year that the file is not of
		{"2026-12-31 16:00:00", "2027-01-01 00:00:00", false, false},
		{"2027-01-02 12:00:00", "", true, false},
	} {
		when := at(test.at).Unix()
		want := int64(Never)
		if test.next != "" {
			want = at(test.next).Unix()
		}
		_, isDedicated := h.Dedicated(when)
		if h.IsPrime(when) != test.isPrime || h.NextPrimeChange(when) != want || isDedicated != test.isDedicated {
			t.Errorf("%s: prime %v until %s, dedicated %v", test.at, h.IsPrime(when), time.Unix(h.NextPrimeChange(when), 0).In(berlin), isDedicated)
		}
	}
	if got := h.NextChange(at("2026-03-02 16:00:00").Unix()); got != at("2026-03-02 17:30:00").Unix() {
		t.Error(got)
	}
	if got := h.NextChange(at("2026-03-02 17:45:00").Unix()); got != at("2026-03-02 19:00:00").Unix() {
		t.Error(got)
	}
}

func TestHoursForms(t *testing.T) {
	for _, test := range []struct{ name, holidays, dedicated, want string }{
		{"none", "", "", ""},
		{"old", "1998\nweekday 0600 1730\nsaturday none all\nsunday none all\n", "", ""},
		{"each day", "YEAR 2026\nmonday 0100 0200\ntuesday 0100 0200\nwednesday none all\nthursday all none\nfriday 1 2\nsaturday none all\nsunday none all\n", "", ""},
		{"no year", "weekday 0600 1730\nsaturday none all\nsunday none all\n", "", "holidays: it tells no year, so that all is prime time"},
		{"two days are missing", "YEAR 2026\nweekday 0600 1730\n", "", "holidays: it says nothing of sunday and saturday, which are taken as prime time"},
		{"all days are missing", "YEAR 2026\n", "", "holidays: it says nothing of any day of the week: all are taken as prime time"},
		{"a day is missing", "YEAR 2026\nweekday 0600 1730\nsaturday none all\n", "", "holidays: it says nothing of sunday, which is taken as prime time"},
		{"no time", "YEAR 2026\nweekday 0600 2460\nsaturday none all\nsunday none all\n", "", `holidays: line 2: "2460" is neither HHMM nor all nor none`},
		{"no date", usual + "59 Feb 30 Eve\n", "", "holidays: line 9: Feb 30 is no date of 2026: day 59, which PBS takes, is Feb 28"},
		{"no date of a long month", usual + "60 February 29\n", "", "holidays: line 9: February 29 is no date of 2026: day 60, which PBS takes, is Mar 1"},
		{"wrong date", usual + "360 Dec 24 Eve\n", "", "holidays: line 9: day 360 of 2026 is Dec 26 and not Dec 24, and PBS takes the number"},
		{"no day", usual + "400 Dec 24 Eve\n", "", "holidays: line 9: 400 is no day of a year"},
		{"garbage", usual + "nonsense\n", "", `holidays: line 9: "nonsense" is none of YEAR, a day of the week and the number of a day`},
		{"no end", usual, "# none\n03/02/2026 17:30\n", "dedicated_time: line 2: expected MM/DD/YYYY HH:MM MM/DD/YYYY HH:MM"},
		{"later than the end of a day", usual, "03/02/2026 17:30 03/02/2026 24:30\n", "dedicated_time: line 1: expected MM/DD/YYYY HH:MM MM/DD/YYYY HH:MM"},
		{"backwards", usual, "03/02/2026 17:30 03/02/2026 17:30\n", "dedicated_time: line 1: it does not end after its begin"},
	} {
		_, problems := ParseHours(test.holidays, test.dedicated, time.UTC)
		var said []string
		for _, p := range problems {
			said = append(said, p.Error())
		}
		if got := strings.Join(said, "\n"); !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s: %s", test.name, got)
		}
	}
}

// FuzzHours reads files of any kind. The next change is later, what holds up to it is the
// same, and it is another one after it.
func FuzzHours(f *testing.F) {
	f.Add(usual, "03/02/2026 17:30 03/02/2026 18:30\n", int64(1_772_434_800), "Europe/Berlin")
	f.Add("1998\nweekday 0230 0215\n", "", int64(900_000_000), "America/New_York")
	f.Add("YEAR 2026\nmonday 0230 0300\nsunday 0230 0300\n", "", int64(1_774_742_400), "Europe/Berlin")
	f.Fuzz(func(t *testing.T, holidays, dedicated string, at int64, name string) {
		zone, err := time.LoadLocation(name)
		if err != nil || at < 0 || at > 1<<36 || name == "Local" {
			t.Skip()
		}
		h, _ := ParseHours(holidays, dedicated, zone)
		for range 10 {
			isPrime := h.IsPrime(at)
			_, isDedicated := h.Dedicated(at)
			next := h.NextChange(at)
			if next <= at {
				t.Fatalf("after %d comes %d", at, next)
			}
			if next == Never {
				return
			}
			for _, within := range []int64{at + (next-at)/2, next - 1} {
				if _, is := h.Dedicated(within); is != isDedicated || h.IsPrime(within) != isPrime {
					t.Fatalf("%d is other than %d before the change at %d", within, at, next)
				}
			}
			if _, is := h.Dedicated(next); is == isDedicated && h.IsPrime(next) == isPrime {
				t.Fatalf("nothing changes at %d", next)
			}
			at = next
		}
	})
}
