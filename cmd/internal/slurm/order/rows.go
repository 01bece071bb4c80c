package order

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/fstree"
)

// Row is an entry of the queue: a job in one of its partitions and under one of its QOS.
type Row struct {
	slurm.Factors                      // as they are computed here
	Stored        *dump.StoredPriority // as sprio prints them, nil for a job that it does not list
	Tier          float64              // of the partition, NaN where no configuration tells it
	Value         float64              // the priority that orders the jobs: Slurm's where it is known
	Rank          int                  // from 1 on, 0 for a job that Slurm does not consider
	Reason        string               // why it does not, or what the job waits for
	Attracted     string               // the MAGNETIC reservation that attracts its job, "" for none
	IsPreemptable bool                 // whether jobs of lower priorities go before it by preemption, or a circle of it
	HasNoOwn      bool                 // whether nothing tells which of its job's partitions Value is of
	Untold        Untold               // what Priority counts as 0, since nothing tells it
	Rounded       int                  // how many of its terms are whole numbers that sprio prints, where nothing else tells them
	Limit         *sched.Limit         // that keeps a job from starting that Slurm considers, as the tables tell; nil for none
	Never         *sched.Limit         // what keeps such a job from starting whatever else runs, nil for nothing

	Listed int // its place where scontrol lists the jobs

	ranked float64 // the priority by which it is ranked, see findRanked

	Was *Row // of the site as it is, where this one is of a changed site
}

// Place is a job in one of its partitions, and of several QOS under one of them: a row.
type Place struct{ ID, Partition, QOS string }

// Place returns which row it is.
func (r *Row) Place() Place { return placeOf(r.Job, r.Partition, r.QOS) }

// IsAt reports whether a row has the place of another.
func (r *Row) IsAt(other *Row) bool {
	return r.Job == other.Job && r.Partition == other.Partition && r.QOS == other.QOS || r.Place() == other.Place()
}

// placeOf returns which row is that of a job in a partition and under a QOS.
func placeOf(j *slurm.Job, partition, qos string) Place {
	if !j.HasSeveralQOS() {
		qos = ""
	}
	return Place{j.ID, partition, qos}
}

// storedBy returns what sprio lists by the rows.
func (s *Site) storedBy() map[Place]*dump.StoredPriority {
	hasSeveral := map[string]bool{}
	for i := range s.Jobs {
		if s.Jobs[i].HasSeveralQOS() {
			hasSeveral[s.Jobs[i].ID] = true
		}
	}
	stored := make(map[Place]*dump.StoredPriority, len(s.Stored))
	for i := range s.Stored {
		p := &s.Stored[i]
		place := Place{p.ID, p.Partition, ""}
		if hasSeveral[p.ID] {
			place.QOS = p.QOS
		}
		stored[place] = p
	}
	return stored
}

// notListed begins the reason of a job that sprio should list and does not.
const notListed = "sprio does not list it: "

// qosPriorities returns the priorities of the QOS by name, or where nothing tells them their factors by sprio.
func (s *Site) qosPriorities() map[string]float64 {
	if s.QOS == nil {
		return s.factors
	}
	return s.QOS
}

// Cluster returns what priorities are computed with.
func (s *Site) Cluster() *slurm.Cluster {
	c := &slurm.Cluster{Conf: s.Conf, QOS: s.qosPriorities(), Now: s.Taken, Swept: s.Swept}
	if s.assoc != nil {
		c.Assoc, c.MostAssoc = s.assoc.Of, s.assoc.Most
	}
	switch {
	case s.Tree != nil:
		c.Fairshare = s.Conf.Fairshare(s.Tree)
	case len(s.printed) > 0:
		c.Fairshare = func(account, user, _ string) (float64, bool) {
			x, ok := s.printed[[2]string{account, user}]
			return x, ok
		}
	}
	return c
}

// isHeld reports whether a row's job is held, for which Slurm makes its priority 0, whatever its terms come to.
func (r *Row) isHeld() bool {
	return r.Job.State == "PENDING" && strings.HasPrefix(r.Job.Reason, "JobHeld")
}

// IsHeldNow reports whether the state of its partition keeps a row's job from starting until an administrator changes it.
func (r *Row) IsHeldNow() bool { return r.Limit != nil && r.Limit.IsOfNow }

// IsKeptOut reports whether a rule keeps a row's job out of its partition for ever, such as its MaxTime.
func (r *Row) IsKeptOut() bool { return r.Limit != nil && r.Limit.IsRule && !r.Limit.IsOfNow }

