package study

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// unmodelled returns warnings of what the site and the record show and a replay does otherwise than
// PBS, each with the jobs and cpu hours that it is about.
func (in *Inputs) unmodelled(w *work.Work) []diag.Remark {
	settings := in.otherSettings()
	dynamic := dynamicResources(settings["server_dyn_res"])
	asks := func(names ...string) func(*work.Job) bool {
		return func(j *work.Job) bool {
			asked := string(trace.RequestEnd) + w.Trace.Names.List[j.Job.Request]
			return slices.ContainsFunc(names, func(name string) bool {
				return strings.Contains(asked, string(trace.RequestEnd)+name+"=") || strings.Contains(asked, ":"+name+"=")
			})
		}
	}
	inPartition := map[string]bool{}
	if in.Site != nil {
		for _, q := range in.Site.Queues {
			if q.Partition != "" {
				inPartition[q.Name] = true
			}
		}
	}
	preempts := in.Site != nil && (in.Site.SchedPriv == nil || in.Site.SchedPriv.Config.Prime.Preemptive || in.Site.SchedPriv.Config.NonPrime.Preemptive)
	var remarks []diag.Remark
	for _, part := range []struct {
		what string
		is   func(*work.Job) bool
	}{
		{"shrink-to-fit jobs (min_walltime), which run here for as long as they did", asks("min_walltime", "max_walltime")},
		{"jobs that ask for an aoe or eoe, whose vnodes PBS provisions first", asks("aoe", "eoe")},
		{"jobs that ask for " + strings.Join(dynamic, ", ") + " (server_dyn_res), of which enough is taken to be there always", asks(dynamic...)},
		{"jobs of queues that are in a partition, which a scheduler of its own places", func(j *work.Job) bool { return inPartition[w.Trace.Names.List[j.Queue]] }},
		{"jobs that somebody suspended, whose stops are left out of their run times", func(j *work.Job) bool { return !preempts && len(j.Pauses()) > 0 }},
	} {
		if jobs, hours := weigh(w, part.is); jobs > 0 {
			remarks = append(remarks, diag.Warningf("not modelled: %s (%s, %.0f cpu hours)", part.what, report.Count(jobs, "job"), hours))
		}
	}
	for _, name := range []string{"load_balancing", "load_balancing_rr"} {
		if strings.HasPrefix(strings.ToLower(settings[name]), "true") {
			remarks = append(remarks, diag.Warningf("not modelled: %s of sched_config, which looks at the load of vnodes", name))
		}
	}
	if settings["peer_queue"] != "" {
		remarks = append(remarks, diag.Warningf("not modelled: peer_queue of sched_config: jobs of other complexes come only as the record has them"))
	}
	return remarks
}

// weigh returns how many jobs are of a sort, and the cpu hours that they run.
func weigh(w *work.Work, is func(*work.Job) bool) (jobs int, hours float64) {
	for _, j := range w.Jobs {
		if !is(j) {
			continue
		}
		jobs++
		for _, seconds := range j.Runs {
			hours += float64(seconds) * w.Requests[j.Request].Amounts["ncpus"] / 3600
		}
	}
	return jobs, hours
}

// otherSettings returns the settings of sched_config by name, as they are written.
func (in *Inputs) otherSettings() map[string]string {
	settings := map[string]string{}
	if in.Site == nil || in.Site.SchedPriv == nil || in.Site.SchedPriv.Dir.FS == nil {
		return settings
	}
	const most = 1 << 20
	text, err := in.Site.SchedPriv.Dir.Read("sched_config", most)
	if err != nil {
		return settings
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, value, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, "#") {
			name, value = strings.TrimSpace(name), strings.TrimSpace(value)
			settings[name] = strings.TrimSpace(settings[name] + " " + value)
		}
	}
	return settings
}

// dynamicResources returns the resources of server_dyn_res, such as "licences !/path/to/script".
func dynamicResources(setting string) []string {
	var names []string
	for part := range strings.SplitSeq(setting, `"`) {
		if name, _, ok := strings.Cut(strings.TrimSpace(part), " "); ok && strings.Contains(part, "!") {
			names = append(names, name)
		}
	}
	return names
}
