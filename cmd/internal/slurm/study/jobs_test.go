package study

import (
	"reflect"
	"slices"
	"testing"

	"fairshare/cmd/internal/slurm/sched"
)

// Whatever jobs differ in, each is held as it was recorded.
func TestRecordedJob(t *testing.T) {
	shared := &sched.Request{CPUs: 4}
	values := []any{7, int32(7), int64(7), uint32(7), 7.5, true, []int{1, 2}, []int64{3}, map[string]float64{"cpu": 7}, &sched.Request{CPUs: 4}}
	ofRuns := []string{"IsAgeless", "Depends", "IsBackfilled", "Start", "End", "Shares", "Has", "Given"} // no record has them before a run
	tried := 0
	for _, field := range reflect.VisibleFields(reflect.TypeFor[sched.Job]()) {
		if !field.IsExported() || slices.Contains(ofRuns, field.Name) {
			continue
		}
		first := &sched.Job{ID: 1, Request: shared, Submit: 10}
		second := *first
		at := slices.IndexFunc(values, func(x any) bool { return reflect.TypeOf(x) == field.Type })
		if at < 0 {
			t.Fatalf("no value for %s", field.Name)
		}
		reflect.ValueOf(&second).Elem().FieldByIndex(field.Index).Set(reflect.ValueOf(values[at]))
		tried++
		kinds := map[kind]*sched.Job{}
		for _, j := range []*sched.Job{first, &second, first} {
			x := newRecordedJob(j, kinds)
			if got := x.job(); !reflect.DeepEqual(got, j) || got.Request != j.Request {
				t.Errorf("jobs of other %s: %+v, held as %+v", field.Name, j, got)
			}
		}
	}
	if tried < 15 {
		t.Errorf("%d fields", tried)
	}
}

// Jobs that are alike but for their times are held as one.
func TestAlike(t *testing.T) {
	kinds := map[kind]*sched.Job{}
	request, amounts := &sched.Request{CPUs: 4}, map[string]float64{"cpu": 4}
	for i := range 10 {
		newRecordedJob(&sched.Job{ID: i, Request: request, TRES: amounts, Submit: int64(i), Run: int64(i), Limit: int64(i)}, kinds)
	}
	if len(kinds) != 1 {
		t.Errorf("%d kinds", len(kinds))
	}
}
