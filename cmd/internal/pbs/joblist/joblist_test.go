package joblist

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/formula"
)

// An amount is read as the scheduler reads it, however long it is.
func TestReadAmount(t *testing.T) {
	tests := []struct {
		text     string
		t        formula.Type
		want     float64
		wantKind amountKind
	}{
		{"4", formula.Long, 4, isAmount},
		{"4", "", 4, isAmount},
		{"-1.5", "", -1.5, isAmount},
		{"4", formula.Size, 1, isAmount}, // bytes, in whole kB
		{"4kb", formula.Size, 4, isAmount},
		{"4gb", "", 4 << 20, isAmount},
		{"01:00:00", formula.Duration, 3600, isAmount},
		{"01:00", "", 60, isAmount},
		{"90", formula.Duration, 90, isAmount},
		{"999999999999999999", "", 999999999999999999, isAmount}, // 18 digits
		{"1000000000000000000", "", 1e18, isAmount},
		{"9999999999999999999", "", 1e19, isAmount}, // more than an int64 has room for
		{strings.Repeat("9", 300), "", 1e300, isAmount},
		{strings.Repeat("9", 400), "", 0, isUnreadable},
		{"inf", "", 0, isUnreadable},
		{"nan", "", 0, isUnreadable},
		{"1:2:3:4", formula.Duration, 0, isUnreadable},
		{"1pb", "", 0, isUnreadable},
		{"1:ncpus=4", "", 0, isText},
		{"", "", 0, isText},
	}
	for _, test := range tests {
		if got, kind := readAmount([]byte(test.text), test.t); got != test.want || kind != test.wantKind {
			t.Errorf("%.20q as %q: %v of kind %d, want %v of %d", test.text, test.t, got, kind, test.want, test.wantKind)
		}
	}
}

// Whether a job is left out does not depend on whether the formula names the
// resource that cannot be read.
func TestShapesOfTypes(t *testing.T) {
	for _, text := range []string{"4", "01:00:00", "4gb"} {
		for _, typ := range []formula.Type{"", formula.Long, formula.Float64, formula.Duration, formula.Size} {
			if _, kind := readAmount([]byte(text), typ); looksReadable([]byte(text), typ) && kind != isAmount {
				t.Errorf("%s as %q looks readable and is not", text, typ)
			}
		}
	}
}

// What looks readable at a glance is: nobody looks a second time.
func TestLooksReadable(t *testing.T) {
	for _, text := range []string{"1", "16", "123456789012345", "1:00", "01:02:03", "4kb", "4mb", "4gb", "4tb"} {
		if !looksReadable([]byte(text), "") {
			t.Errorf("%q looks unreadable", text)
		}
	}
	for _, text := range []string{"", "1234567890123456", ":1", "1:", "1:2:3:4", "1:2kb", "kb", "4pb", "4b", "-1", "1.5", "True", "x"} {
		if looksReadable([]byte(text), "") {
			t.Errorf("%q looks readable", text)
		}
	}
}

func TestCountSubjobs(t *testing.T) {
	for text, want := range map[string]int32{
		"": 1, "-": 0, "7": 1, "0-2,7": 4, "0-9%2": 10, "2-1": 1, "x": 1,
		"0-9999999": maxSubjobs, "0-10000000": maxSubjobs, "0-99999999999,5": maxSubjobs,
	} {
		if got := countSubjobs([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// Of jobs with the same ID the first one counts, wherever the others come.
func TestRepeated(t *testing.T) {
	tests := []struct {
		ids  string
		want []int
	}{
		{"1.s 2.s 3.s", nil},
		{"3.s 1.s 2.s", nil},
		{"1.s 2.s 1.s 2.s 3.s 1.s", []int{2, 3, 5}},
		{"3.s 1.s 3.s", []int{2}},
		{"7.s 7.t 7.s", []int{2}}, // another server's job is another job
		{"7[1].s 7[2].s 7[1].s", []int{2}},
		{"x y x", []int{2}},
		{"0.s 0.s", []int{1}},
	}
	for _, test := range tests {
		var input strings.Builder
		for id := range strings.FieldsSeq(test.ids) {
			fmt.Fprintf(&input, "{\"id\":%q,\"job_state\":\"Q\"}\n", id)
		}
		for workers := range 3 {
			list, err := Read(strings.NewReader(input.String()), Options{Format: qstat.JSONL, Symbols: formula.NewSymbols(nil), Entity: "euser", Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			var got []int
			for row := range list.Len() {
				if list.Job(row).IsRepeated {
					got = append(got, row)
				}
			}
			if !slices.Equal(got, test.want) || list.Repeats != len(got) {
				t.Errorf("%s: rows %v repeat (%d), want %v", test.ids, got, list.Repeats, test.want)
			}
		}
	}
}
