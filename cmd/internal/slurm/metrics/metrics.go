// Package metrics says what a Slurm site looks like now, as metrics.
package metrics

import (
	"io"
	"math"
	"slices"

	"fairshare/cmd/internal/metrics"
	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/fstree"
)

// source is what metrics of a Slurm site are made of.
type source struct {
	site     *order.Site
	rows     []order.Row    // that Slurm considers
	nodes    *nodes.Machine // nil where they are not known
	leftOut  int
	standing func(account, user, partition string) (float64, bool)
}

// The labels of associations.
var associationLabels = []string{"account", "user"}

// All are the families of a Slurm site, in the order in which they are written. No command of
// Slurm's tells its time zone, so that there is none of when this was true.
var All = slices.Concat([]metrics.Metric[*source]{
	{Name: "slurm_association_shares", Help: "Raw shares of an account or a user (RawShares), none for Fairshare=parent.", Labels: associationLabels, Samples: associations(func(_ *source, x fstree.Association, _ string) float64 {
		if x.FromParent {
			return math.NaN()
		}
		return x.Shares
	})},
	{Name: "slurm_association_usage", Help: "Raw usage (RawUsage).", Labels: associationLabels, Samples: associations(func(_ *source, x fstree.Association, _ string) float64 { return x.Usage })},
	{Name: "slurm_association_fairshare_ratio", Help: "FairShare of a user, by the algorithm in force.", Unit: "ratio", Labels: associationLabels, Samples: associations(func(s *source, x fstree.Association, account string) float64 {
		if factor, ok := s.standing(account, x.Name, x.Partition); ok && x.User {
			return factor
		}
		return math.NaN()
	})},
	{Name: "slurm_partition_jobs_waiting", Help: "Jobs that Slurm considers, those that name several partitions in each.", Labels: []string{"partition"}, Samples: parties(partitionOf, func(p metrics.Party) float64 { return p.Jobs })},
	{Name: "slurm_partition_best_rank", Help: "Place of the partition's first job in the order in which Slurm considers jobs, from 1, without those that do not start whatever else runs (held, never).", Labels: []string{"partition"}, Samples: parties(partitionOf, func(p metrics.Party) float64 { return p.Best })},
	{Name: "slurm_partition_highest_priority", Help: "Highest priority of a job of the partition.", Labels: []string{"partition"}, Samples: parties(partitionOf, func(p metrics.Party) float64 { return p.Highest })},
	{Name: "slurm_partition_longest_wait_seconds", Help: "Longest time since a job of the partition became eligible.", Unit: "seconds", Labels: []string{"partition"}, Samples: parties(partitionOf, func(p metrics.Party) float64 { return p.Longest })},
	{Name: "slurm_partition_up", Help: "1 where jobs that wait in the partition may start (UP, DRAIN), 0 where its state holds them (DOWN, INACTIVE).", Labels: []string{"partition"}, Samples: func(s *source, add func(float64, ...string)) {
		for name, isUp := range s.site.Partitions() {
			if isUp {
				add(1, name)
			} else {
				add(0, name)
			}
		}
	}},
	{Name: "slurm_account_jobs_waiting", Help: "Jobs that Slurm considers, those that name several partitions in each.", Labels: []string{"account"}, Samples: parties(accountOf, func(p metrics.Party) float64 { return p.Jobs })},
	{Name: "slurm_account_best_rank", Help: "Place of the account's first job in the order in which Slurm considers jobs, from 1, without those that do not start whatever else runs (held, never).", Labels: []string{"account"}, Samples: parties(accountOf, func(p metrics.Party) float64 { return p.Best })},
	{Name: "slurm_account_longest_wait_seconds", Help: "Longest time since a job of the account became eligible.", Unit: "seconds", Labels: []string{"account"}, Samples: parties(accountOf, func(p metrics.Party) float64 { return p.Longest })},
	{Name: "slurm_jobs_left_out", Help: "Pending jobs that Slurm does not consider: held, or not yet eligible (BeginTime, Dependency).", Samples: func(s *source, add func(float64, ...string)) { add(float64(s.leftOut)) }},
	{Name: "slurm_priorities_different", Help: "Jobs whose priority in Slurm is another one than the one computed from the site.", Samples: func(s *source, add func(float64, ...string)) {
		if s.site.LacksConf() != "" { // so that none is computed
			return
		}
		n := 0.
		for _, r := range s.rows {
			if r.Difference() != "" {
				n++
			}
		}
		add(n)
	}},
}, nodes.Metrics("slurm", "node", func(s *source) *nodes.Machine { return s.nodes }))

// Write writes what a Slurm site, the order of its jobs and its nodes say, which are nil where they are not known.
func Write(w io.Writer, site *order.Site, of *nodes.Machine) error {
	from := &source{site: site, nodes: of, standing: func(string, string, string) (float64, bool) { return 0, false }}
	if site.Tree != nil {
		from.standing = site.Conf.Fairshare(site.Tree)
	}
	rows := site.Rows()
	site.RankAsTold(rows)
	for _, r := range rows {
		switch {
		case r.Rank > 0:
			from.rows = append(from.rows, r)
		case r.Job.State == "PENDING":
			from.leftOut++
		}
	}
	return metrics.Write(w, All, from)
}

// associations returns a family of the associations below the root, without those whose value is
// not a number.
func associations(value func(s *source, x fstree.Association, account string) float64) func(*source, func(float64, ...string)) {
	return func(s *source, add func(float64, ...string)) {
		if s.site.Tree == nil {
			return
		}
		for i := 1; i < s.site.Tree.Len(); i++ {
			x := s.site.Tree.At(i)
			account, user := x.Name, ""
			if x.User {
				account, user = s.site.Tree.At(int(x.Parent)).Name, x.Name
			}
			if x.Partition != "" {
				user += "/" + x.Partition
			}
			if v := value(s, x, account); !math.IsNaN(v) {
				add(v, account, user)
			}
		}
	}
}

func partitionOf(r order.Row) string { return r.Partition }
func accountOf(r order.Row) string   { return r.Job.Account }

// parties returns a family of the names of a kind.
func parties(of func(order.Row) string, value func(metrics.Party) float64) func(*source, func(float64, ...string)) {
	return metrics.OfParties(func(s *source, yield func(string, metrics.Waiting)) {
		for _, r := range s.rows {
			wait := math.NaN()
			if since := r.Job.Eligible; !since.IsZero() && !s.site.Taken.IsZero() {
				wait = s.site.Taken.Sub(since).Seconds()
			}
			rank := float64(r.Rank)
			if r.IsStuck() {
				rank = math.NaN()
			}
			yield(of(r), metrics.Waiting{Rank: rank, Value: r.Value, Wait: wait})
		}
	}, value)
}
