package formula

import "testing"

func TestRises(t *testing.T) {
	for source, want := range map[string]bool{
		"ncpus":         true,
		"eligible_time": true,
		"1000*fairshare_factor + queue_priority + eligible_time/3600": true,
		"-eligible_time":                    false,
		"10 - (-eligible_time*2)":           true,
		"eligible_time*-1":                  false,
		"ncpus - eligible_time":             false,
		"eligible_time*ncpus":               false, // ncpus may be anything
		"eligible_time - eligible_time":     false,
		"ncpus/eligible_time":               false,
		"pow(2, eligible_time)":             false, // not plain
		"eligible_time if ncpus > 4 else 0": false,
		"3*(2*eligible_time + ncpus)/7":     true,
		"eligible_time*0":                   false,
	} {
		f, err := Parse(source)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Rises("eligible_time"); got != want {
			t.Errorf("%s: %v, want %v", source, got, want)
		}
	}
}