// HeldBy returns the limit that keeps a row's job from starting, as squeue calls it, with its owner; "" for none.
func (r *Row) HeldBy() string {
	switch {
	case r.Never != nil:
		return r.Never.Name
	case r.Limit != nil:
		return r.Limit.Name
	}
	return ""
}

// IsStuck reports whether a row's job does not start in its partition, whatever else runs.
func (r *Row) IsStuck() bool { return r.StuckBy() != nil }

// StuckBy returns what keeps a row's job from starting in its partition whatever else runs, nil for nothing.
func (r *Row) StuckBy() *sched.Limit {
	switch {
	case r.Never != nil:
		return r.Never
	case r.IsHeldNow() || r.IsKeptOut():
		return r.Limit
	}
	return nil
}

// Fairshare returns the tree under the algorithm that the site's factors are computed with, nil where
// there is no tree.
func (s *Site) Fairshare() *accounts.Table {
	if s.Tree == nil {
		return nil
	}
	return accounts.NewTable(s.Tree, []fstree.Algorithm{s.Conf.Algorithm()}, fstree.Options{DampFactor: s.Conf.DampFactor})
}

// AssociationOf returns the place in the tree of the association that the fairshare of a job is of, -1 where it is not
// known.
func (s *Site) AssociationOf(j *slurm.Job) int {
	if s.Tree == nil {
		return -1
	}
	partition := ""
	if len(j.Partitions) > 0 { // of several, the first one counts
		partition = j.Partitions[0]
	}
	return slurm.FindAssociation(s.Tree, j.Account, j.User, partition)
}

// Rows returns the jobs in the order in which Slurm considers them, see sched.Precedence. Those that it does not
// consider come last.
func (s *Site) Rows() []Row {
	rows := s.PlainRows()
	s.FindLimits(rows)
	return rows
}

// FindLimits finds the limits that hold the jobs of rows, of which After knows nothing.
func (s *Site) FindLimits(rows []Row) {
	if s.limits == nil {
		return
	}
	for i := range rows {
		if r := &rows[i]; r.Rank > 0 && r.Job.State == "PENDING" && r.Job.TRES != nil {
			r.Limit, r.Never = s.limits.Holds(r.Job, r.Partition, r.QOS)
		}
	}
}

// QOSOf returns the QOS that a job of somebody may be of, by the table of associations; nil where that is not known, or nobody asks.
func (s *Site) QOSOf(j *slurm.Job) []string {
	if s.limits == nil {
		return nil
	}
	return s.limits.QOSOf(j)
}

// PlainRows returns the same without the limits that hold jobs.
func (s *Site) PlainRows() []Row {
	rows := s.UnsortedRows()
	s.Sort(rows)
	return rows
}

// UnsortedRows is PlainRows in the order in which the jobs are listed, for whoever sorts them by other priorities.
func (s *Site) UnsortedRows() []Row {
	stored := s.storedBy()
	rows := s.rowsOf(s.Jobs, stored)
	for i := range s.Stored { // of jobs that came after the list was printed, or that it hides
		if p := &s.Stored[i]; stored[Place{p.ID, p.Partition, ""}] == p {
			j := &slurm.Job{ID: p.ID, User: p.User, Partitions: []string{p.Partition}, Priority: p.Priority, State: "PENDING", TimeLimit: math.NaN()}
			r := Row{Factors: slurm.Factors{Job: j, Partition: p.Partition, Priority: math.NaN()}, Stored: p, Value: p.Priority, Rank: 1}
			if s.isAsListed {
				r.Rank, r.Reason = 0, "squeue does not list it"
			}
			rows = append(rows, r)
		}
	}
	s.placeRows(rows)
	return rows
}

// FirstRows are the first of UnsortedRows: those of at most so many jobs.
func (s *Site) FirstRows(jobs int) []Row {
	rows := s.rowsOf(s.Jobs[:min(jobs, len(s.Jobs))], s.storedBy())
	s.placeRows(rows)
	return rows
}

// placeRows tells of rows where they are listed and in which tier they are.
func (s *Site) placeRows(rows []Row) {
	for i := range rows {
		rows[i].Listed, rows[i].Tier = i, 1
		if s.lacksConf != "" {
			rows[i].Tier = math.NaN()
		}
		if part := s.Conf.Partitions[rows[i].Partition]; part != nil {
			rows[i].Tier = part.Tier
		}
	}
}

