package calibrate

import (
	"maps"
	"testing"

	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// The limit for all is the one that most names come up to, of several the least.
func TestGenericLimit(t *testing.T) {
	for _, test := range []struct {
		peaks []int64
		want  int64
	}{{nil, 0}, {[]int64{4}, 0}, {[]int64{4, 3}, 0}, {[]int64{4, 4}, 4}, {[]int64{4, 2, 4, 2}, 2}, {[]int64{2, 4, 4, 2, 4}, 4}} {
		names := map[int32]*limitPressure{}
		for i, peak := range test.peaks {
			names[int32(i)] = &limitPressure{peak: peak}
		}
		if got := genericLimit(names); got != test.want {
			t.Errorf("%v: %d, want %d", test.peaks, got, test.want)
		}
	}
}

// What names of a group have come up to, and which have passed what most of them came up to.
func TestLimitOfGroup(t *testing.T) {
	record := trace.OfSlurm()
	var users []int32
	for _, name := range []string{"ann", "bob", "cid", "dan", "eve"} {
		users = append(users, record.Number(name))
	}
	scheme := &LimitScheme{Kinds: []LimitKind{{"u", func(j *trace.Job) int32 { return j.User }}}, IsEverywhere: true}
	for above, past := range []map[string]int64{{}, {"cid": 7}, {"cid": 7, "dan": 7}, {"cid": 7, "dan": 7, "eve": 7}} {
		f := &limitFinder{LimitScheme: scheme, work: &work.Work{Trace: record}, counts: map[countKey]*limitPressure{}}
		names := map[int32]*limitPressure{}
		for i, user := range users {
			p := &limitPressure{peak: 4}
			if i < 2 {
				names[user] = p
			} else if i < 2+above {
				p.peak = 7
			}
			f.counts[countKey{scope: -1, name: user}] = p
		}
		l := f.limit(limitGroup{scope: -1}, names)
		if l.Scope != "" || l.Kind != "u" || l.CPUs || l.All != 4 || len(l.Own) > 0 || l.Names != 2 || l.Most != max(4, past["cid"]) || !maps.Equal(l.Past, past) {
			t.Errorf("%d have passed it: %+v", above, l)
		}
	}
}
