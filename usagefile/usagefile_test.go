package usagefile

import (
	"bytes"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func records(rs ...Record) iter.Seq2[string, float64] {
	return (&Database{Records: rs}).All()
}

func written(t testing.TB, lastDecay int64, rs ...Record) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, lastDecay, records(rs...)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func recorded(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../testdata/pbsfs", name, "sched_priv/usage"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWriteLikePBS(t *testing.T) {
	// PBS wrote this one: three records and the time.
	want := recorded(t, "seed_print")
	db := Parse(want)
	if got := written(t, db.LastDecay, db.Records...); got != want {
		t.Errorf("rewritten file differs:\n%q\n%q", got, want)
	}
}

func TestParse(t *testing.T) {
	head := written(t, 0)
	long := strings.Repeat("n", 60)
	tests := []struct {
		name     string
		data     string
		version  int
		records  []Record
		problems []string // "!" marks damage
	}{
		{"empty", "", 0, nil, []string{"byte 0: the file is empty"}},
		{"half a header", head[:20], 0, nil, []string{"!byte 0: the file ends inside its header, after 20 of 32 bytes"}},
		{"no last decay", head[:24], 2, nil, []string{"!byte 24: the file ends before the time of the last decay"}},
		{"no records", head, 2, []Record{}, nil},
		{"half a record", written(t, 0, Record{"a", 2}, Record{"b", 3})[:130], 2, []Record{{"a", 2}},
			[]string{"!byte 96: the file ends inside a record, after 34 of 64 bytes"}},
		{"long name", written(t, 0, Record{long, 2}), 2, []Record{{long[:49], 2}}, nil},
		{"a name without end", head + strings.Repeat("n", 56) + "\x00\x00\x00\x00\x00\x00\x00@", 2, []Record{},
			[]string{"byte 32: the name \"" + strings.Repeat("n", 50) + "\" is not one that PBS accepts, the record is skipped"}},
		{"infinite", written(t, 0, Record{"a", math.Inf(1)}), 2, []Record{{"a", math.Inf(1)}}, nil},
		{"negative", written(t, 0, Record{"a", -1}), 2, []Record{},
			[]string{`byte 32: the usage of "a" is -1, the record is skipped`}},
		{"version 1", recorded(t, "v1_usage"), 1,
			[]Record{{"bob", 100}, {"cathy", 50}, {"newuser1", 20}, {"ninechars", 3}}, nil},
		{"version 3", recorded(t, "bad_version"), 0, nil, []string{"!byte 16: version 3 is not known, nothing was read"}},
		{"last decay in 1998", recorded(t, "last_decay_1999"), 2, nil,
			[]string{"!byte 24: the time of the last decay, 900000000, is before the year 2000, nothing was read"}},
		{"text", "this is no usage file at all, it is text\n", 1, nil, []string{
			"!byte 0: the file begins with neither the tag of version 2 nor a record of version 1",
			`byte 0: the name "this is no usage" is not one that PBS accepts, the record is skipped`,
			"!byte 24: the file ends inside a record, after 17 of 24 bytes",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			db := Parse(test.data)
			if db.Version != test.version {
				t.Errorf("version %d, want %d", db.Version, test.version)
			}
			if len(db.Records) != len(test.records) || len(test.records) > 0 && !cmp.Equal(db.Records, test.records) {
				t.Errorf("records %v, want %v", db.Records, test.records)
			}
			var problems []string
			for _, p := range db.Problems {
				s := p.Error()
				if p.Damage {
					s = "!" + s
				}
				problems = append(problems, s)
			}
			if diff := cmp.Diff(test.problems, problems); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

// What can be parsed is written back to the same records.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("../testdata/pbsfs/*/sched_priv/usage")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, data string) {
		db := Parse(data)
		if len(db.Records) > len(data)/recordSizeV1 {
			t.Fatalf("%d records from %d bytes", len(db.Records), len(data))
		}
		if _, damaged := db.Damage(); damaged {
			return
		}
		again := Parse(written(t, db.LastDecay, db.Records...))
		empty := 0 // records without a name, and nothing used, are written as they are
		for _, r := range db.Records {
			if r == (Record{}) {
				empty++
			}
		}
		if _, damaged := again.Damage(); damaged || len(again.Problems) > empty {
			t.Fatalf("read back with %v", again.Problems)
		}
		if len(again.Records) != len(db.Records) || again.LastDecay != db.LastDecay {
			t.Fatalf("read back %+v, wrote %+v", again, db)
		}
		for i, r := range again.Records {
			if r.Name != db.Records[i].Name || r.Usage != db.Records[i].Usage {
				t.Errorf("record %d is %v, was %v", i, r, db.Records[i])
			}
		}
	})
}

func TestLostRecords(t *testing.T) {
	records := func(list ...Record) *Database { return &Database{Records: list} }
	bob, cathy, low := Record{"bob", 100}, Record{"cathy", 50}, Record{"low", 2}
	tests := []struct {
		name       string
		db, backup *Database
		want       int
	}{
		{"the same", records(bob, cathy), records(bob, cathy), 0},
		{"cut off", records(bob), records(bob, cathy), 1},
		{"cut off, with other usage", records(Record{"bob", 90}), records(bob, cathy), 1},
		{"empty", records(), records(bob, cathy), 2},
		{"one was dropped", records(cathy), records(bob, cathy), 0},
		{"one has decayed to 1", records(bob), records(bob, low), 0},
		{"one has just not", records(bob), records(bob, Record{"low", 2.1}), 1},
		{"more", records(bob, cathy), records(bob), 0},
		{"no backup", records(bob), records(), 0},
		{"zeros at the end", records(bob, Record{}, Record{}), records(bob, cathy, low), 2},
		{"others were dropped", records(bob), records(bob, Record{"other", 100}), 0},
		{"others were dropped, then cut off", records(bob), records(bob, Record{"other", 100}, cathy), 1},
		{"cut off within others", records(bob, Record{"other", 100}), records(bob, Record{"other", 100}, Record{"other2", 100}), 1},
	}
	for _, test := range tests {
		if got := LostRecords(test.db, test.backup, 0.5, func(name string) bool { return !strings.HasPrefix(name, "other") }); len(got) != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
