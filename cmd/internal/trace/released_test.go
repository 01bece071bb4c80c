package trace

import (
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
)

// A job that gives vnodes back counts with what it started with, and it is counted what it did not have any more.
func TestReleased(t *testing.T) {
	const (
		began = "08:00:00;S;1.s;start=1772438400 Resource_List.ncpus=16"
		ended = "11:00:00;E;1.s;start=1772438400 end=1772449200 Resource_List.ncpus=4"
		hour  = 3600
	)
	for _, test := range []struct {
		name, records string
		want          Released
	}{
		{"none", began + "|11:00:00;E;1.s;start=1772438400 end=1772449200 Resource_List.ncpus=16", Released{}},
		{"once", began + "|09:00:00;u;1.s;Resource_List.ncpus=16|09:00:00;c;1.s;Resource_List.ncpus=4|11:00:00;e;1.s;Resource_List.ncpus=4|" + ended, Released{1, 12 * 2 * hour, 0, "1.s"}},
		{"once, in the other order", began + "|09:00:00;c;1.s;Resource_List.ncpus=4|09:00:00;u;1.s;Resource_List.ncpus=16|" + ended, Released{1, 12 * 2 * hour, 0, "1.s"}},
		{"twice", began + "|09:00:00;u;1.s;Resource_List.ncpus=16|09:00:00;c;1.s;Resource_List.ncpus=8|10:00:00;u;1.s;Resource_List.ncpus=8|10:00:00;c;1.s;Resource_List.ncpus=4|" + ended, Released{1, (8 + 12) * hour, 0, "1.s"}},
		{"while it was suspended for a part", began + "|09:00:00;c;1.s;Resource_List.ncpus=4|09:30:00;z;1.s;|10:30:00;r;1.s;|" + ended, Released{1, 12 * hour, 0, "1.s"}},
		{"in an earlier run", began + "|09:00:00;c;1.s;Resource_List.ncpus=4|10:00:00;R;1.s;start=1772438400 end=1772445600|10:30:00;S;1.s;start=1772447400 Resource_List.ncpus=16|11:00:00;E;1.s;start=1772447400 end=1772449200", Released{1, 0, 1, "1.s"}},
		{"nobody knows how many", began + "|09:00:00;u;1.s;|" + ended, Released{1, 0, 1, "1.s"}},
		{"of a job of which nothing else is told", "09:00:00;c;1.s;Resource_List.ncpus=4", Released{}},
	} {
		log := "03/02/2026 " + strings.ReplaceAll(test.records, "|", "\n03/02/2026 ") + "\n"
		for _, logs := range [][]file.Source{{text(log)}, {text(log), text(log)}} {
			tr, err := Read(logs, time.UTC, Keep{})
			if err != nil {
				t.Fatal(err)
			}
			if tr.Released != test.want {
				t.Errorf("%s, in %d files: %+v, want %+v", test.name, len(logs), tr.Released, test.want)
			}
			for _, j := range tr.Jobs {
				if j.NCPUs != 16 {
					t.Errorf("%s: job %s has %d cpus", test.name, j.ID, j.NCPUs)
				}
			}
		}
	}
}
