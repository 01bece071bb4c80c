package pbs

import (
	"slices"
	"strings"
)

// ReleasedOnSuspend returns which of some resources a job gives back that is suspended, be it by the scheduler or by
// somebody (qsig -s suspend); nil where it gives back all (restrict_res_to_release_on_suspend of the server).
func (s *Sched) ReleasedOnSuspend(resources []string) []bool {
	list := s.Server["restrict_res_to_release_on_suspend"]
	if list == "" {
		return nil
	}
	released := strings.Split(list, ",")
	for i, name := range released {
		released[i] = strings.Trim(name, `" `)
	}
	is := make([]bool, len(resources))
	for i, name := range resources {
		is[i] = slices.Contains(released, name)
	}
	return is
}
