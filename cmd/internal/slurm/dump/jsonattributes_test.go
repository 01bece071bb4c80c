package dump

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/slurm"
)

// What counts of nodes, partitions and reservations is read of JSON too, or stands among what JSON does not tell.
func TestAttributesOfJSON(t *testing.T) {
	made := map[Kind][]string{ // of other fields, or by another name
		KindNodes: {"state", "reason", "resumeaftertime", "resvname", "restrictedcorespergpu"}, KindPartitions: {"oversubscribe"}, KindReservations: {"starttime", "endtime", "coreids", "state"},
	}
	for kind, all := range attributes {
		for _, x := range all {
			name := strings.ToLower(x.Name)
			_, isField := jsonFields[kind][name]
			_, isSpan := jsonSpans[kind][name]
			if x.Idle == "" && !isField && !isSpan && !slices.Contains(made[kind], name) && !slices.Contains(untoldByJSON, x.Name) {
				t.Errorf("%s counts, and is not read of JSON", x.Name)
			}
		}
	}
}

// What one form of a reservation, a node or a QOS says, JSON says as well.
func TestRowsOfJSON(t *testing.T) {
	for _, test := range []struct {
		kind             Kind
		text, name, want string
	}{
		{KindReservations, `{"reservations": [{"name": "r", "licenses": "matlab:3"}]}`, "licenses", "matlab:3"},
		{KindReservations, `{"reservations": [{"name": "r", "max_start_delay": 600}]}`, "maxstartdelay", "600"},
		{KindReservations, `{"reservations": [{"name": "r", "burst_buffer": "10G"}]}`, "burstbuffer", "10G"},
		{KindReservations, `{"reservations": [{"name": "r", "flags": ["SPEC_NODES", "PURGE_COMP"]}]}`, "flags", "SPEC_NODES,PURGE_COMP"},
		{KindNodes, `{"nodes": [{"name": "n1", "resume_after": {"set": true, "infinite": false, "number": 1700000000}}]}`, "resumeaftertime", "2023-11-14T22:13:20"},
		{KindNodes, `{"nodes": [{"name": "n1", "resume_after": {"set": true, "infinite": false, "number": 0}}]}`, "resumeaftertime", ""},
		{KindNodes, `{"nodes": [{"name": "n1", "res_cores_per_gpu": 2}]}`, "rescorespergpu", "2"},
		{KindQOS, `{"qos": [{"name": "q", "preempt": {"exempt_time": {"set": true, "infinite": false, "number": 3600}}}]}`, "preemptexempttime", "01:00:00"},
		{KindQOS, `{"qos": [{"name": "q", "preempt": {"exempt_time": {"set": true, "infinite": false, "number": 172800}}}]}`, "preemptexempttime", "2-00:00:00"},
		{KindQOS, `{"qos": [{"name": "q", "limits": {"grace_time": 90000}}]}`, "gracetime", "1-01:00:00"},
	} {
		rows, err := jsonRows(test.kind, test.text, time.UTC)
		if err != nil || len(rows) != 1 || rows[0][test.name] != test.want {
			t.Errorf("%s: %v %v, want %s=%s", test.text, rows, err, test.name, test.want)
		}
	}
	if x := slurm.ReservationAttributes.Of("MaxStartDelay"); x.Matters("0") || !x.Matters("600") {
		t.Error("no delay is said")
	}
}
