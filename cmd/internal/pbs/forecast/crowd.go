package forecast

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/pbs"
)

// crowded says which of the limits on jobs that are queued is reached, so that PBS takes no more like one that is asked
// for, "" for none: max_queued counts those that run as well, queued_jobs_threshold does not.
func (s *Site) crowded(a Ask) string {
	group, project := s.groupOf(a)
	all := s.Site.QueuedLimits()
	for _, name := range pbs.QueuedSettings {
		isOther := func(l pbs.Limit) bool { return l.Setting != name || l.Queue == "" && a.is != nil } // the server has counted it
		of := slices.DeleteFunc(slices.Clone(all), isOther)
		for _, limit := range pbs.LimitsFor(of, a.Queue, a.User, group, project) {
			if asks := asked(a, limit.Resource); asks > 0 && s.queued(limit)+asks > limit.Most {
				return crowdedBy(limit)
			}
		}
	}
	return ""
}

// asked returns how much of a resource is asked for, 1 for "".
func asked(a Ask, resource string) float64 {
	if resource == "" {
		return 1
	}
	for _, r := range a.requested() {
		if r.Name == resource {
			amount, _ := number(r.Value)
			return amount
		}
	}
	return 0
}

// crowdedBy says that a limit is reached.
func crowdedBy(l pbs.Limit) string {
	whose := map[byte]string{'u': "user " + l.Name, 'g': "group " + l.Name, 'p': "project " + l.Name, 'o': "all"}[l.Kind]
	where, setting := " of the server", l.Setting
	if l.Queue != "" {
		where = " of queue " + l.Queue
	}
	if l.Resource != "" {
		setting += "." + l.Resource
	}
	return fmt.Sprintf("%s%s lets in %s for %s, which are there", setting, where, l.Amount, whose)
}

// queued returns how many jobs of the list a limit counts, or how much of its resource they ask for.
func (s *Site) queued(limit pbs.Limit) float64 {
	names := s.Past.Names.List
	sum := 0.
	for i := range s.Now {
		n := &s.Now[i]
		name := map[byte]string{'u': names[n.User], 'g': names[n.Group], 'p': names[n.Project], 'o': pbs.OverallLimit}[limit.Kind]
		waits := strings.ContainsRune("QHWT", rune(n.Letter))
		if name != limit.Name || limit.Queue != "" && names[n.Queue] != limit.Queue || limit.IsOfWaiting && !waits {
			continue
		}
		if limit.Resource == "" {
			sum++
			continue
		}
		for resource, value := range listed(names[n.Request]) {
			if resource == limit.Resource {
				x, _ := number(value)
				sum += x
			}
		}
	}
	return sum
}