// rowsOf returns the rows of some jobs, without their places, and takes what sprio prints of them away from the rest of it.
func (s *Site) rowsOf(jobs []slurm.Job, stored map[Place]*dump.StoredPriority) []Row {
	c := s.Cluster()
	c.Prepare()
	most := 0
	for i := range jobs {
		most += len(jobs[i].Partitions) * (1 + strings.Count(jobs[i].QOS, ","))
	}
	rows := make([]Row, 0, most)
	var names []string // of the QOS of a job
	for i := range jobs {
		j := &jobs[i]
		why := c.LeavesOut(j)
		first := len(rows)
		attracted := s.magnets.of(j)
		if names = j.QOSBy(names[:0], c.QOS); s.isAsListed {
			names = names[:1] // since squeue lists a job once
		}
		for _, partition := range j.Partitions {
			for _, qos := range names {
				key := placeOf(j, partition, qos)
				rows = append(rows, Row{Factors: s.factorsOf(c, j, partition, qos), Stored: stored[key], Reason: j.Reason, Value: j.Priority, Attracted: attracted, Rounded: s.rounded})
				r := &rows[len(rows)-1]
				delete(stored, key)
				if r.Stored == nil {
					r.Untold = s.untold(c, &r.Factors)
				}
				if r.Stored != nil && s.isChosen && (math.IsNaN(r.Value) || len(j.Partitions)*len(names) > 1) { // else the list has it, as of the same moment as the others
					r.Value = r.Stored.Priority
				}
				switch {
				case r.Stored != nil && !s.isChosen:
					r.Value, r.Rank = r.Stored.Priority, 1
				case why != "":
					if why == slurm.NotPending {
						why = j.State
					}
					if r.Reason = why; j.Reason != "" && j.Reason != "None" {
						r.Reason += ": " + j.Reason
					}
				case s.isRanked():
					r.Reason = notListed + j.Reason
				case s.isAsListed && len(j.Partitions) > 1:
					r.Reason = "nothing tells its place in each of several partitions: " + j.Reason
				default:
					r.Rank = 1
				}
			}
		}
		if !s.isRanked() && rows[first].Stored == nil && !s.Conf.Basic && len(rows)-first > 1 && why == "" {
			valueEach(rows[first:])
		}
	}
	return rows
}

// Reservation returns the reservation that its job asks for or that attracts it, "" for none.
func (r *Row) Reservation() string { return cmp.Or(r.Job.Reservation, r.Attracted) }

// valueEach finds the priorities of a job in each of its partitions. Slurm has one for each, and sprio prints
// them all; scontrol and squeue show that of the partition which Slurm has looked at last.
func valueEach(rows []Row) {
	const rounding = 1
	isOf := func(r Row) bool { return math.Abs(r.Priority-r.Value) <= rounding }
	own := slices.IndexFunc(rows, isOf)
	for i := range rows {
		switch r := &rows[i]; {
		case own < 0:
			r.HasNoOwn = true
		case !isOf(*r):
			r.Value = r.Priority
		}
	}
}

// sayPartitions says of how many jobs of several partitions only one priority is known.
func (s *Site) sayPartitions() {
	if s.isRanked() || s.isAsListed || s.Conf.Basic || !slices.ContainsFunc(s.Jobs, func(j slurm.Job) bool { return len(j.Partitions) > 1 }) {
		return
	}
	computed, unknown := map[string]bool{}, map[string]bool{}
	for _, r := range s.PlainRows() {
		switch {
		case r.Rank == 0 || r.Stored != nil || len(r.Job.Partitions) == 1:
		case r.HasNoOwn:
			unknown[r.Job.ID] = true
		default:
			computed[r.Job.ID] = true
		}
	}
	const why = "without sprio -l, one priority alone is known of %s in several partitions"
	if n := len(computed); n > 0 {
		s.say(diag.Notef(why+": those in the others are computed", report.Count(n, "job")))
	}
	if n := len(unknown); n > 0 {
		s.say(diag.Warningf(why+", and nothing tells in which: it is taken for all of them", report.Count(n, "job")))
	}
}

// factorsOf returns the priority of a job, NaN where what makes it up is not known, or where it has no terms.
func (s *Site) factorsOf(c *slurm.Cluster, j *slurm.Job, partition, qos string) slurm.Factors {
	if j.TRES == nil || s.lacksConf != "" || s.Conf.Basic {
		return slurm.Factors{Job: j, Partition: partition, QOS: qos, Priority: math.NaN()}
	}
	return c.Factors(j, partition, qos)
}

// Ranking returns the priorities that are computed for the jobs which Slurm considers, the highest
// first.
func (s *Site) Ranking() slurm.Ranking {
	var r slurm.Ranking
	for _, row := range s.PlainRows() {
		if row.Rank > 0 && !math.IsNaN(row.Priority) {
			r.Rows = append(r.Rows, row.Factors)
		}
	}
	slices.SortStableFunc(r.Rows, func(a, b slurm.Factors) int { return cmp.Compare(b.Priority, a.Priority) })
	return r
}
