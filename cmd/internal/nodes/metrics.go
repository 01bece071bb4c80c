package nodes

import "fairshare/cmd/internal/metrics"

const jobsRunning = "jobs_running"

// Metrics returns what the nodes of a site come to as metrics, whose names begin with that of the scheduler. called is what
// a node is called there; of returns the nodes of what metrics are made from, nil where they are not known.
func Metrics[From any](scheduler, called string, of func(From) *Machine) []metrics.Metric[From] {
	sum := func(name, help string, value func(Total) float64) metrics.Metric[From] {
		return metrics.Metric[From]{Name: scheduler + "_" + name, Help: help, Samples: func(from From, add func(float64, ...string)) {
			if m := of(from); m != nil && !(m.IsUntold && name == jobsRunning) {
				add(value(totalOf(m.Nodes)))
			}
		}}
	}
	return []metrics.Metric[From]{
		sum(jobsRunning, "Jobs that have something of a "+called+".", func(t Total) float64 { return float64(t.Jobs) }),
		sum("cpus", "CPUs of the "+called+"s that take jobs.", func(t Total) float64 { return t.CPUs.All }),
		sum("cpus_in_use", "CPUs of them that jobs have.", func(t Total) float64 { return t.CPUs.Used() }),
		sum("gpus", "GPUs of the "+called+"s that take jobs.", func(t Total) float64 { return t.GPUs.All }),
		sum("gpus_in_use", "GPUs of them that jobs have.", func(t Total) float64 { return t.GPUs.Used() }),
		{Name: scheduler + "_" + called + "s", Help: "How many " + called + "s are in a state.", Labels: []string{"state"}, Samples: func(from From, add func(float64, ...string)) {
			if m := of(from); m != nil {
				for _, s := range totalOf(m.Nodes).States {
					add(float64(s.Nodes), s.Name)
				}
			}
		}},
	}
}
