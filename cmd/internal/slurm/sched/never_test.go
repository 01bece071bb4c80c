package sched

import (
	"bytes"
	"reflect"
	"slices"
	"testing"
)

// TestNeverIsOfAllAsked holds what is remembered of jobs that never start to all that they ask for: a field that is left out
// would give a job the answer of another one.
func TestNeverIsOfAllAsked(t *testing.T) {
	without := []string{"Switches", "SwitchWait"} // a job waits for few switches for some time alone
	plain := (&Job{Request: &Request{}}).appendAsked(nil)
	fields := reflect.TypeFor[Request]()
	for i := range fields.NumField() {
		name := fields.Field(i).Name
		q := &Request{}
		switch field := reflect.ValueOf(q).Elem().Field(i); field.Kind() {
		case reflect.Bool:
			field.SetBool(true)
		case reflect.Int32, reflect.Int64:
			field.SetInt(3)
		case reflect.Slice:
			field.Set(reflect.MakeSlice(field.Type(), 1, 1))
			switch of := field.Index(0); of.Kind() {
			case reflect.Int32, reflect.Int64:
				of.SetInt(3)
			case reflect.Uint64:
				of.SetUint(3)
			default:
				of.Set(reflect.ValueOf([]string{"fast"}))
			}
		default:
			t.Fatalf("%s: the test cannot set a %s", name, field.Kind())
		}
		isSame := bytes.Equal(plain, (&Job{Request: q}).appendAsked(nil))
		if isSame != slices.Contains(without, name) {
			t.Errorf("%s: what is remembered is the same for jobs that differ in it: %v", name, isSame)
		}
	}
	gpus := func(list ...[]int32) []byte {
		return (&Job{Request: &Request{GRES: list[0], JobGRES: list[1], TaskGRES: list[2]}}).appendAsked(nil)
	}
	if bytes.Equal(gpus([]int32{2}, nil, nil), gpus(nil, []int32{2}, nil)) || bytes.Equal(gpus(nil, []int32{2}, nil), gpus(nil, nil, []int32{2})) {
		t.Error("GPUs of each node, of all nodes and for each task are one to what is remembered")
	}
}
