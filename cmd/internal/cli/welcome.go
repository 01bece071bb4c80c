package cli

import (
	"cmp"
	"fmt"
	"strings"
)

// welcome is what formula says first that it can do.
const welcome = `Who runs next on a cluster of PBS, Slurm or flux, and why?

  formula sort SITE                the waiting jobs, in the order of the scheduler
  formula explain JOB SITE         why a job has its place, and what would change it
  formula when SITE                when waiting jobs will start
  formula compare SITE --set …     what another policy would change now
  formula replay SITE LOGS --set … what it would have changed over the last weeks
  formula history LOGS             who waited how long, and what was in use

SITE is a file that formula collect has written on a host of the cluster, or --live on such a host.
`

// welcome prints what formula can do and which schedulers' commands are on this host. It asks none of them, since
// a server may not answer.
func (s *session) welcome() int {
	fmt.Fprint(s.out, welcome)
	var here, none []string
	for _, scheduler := range schedulers() {
		if at := scheduler.Here(); at != "" {
			here = append(here, fmt.Sprintf("%s (%s)", scheduler.Name, at))
		} else {
			none = append(none, scheduler.Name)
		}
	}
	fmt.Fprintf(s.out, "On this host: %s.", cmp.Or(strings.Join(here, ", "), "none of the commands of "+strings.Join(none, ", ")))
	fmt.Fprintln(s.out, " All commands: formula help")
	return exitFine
}
