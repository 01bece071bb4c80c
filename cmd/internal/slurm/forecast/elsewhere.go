package forecast

import (
	"fmt"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/sched"
)

// keepElsewhere keeps from jobs what is in use of nodes by none of those that run or will go on, with remarks on that and on nodes of which
// they have more than is in use.
func (s *Site) keepElsewhere(holding []sched.Holding) (remarks []diag.Remark) {
	if s.Setup.InUse == nil {
		return nil
	}
	var running []*sched.Job
	for i := range holding {
		running = append(running, holding[i].Job)
	}
	elsewhere, isMore := s.Setup.KeepElsewhere(running, s.Setup.InUse)
	var names, more []string
	sum := sched.Use{GRES: make([]int32, len(s.Setup.GRES))}
	for i := range elsewhere {
		if isMore[i] {
			more = append(more, s.Setup.Nodes[i].Name)
		}
		of := &elsewhere[i]
		if of.IsNone() || s.Setup.Nodes[i].CPUs == 0 { // where nothing starts anyway
			continue
		}
		names = append(names, s.Setup.Nodes[i].Name)
		sum.CPUs += of.CPUs
		sum.Memory += of.Memory
		for k, n := range of.GRES {
			sum.GRES[k] += n
		}
	}
	if names != nil {
		remarks = append(remarks, diag.Warningf("%s of %s are in use by no running job of the list, as scontrol show node says, and are taken to stay so: no job starts there in their place (%s)", s.inWords(sum), report.Count(len(names), "node"), report.First(names)))
	}
	if more != nil && !s.Setup.Suspends() { // where suspended jobs have the same CPUs as others
		remarks = append(remarks, diag.Warningf("running jobs of the list have more CPUs of %s than scontrol show node says are in use there, and are taken to have them (%s)", report.Count(len(more), "node"), report.First(more)))
	}
	return remarks
}

// inWords says how much is in use.
func (s *Site) inWords(of sched.Use) string {
	var amounts []string
	if of.CPUs > 0 {
		amounts = append(amounts, report.Count(int(of.CPUs), "CPU"))
	}
	if of.Memory > 0 {
		amounts = append(amounts, fmt.Sprintf("%d MB of memory", of.Memory))
	}
	for k, n := range of.GRES {
		switch kind := s.Setup.GRES[k]; {
		case n == 0 || strings.Contains(kind, ":") && len(amounts) > 0: // a type of those that are counted already
		case kind == "gpu":
			amounts = append(amounts, report.Count(int(n), "GPU"))
		default:
			amounts = append(amounts, fmt.Sprintf("%d %s", n, kind))
		}
	}
	return strings.Join(amounts, ", ")
}
