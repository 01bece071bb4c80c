package dump

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
)

// What scontrol show config prints has neither jobs nor nodes: that it is of another cluster than other prints, its name tells and theirs, or
// else the time at which it was printed.

// apartFrom is how far from each other the times of prints of one cluster may lie: more than those of any two zones.
const apartFrom = 26 * time.Hour

// findStrangeConfig returns a *StrangersError where the configuration is of another cluster than another print, or of another time than the
// list of jobs.
func (d *Dump) findStrangeConfig() error {
	all := d.All(KindConfig)
	if len(all) == 0 {
		return nil
	}
	config, own := all[0], ""
	if m := configuredOf().FindStringSubmatch(config.Text); m != nil {
		own = m[1]
	}
	for _, p := range d.Parts {
		if name := d.clusterIn(p, own); own != "" && name != "" {
			return &StrangersError{First: config.Name, Second: p.Name, Places: fmt.Sprintf("ClusterName is %s, and that of the latter is %s", report.Printable(own), report.Printable(name))}
		}
	}
	at := configuredAt(config)
	if at.IsZero() {
		return nil
	}
	for _, p := range d.All(KindJobs) {
		say := func(format string, times ...any) error {
			return &StrangersError{First: config.Name, Second: p.Name, Places: fmt.Sprintf("the former was printed at %s, and "+format, append([]any{at.Format(time.DateTime)}, times...)...), OrMoment: true}
		}
		switch first, last := listedAt(p), endsIn(p); {
		case first.Sub(at) > apartFrom:
			return say("the latter has jobs of %s", first.Format(time.DateTime))
		case !last.IsZero() && at.Sub(last) > apartFrom:
			return say("the jobs that run in the latter were to end by %s", last.Format(time.DateTime))
		}
	}
	return nil
}

// configuredOf finds the cluster whose configuration is printed.
var configuredOf = pattern.Of(`(?m)^ClusterName\s*=\s*(\S+)`)

// namedCluster finds the cluster that JSON, or the associations that slurmctld has, are of.
var namedCluster = pattern.Of(`"cluster": ?"([^"]+)"|(?m:^ClusterName=(\S+) Account=)`)

// clusterIn returns a cluster that a print names, "" where it names none or one's own as well: one database keeps several.
func (d *Dump) clusterIn(p Part, own string) string {
	var names []string
	switch {
	case slurm.IsJSON(p.Text) || p.Kind == KindManager:
		if m := namedCluster().FindStringSubmatch(p.Text); m != nil && !strings.Contains(p.Text, `"`+own+`"`) {
			names = []string{m[1] + m[2]}
		}
	case p.Kind == KindAssociations:
		rows, _ := d.allRowsOf(p)
		names = clustersOf(rows)
	}
	if len(names) == 0 || slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, own) }) {
		return ""
	}
	return names[0]
}

// endsIn returns by when all jobs that run in a list are to have ended, those that may run for ever left out, and zero where no other one runs.
func endsIn(p Part) (last time.Time) {
	for job := range strings.SplitSeq(p.Text, "JobId=") {
		if at := strings.Index(job, "JobState=RUNNING"); at >= 0 {
			if end := lastOf(job[at:], "EndTime="); end.After(last) {
				last = end
			}
		}
	}
	return last
}
