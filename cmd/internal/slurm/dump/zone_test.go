package dump

import (
	"testing"
	"time"
)

// The times of jobs of JSON are those that the text has, in whatever zone these are read.
func TestTimesOfJSONInZones(t *testing.T) {
	json, err := Open("../../../../testdata/slurm-json/23.11-morning.tgz")
	if err != nil {
		t.Fatal(err)
	}
	text, err := Open("../../../../testdata/slurm-now/23.11-morning.tgz")
	if err != nil {
		t.Fatal(err)
	}
	json.Set("scontrol-show-config.txt", text.Text("scontrol-show-config.txt"))
	for _, name := range []string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		jobs, _ := text.Queue(zone)
		for _, j := range jobs {
			want[j.ID] = j.Submitted.Format(TimeLayout)
		}
		jobs, _ = json.Queue(zone)
		same := 0
		for _, j := range jobs {
			if got := j.Submitted.In(zone).Format(TimeLayout); got == want[j.ID] {
				same++
			}
		}
		if same != len(want) || same < 20 {
			t.Errorf("%s: %d of %d jobs have the times of the text", name, same, len(want))
		}
	}
}
