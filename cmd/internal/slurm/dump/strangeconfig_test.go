package dump

import (
	"errors"
	"path/filepath"
	"testing"

	"fairshare/cmd/internal/file"
)

// The configuration of each recorded site is refused beside the associations of another cluster and beside the jobs of another time, in either
// direction, and not beside those of its own.
func TestStrangeConfig(t *testing.T) {
	type site struct {
		*Dump
		config, jobs, associations Part
	}
	var sites []site
	for _, pattern := range []string{"slurm-site/*.tgz", "slurm-now/*.tgz"} {
		names, _ := filepath.Glob("../../../../testdata/" + pattern)
		for _, name := range names {
			d, err := Open(name)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			sites = append(sites, site{d, d.All(KindConfig)[0], d.All(KindJobs)[0], d.Table(KindAssociations)})
		}
	}
	refused := map[string]int{}
	for _, a := range sites {
		for _, b := range sites {
			ofTime := configuredAt(a.config).Sub(configuredAt(b.config)).Abs() > 2*apartFrom
			ofName := a.Config("clustername") != b.Config("clustername")
			for beside, test := range map[string]struct {
				other     Part
				isRefused bool
			}{
				"jobs":         {b.jobs, ofTime},
				"associations": {b.associations, ofName},
			} {
				if test.other.Text == "" {
					continue
				}
				_, err := Find(file.TreeOf("me", map[string][]byte{"config.txt": []byte(a.config.Text), "other.txt": []byte(test.other.Text)}))
				var strangers *StrangersError
				if errors.As(err, &strangers) != test.isRefused {
					t.Errorf("the configuration of %s beside %s of %s: %v", a.Name, beside, b.Name, err)
				}
				if test.isRefused {
					refused[beside]++
				}
			}
		}
	}
	if refused["jobs"] == 0 || refused["associations"] == 0 {
		t.Errorf("of %d sites are refused: %v", len(sites), refused)
	}
}
