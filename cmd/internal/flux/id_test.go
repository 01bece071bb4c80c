package flux

import "testing"

// The numbers of jobs in each form in which people write them, as flux printed them.
func TestParseID(t *testing.T) {
	const number = 8716837453824
	for _, text := range []string{"ƒ4wye5Ry1", "f4wye5Ry1", "8716837453824", "0x7ed8c000000", "0000.07ed.8c00.0000"} {
		if n, ok := ParseID(text); !ok || n != number {
			t.Errorf("%s is %d, %v", text, n, ok)
		}
	}
	for _, text := range []string{"", "ƒ", "f", "ƒ0", "ƒl", "-1", "1.2.3.4", "ƒzzzzzzzzzzzzzzzz", "18446744073709551616", "site.tgz", "x"} {
		if n, ok := ParseID(text); ok {
			t.Errorf("%s is %d", text, n)
		}
	}
	for text, want := range map[string]bool{"food": false, "ƒauizFpj": true, "fauizFpj": true, "123": true, "sites/food": false, "fff.tgz": false} {
		if got := LooksLikeJob(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// FuzzParseJobs reads any text as a list of jobs.
func FuzzParseJobs(f *testing.F) {
	f.Add(`{"jobs": [{"id": 8716837453824, "jobid": "ƒ4wye5Ry1", "username": "a", "urgency": 31, "priority": 5, "t_submit": 1e300, "annotations": {"user": {"fairshare": 0.5}}}]}`)
	f.Add(`{"id": "ƒ2", "userid": 9}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, text string) {
		jobs, err := ParseJobs(text)
		for _, j := range jobs {
			if err == nil && (j.ID == "" || j.User == "" || j.Urgency < Held || j.Urgency > Expedited || j.Submit < 0) {
				t.Errorf("%+v", j)
			}
		}
	})
}
