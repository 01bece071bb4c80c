// Package metrics says what a site of flux looks like now, as metrics.
package metrics

import (
	"io"
	"math"

	"fairshare/cmd/internal/flux"
	"fairshare/cmd/internal/flux/order"
	"fairshare/cmd/internal/metrics"
)

// source is what metrics of a site are made of.
type source struct {
	site    *order.Site
	rows    []order.Row // that flux considers
	leftOut int
}

var associationLabels = []string{"bank", "user"}

// All are the families of a site of flux, in the order in which they are written.
var All = []metrics.Metric[*source]{
	{Name: "flux_association_shares", Help: "Shares of a user in a bank.", Labels: associationLabels, Samples: associations(func(a *flux.Association) float64 { return a.Shares })},
	{Name: "flux_association_usage", Help: "Job usage, by default in node-seconds.", Labels: associationLabels, Samples: associations(func(a *flux.Association) float64 { return a.Usage })},
	{Name: "flux_association_fairshare_ratio", Help: "Fairshare of a user in a bank, as flux has stored it.", Unit: "ratio", Labels: associationLabels, Samples: associations(func(a *flux.Association) float64 { return a.Fairshare })},
	{Name: "flux_queue_jobs_waiting", Help: "Jobs that the scheduler considers.", Labels: []string{"queue"}, Samples: parties(queueOf, func(p metrics.Party) float64 { return p.Jobs })},
	{Name: "flux_queue_best_rank", Help: "Place of the queue's first job in the order of all queues, from 1.", Labels: []string{"queue"}, Samples: parties(queueOf, func(p metrics.Party) float64 { return p.Best })},
	{Name: "flux_queue_highest_priority", Help: "Highest priority of a job of the queue.", Labels: []string{"queue"}, Samples: parties(queueOf, func(p metrics.Party) float64 { return p.Highest })},
	{Name: "flux_queue_longest_wait_seconds", Help: "Longest time since a job of the queue got its first priority.", Unit: "seconds", Labels: []string{"queue"}, Samples: parties(queueOf, func(p metrics.Party) float64 { return p.Longest })},
	{Name: "flux_bank_jobs_waiting", Help: "Jobs that the scheduler considers.", Labels: []string{"bank"}, Samples: parties(bankOf, func(p metrics.Party) float64 { return p.Jobs })},
	{Name: "flux_bank_best_rank", Help: "Place of the bank's first job in the order of all queues, from 1.", Labels: []string{"bank"}, Samples: parties(bankOf, func(p metrics.Party) float64 { return p.Best })},
	{Name: "flux_bank_longest_wait_seconds", Help: "Longest time since a job of the bank got its first priority.", Unit: "seconds", Labels: []string{"bank"}, Samples: parties(bankOf, func(p metrics.Party) float64 { return p.Longest })},
	{Name: "flux_jobs_held", Help: "Jobs of priority 0, which never start.", Samples: counts(func(r order.Row) bool { return r.Value == 0 })},
	{Name: "flux_jobs_left_out", Help: "Waiting jobs that the scheduler does not consider, such as those that a limit holds.", Samples: func(s *source, add func(float64, ...string)) { add(float64(s.leftOut)) }},
	{Name: "flux_priorities_different", Help: "Jobs whose priority in flux is another one than the one computed from the site.", Samples: counts(func(r order.Row) bool { return r.Difference() != "" })},
}

// Write writes what a site and the order of its jobs say.
func Write(w io.Writer, site *order.Site) error {
	from := &source{site: site}
	for _, r := range site.Rows() {
		if r.Rank > 0 {
			from.rows = append(from.rows, r)
		} else {
			from.leftOut++
		}
	}
	return metrics.Write(w, All, from)
}

// associations returns a family of the users in their banks, without those whose value is not known.
func associations(value func(*flux.Association) float64) func(*source, func(float64, ...string)) {
	return func(s *source, add func(float64, ...string)) {
		seen := map[order.Member]bool{}
		for i := range s.site.Associations {
			a := &s.site.Associations[i]
			of := order.Member{User: a.User, Bank: a.Bank}
			if v := value(a); !math.IsNaN(v) && !seen[of] {
				add(v, a.Bank, a.User)
			}
			seen[of] = true
		}
	}
}

// counts returns a family of one number: how many rows are so.
func counts(is func(order.Row) bool) func(*source, func(float64, ...string)) {
	return func(s *source, add func(float64, ...string)) {
		n := 0.
		for _, r := range s.rows {
			if is(r) {
				n++
			}
		}
		add(n)
	}
}

func queueOf(r order.Row) string { return r.Job.Queue }
func bankOf(r order.Row) string  { return r.Job.Bank }

// parties returns a family of the names of a kind.
func parties(of func(order.Row) string, value func(metrics.Party) float64) func(*source, func(float64, ...string)) {
	return metrics.OfParties(func(s *source, yield func(string, metrics.Waiting)) {
		for _, r := range s.rows {
			wait := math.NaN()
			if !s.site.Taken.IsZero() {
				const milli = 1e3
				wait = math.Round((float64(s.site.Taken.UnixMilli())/milli-r.Job.Eligible)*milli) / milli
			}
			yield(of(r), metrics.Waiting{Rank: float64(r.Rank), Value: r.Value, Wait: wait})
		}
	}, value)
}
