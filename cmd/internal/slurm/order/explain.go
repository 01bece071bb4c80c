package order

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/terms"
	"fairshare/cmd/internal/trace"
)

// Explanation is all that is said of the place of a job.
type Explanation struct {
	Line
	Of         int            `json:"of"`               // how many jobs are considered
	IsMagnetic bool           `json:"magnetic"`         // whether the reservation attracts it
	IsOfSome   bool           `json:"among_listed"`     // whether places are those among the jobs of a list that may lack those of others
	IsOfSprio  bool           `json:"among_sprio"`      // whether they are those among all jobs that sprio prints, of which that list may lack some
	IsWithin   bool           `json:"within_partition"` // whether places are those within its partition, which squeue alone tells
	InOwn      *Within        `json:"in_partition"`     // its place among the jobs of its partition, null where it has none or all are of that one
	Ahead      map[string]int `json:"ahead"`            // how many of them go first, by what puts them there
	StuckAhead []string       `json:"stuck_ahead"`      // those of them that never start, or not as things are
	Over       map[string]int `json:"over"`             // how many of a higher tier or priority go behind it, by what puts it first
	Parts      []terms.Term   `json:"parts"`            // of the computed priority, or of that which sprio prints; none where neither is known

	Tasks  string `json:"tasks,omitempty"` // of the array that the job stands for, as squeue has those that wait: 20_[4-7%2]; "" where it is no such record
	Asked  string `json:"task,omitempty"`  // the one of them that was asked for, "" for none
	Number int    `json:"-"`               // how many tasks these are

	Unplaced string `json:"unplaced,omitempty"` // why the place of a job that waits is not known, "" where it is

	ReasonMeans string     `json:"reason_means"`            // what it is that Slurm says it waits for, and what ends that; "" where that is not known
	DependsOn   []string   `json:"depends_on,omitempty"`    // what it waits for of others, with what has become of that
	Expected    *time.Time `json:"slurm_expects,omitempty"` // when Slurm expects to start it, in the zone of the site; null where it says nothing of that

	Unmodelled []string `json:"not_modelled,omitempty"` // what it asks for that nothing of this heeds

	IsHeldNow  bool `json:"held"` // whether the limit is the state of its partition, until an administrator changes that
	IsHeldHere bool `json:"-"`    // whether that is so in this partition, and the job may start in another one
	IsKeptOut  bool `json:"-"`    // whether the limit is a rule that keeps the job out of this partition for ever, and it may start in another one

	Before    []string `json:"before,omitempty"` // the jobs of its partition before it, the nearest first, where squeue alone tells its place
	MayDiffer bool     `json:"-"`                // whether the tables of QOS are not known, by which more of those ahead may not start, and others may go first

	Now      *forecast.Standing `json:"now,omitempty"` // where the site tells enough to go through a pass
	CPUs     *report.Number     `json:"cpus"`          // that the job asks for
	Billing  *report.Number     `json:"billing"`       // what each second of its run is charged, before the UsageFactor of its QOS
	RaisedTo int32              `json:"raised_to"`     // the CPUs of each task where MaxMemPerCPU has raised them, 0 where it has not
	Targets  []accounts.Target  `json:"targets"`       // of its association, from below the root on; none where the tree is not known
	Decay    accounts.Decay     `json:"-"`             // of usage

	IsOfStart bool   `json:"-"` // whether Value is the priority by which it started, which the parts do not come to any more
	isHeld    bool   // whether Slurm has 0 for its priority since it is held
	isPrinted bool   // whether the parts are those of sprio
	isSet     bool   // whether an administrator has set the priority, whatever its parts come to
	under     string // says under which of several QOS the job stands here, "" for a job of one
}

// Within is a place among the jobs of one partition.
type Within struct {
	Rank int `json:"rank"`
	Of   int `json:"of"`

	Beside *int `json:"ahead_of_other_partitions"` // how many jobs of other partitions that have nodes of it go first, null where that is not known
}

// Explain says why a row has its place among the rows of a site.
func (s *Site) Explain(rows []Row, row Row) Explanation {
	e := Explanation{Line: row.Line(), Ahead: map[string]int{}, Over: map[string]int{}, StuckAhead: []string{}, Parts: []terms.Term{}}
	e.IsOfSome, e.IsOfSprio = s.isOfSome, s.isOfSprio
	e.IsWithin, e.IsMagnetic, e.IsOfStart, e.IsHeldNow = s.isAsListed, row.Attracted != "", row.IsOfStart(), row.IsHeldNow()
	e.IsKeptOut, e.MayDiffer = row.IsKeptOut(), !s.hasQOS
	e.isSet, e.isHeld, e.under = row.WasSet(), row.isHeld(), s.under(&row)
	own, shares, beside, isAlone := Within{Rank: 1}, map[string]bool{}, 0, false
	for _, r := range rows {
		e.IsHeldHere = e.IsHeldHere || row.IsHeldNow() && r.Job.ID == row.Job.ID && !r.IsHeldNow()
		if r.Rank > 0 && r.Partition == row.Partition {
			own.Of++
			if r.Rank < row.Rank {
				own.Rank++
			}
		}
		if r.Rank == 0 || e.IsWithin && r.Partition != row.Partition {
			continue
		}
		e.Of++
		if r.Rank < row.Rank {
			e.Ahead[s.ahead(r, row)]++
			if e.IsWithin {
				e.Before = append(e.Before, r.Job.ID)
			}
			if r.Partition != row.Partition {
				isShared, isSeen := shares[r.Partition]
				if !isSeen {
					isKnown := false
					isShared, isKnown = s.shareNodes(r.Partition, row.Partition)
					shares[r.Partition], isAlone = isShared, isAlone || !isKnown
				}
				if isShared {
					beside++
				}
			}
			if !r.MayStart() {
				e.StuckAhead = append(e.StuckAhead, r.Job.ID)
			}
		}
		if row.Rank > 0 && r.Rank > row.Rank && (r.Tier > row.Tier || r.Tier == row.Tier && r.Value > row.Value) {
			e.Over[s.ahead(row, r)]++
		}
	}
	slices.Reverse(e.Before)
	if !isAlone {
		own.Beside = &beside
	}
	if of := slurm.ReasonNamed(row.Job.Reason); row.Job.State == "PENDING" && !(e.IsBarred() && of.Fate == slurm.ReasonDecided) { // which would end
		e.ReasonMeans = of.Means
	}
	switch {
	case e.Rank == nil:
	case e.IsWithin:
		e.Rank = &own.Rank
	case own.Of < e.Of:
		e.InOwn = &own
	}
	switch {
	case !math.IsNaN(row.Priority):
		e.Parts = s.parts(row)
	case row.Stored != nil:
		e.takePrinted(row)
	}
	e.amounts(s, row)
	return e
}

// IsBarred reports whether the job starts in none of its partitions, whatever else runs.
func (e *Explanation) IsBarred() bool { return e.Never != "" || e.IsHeldNow && !e.IsHeldHere }

// under says which row that of a job of several QOS is, "" for one of a single QOS.
func (s *Site) under(r *Row) string {
	if !r.Job.HasSeveralQOS() {
		return ""
	}
	text := fmt.Sprintf("job %s has several QOS: this is its row under %s", r.Job.ID, r.QOS)
	if r.Rank > 0 && r.ranked != r.Value {
		text += fmt.Sprintf(", which stands by %s, the priority under %s: in its one partition, the last QOS under which Slurm tries it counts for all", report.Fixed(r.ranked, 0), s.lastQOS(r.Job))
	}
	return text
}

// Sum returns the priority that the parts make: the one that is computed, or Slurm's where the parts are those of sprio or
// an administrator has set it.
func (e *Explanation) Sum() float64 {
	if e.Computed != nil && !e.isPrinted && !e.isSet {
		return float64(*e.Computed)
	}
	return float64(e.Value)
}

// Remarks says under which of several QOS a job is explained, and what its parts come to where that is not its priority, as
// one is cut off or an administrator has set it, and of which sign a nice value is.
func (e *Explanation) Remarks() (list []string) {
	if e.under != "" {
		list = append(list, e.under)
	}
	if e.isHeld {
		text := fmt.Sprintf("Slurm has 0 for the priority of job %s as long as it is held", e.ID)
		if e.Computed != nil && !e.isPrinted && *e.Computed > 0 {
			text += ": by these terms it would be " + report.Fixed(float64(*e.Computed), 0)
		}
		list = append(list, text)
	}
	if e.isSet && e.Computed != nil && !e.isPrinted {
		list = append(list, fmt.Sprintf("an administrator has set the priority of job %s: by these terms it would be %s", e.ID, report.Fixed(float64(*e.Computed), 0)))
	}
	known, unknown := 0., ""
	for _, t := range e.Parts {
		switch {
		case t.Points.IsNaN() && e.isPrinted:
			unknown = t.Name
		case e.isPrinted && t.Name == "nice" && t.Points != 0:
			list = append(list, fmt.Sprintf("the nice value of job %s is %s, which is subtracted", e.ID, report.Plain(-float64(t.Points))))
			fallthrough
		default:
			known += float64(t.Points)
		}
	}
	if unknown != "" {
		list = append(list, fmt.Sprintf("the table of sprio cuts off %s of job %s: the other terms come to %s of its %s", unknown, e.ID, report.Fixed(known, 0), report.Fixed(e.Sum(), 0)))
	}
	return list
}

// amounts adds what a job asks for and is charged, and what its association has used beside its shares.
func (e *Explanation) amounts(s *Site, row Row) {
	of := func(name string) *report.Number {
		if x, ok := row.Job.TRES[name]; ok {
			return report.Optional(x)
		}
		return nil
	}
	e.CPUs, e.Billing, e.RaisedTo, e.Decay = of("cpu"), of("billing"), s.raised[row.Job.ID], accounts.Decay{HalfLife: s.Conf.HalfLife}
	switch {
	case s.isHalving:
	case s.lacksConf != "":
		e.Decay = accounts.Decay{HalfLife: math.NaN(), Lacks: "scontrol show config tells how usage decays, or --set PriorityDecayHalfLife=7-0"}
	case s.Conf.Weights.Fairshare == 0:
		return
	}
	if s.cut != nil {
		decay := e.Decay
		if s.Conf.Algorithm().Name != "fair-tree-slurm" { // whose parts are of all, and not of what the level has
			decay = accounts.Decay{HalfLife: math.NaN(), Lacks: "sshare -a -l tells the whole tree"}
		}
		e.Targets = s.cut.Targets(row.Job.Account, row.Job.User, row.Partition, decay)
		return
	}
	if s.Tree == nil {
		return
	}
	level := s.Tree.LevelShares()
	for i := s.AssociationOf(row.Job); i > 0; i = s.Tree.Competes(i) {
		x, at := s.Tree.At(i), s.Tree.Competes(i)
		if !x.FromParent && level[at] > 0 {
			e.Targets = append(e.Targets, accounts.NewTarget(x.Name, x.Usage, s.Tree.At(at).Usage, x.Shares/level[at], e.Decay))
		}
	}
	slices.Reverse(e.Targets)
}

// takePrinted makes the parts those that sprio prints of a row, whose weights and factors nothing tells. The points of one
// that its table cuts off are NaN.
func (e *Explanation) takePrinted(r Row) {
	e.isPrinted, e.Parts = true, []terms.Term{}
	unknown := report.Number(math.NaN())
	for i, points := range r.printed() {
		name := termWords[i]
		switch {
		case math.IsNaN(points) && !(name == "TRES" && r.Stored.IsTRESCut):
			continue
		case name == "nice":
			points = 0 - points
		}
		e.Parts = append(e.Parts, terms.Term{Name: name, Weight: unknown, Factor: unknown, Points: report.Number(points)})
	}
}

// termWords are what the terms are called where they are explained, in the order of TermNames.
var termWords = []string{"age", "association", "fairshare", "job size", "partition", "QOS", "TRES", "site", "nice"}

// parts returns what makes up the priority of a row, in the order of sprio.
func (s *Site) parts(r Row) []terms.Term {
	w, p, n := s.Conf.Weights, r.Weighted, r.Norm
	var list []terms.Term
	add := func(name string, weight, factor, points float64) {
		list = append(list, terms.Term{Name: name, Weight: report.Number(weight), Factor: report.Number(factor), Points: report.Number(points)})
	}
	add("age", w.Age, n.Age, p.Age)
	if w.Assoc != 0 && !r.Untold.Assoc {
		add("association", w.Assoc, n.Assoc, p.Assoc)
	}
	if !r.Untold.Fairshare {
		add("fairshare", w.Fairshare, n.Fairshare, p.Fairshare)
	}
	add("job size", w.JobSize, n.JobSize, p.JobSize)
	add("partition", w.Partition, n.Partition, p.Partition)
	if !r.Untold.QOS {
		add("QOS", w.QOS, n.QOS, p.QOS)
	}
	for i, a := range p.TRES {
		for _, weight := range w.TRES {
			if weight.Name == a.Name {
				add("TRES "+a.Name, weight.Count, n.TRES[i].Count, a.Count)
			}
		}
	}
	if r.Job.Site != 0 {
		add("site", 1, r.Job.Site, r.Job.Site)
	}
	add("nice", -1, r.Job.Nice, 0-r.Job.Nice)
	if r.Untold.IsAny() {
		list = append(list, r.rest(list))
	}
	return list
}

// Versus is why one of two jobs goes first.
type Versus struct {
	Job   Explanation  `json:"job"`
	Other Explanation  `json:"other"`
	First string       `json:"first"`            // which of them, "" where Slurm does not consider both
	By    string       `json:"by"`               // one of sched.OrderRules, or AsListed
	Round []Step       `json:"circle,omitempty"` // of preemption, where By is one: from the first over others to the second, and back
	Pairs []terms.Pair `json:"pairs"`            // none where a priority is not known

	Places []compare.Places       `json:"places,omitempty"` // of the jobs of both users, where they are asked about
	Turn   []compare.TurningPoint `json:"turn"`             // what would reverse their order
	Notes  []string               `json:"notes"`            // on what would not
}

// Compare says which of two rows goes first among the rows of a site, and why.
func (s *Site) Compare(rows []Row, row, other Row) Versus {
	untold := row.Untold.and(other.Untold)
	row.Untold, other.Untold = untold, untold
	v := Versus{Job: s.Explain(rows, row), Other: s.Explain(rows, other), Pairs: []terms.Pair{}, Turn: []compare.TurningPoint{}, Notes: []string{}}
	if row.Rank > 0 && other.Rank > 0 && !(s.isAsListed && row.Partition != other.Partition) {
		first, second := row, other
		if second.Rank < first.Rank {
			first, second = second, first
		}
		v.First, v.By = first.Job.ID, s.ahead(first, second)
		if v.By == sched.ByCircle.String() {
			v.Round = s.circle(rows, first, second)
		}
	}
	if len(v.Job.Parts) == 0 || len(v.Other.Parts) == 0 {
		return v
	}
	if v.Job.isPrinted != v.Other.isPrinted { // of which only one is computed
		if row.Stored == nil || other.Stored == nil {
			return v
		}
		v.Job.takePrinted(row)
		v.Other.takePrinted(other)
	}
	points := map[string]report.Number{}
	list := slices.Clone(v.Job.Parts)
	for _, t := range v.Other.Parts {
		points[t.Name] = t.Points
		if !slices.ContainsFunc(list, func(own terms.Term) bool { return own.Name == t.Name }) {
			list = append(list, terms.Term{Name: t.Name, Weight: t.Weight})
		}
	}
	for _, t := range list {
		v.Pairs = append(v.Pairs, terms.Pair{Term: t, Other: points[t.Name], Difference: t.Points - points[t.Name]})
	}
	return v
}

// jobName is how people name a job: 20, 20_4 of an array, 20_[4-7] as squeue has the tasks that wait, 20+1 of
// a heterogeneous job, and each with @PARTITION.
var jobName = pattern.Of(`^[0-9]+([_+][0-9]+|_\[[0-9,:%-]+\])?(@[^/]+)?$`)

// LooksLikeJob reports whether a text may name a job.
func LooksLikeJob(text string) bool { return jobName().MatchString(text) }

// Find returns the row of a job: the first one of those that it has in several partitions, or with
// JOB@PARTITION that in a partition. A task that waits has the row of its array.
func Find(rows []Row, name string) (Row, error) {
	named, partition, isOne := strings.Cut(name, "@")
	id, tasks := trace.TasksNamed(named)
	array, text, isTask := strings.Cut(id, "_")
	task, err := strconv.Atoi(text)
	isTask = isTask && err == nil
	for _, is := range []func(j *slurm.Job) bool{
		func(j *slurm.Job) bool { return (j.ID == id || j.Task == id) && standsAny(j.Indices, tasks) },
		func(j *slurm.Job) bool {
			indices, ok := trace.ParseIndices(j.Indices)
			return isTask && ok && j.Array == array && indices.Has(task)
		},
	} {
		if i := slices.IndexFunc(rows, func(r Row) bool { return is(r.Job) && (!isOne || r.Partition == partition) }); i >= 0 {
			return rows[i], nil
		}
	}
	return Row{}, &diag.NoJobError{Name: name}
}

// takeTasks notes of which tasks of an array a job that waits is the one record, and which of them was asked for by its name.
func (e *Explanation) takeTasks(job *slurm.Job, asked string) {
	id, _, _ := strings.Cut(asked, "@")
	if id == job.Task && id != job.ID {
		e.Asked = id
	}
	indices, ok := trace.ParseIndices(job.Indices)
	if job.State != "PENDING" || job.Array == "" || !ok || indices == nil {
		return
	}
	e.Tasks, e.Number = fmt.Sprintf("%s_[%s]", job.Array, job.Indices), indices.Count()
	if id != job.ID && strings.Contains(id, "_") && !strings.Contains(id, "[") {
		e.Asked = id
	}
}

// standsAny reports whether the indices of an array have one of some tasks, which nil is of all, or whether nothing tells.
func standsAny(text string, tasks trace.Indices) bool {
	indices, ok := trace.ParseIndices(text)
	if !ok || indices == nil || tasks == nil {
		return true
	}
	for index := range indices.All() {
		if tasks.Has(index) {
			return true
		}
	}
	return false
}

// nearest returns the nearest of the rows before one whose job may start, of its partition where there is such a one, since others may wait
// for other nodes; the last one where none may start.
func nearest(before []Row, row Row) Row {
	for _, isOwn := range []bool{true, false} {
		for i := range slices.Backward(before) {
			if r := before[i]; r.MayStart() && (!isOwn || r.Partition == row.Partition) {
				return r
			}
		}
	}
	return before[len(before)-1]
}

// PassedOver says which jobs of a row's partition stand between it and the one ahead that it is compared with, which do not start as things
// are, that none before it does, or that the one ahead is of another partition; "" for nothing.
func (s *Site) PassedOver(rows []Row, first, second Row) string {
	var list []string
	for i := range rows {
		if r := &rows[i]; r.Rank > first.Rank && r.Rank < second.Rank && r.Partition == second.Partition {
			list = append(list, r.Job.ID)
		}
	}
	switch {
	case !first.MayStart():
		return fmt.Sprintf("none of the jobs ahead of %s starts as things are: it is compared with the nearest one", second.Job.ID)
	case first.Partition != second.Partition:
		return fmt.Sprintf("no job of partition %s that may start is ahead of %s: it is compared with the nearest one of all, job %s of partition %s", second.Partition, second.Job.ID, first.Job.ID, first.Partition)
	case list == nil:
		return ""
	case len(list) == 1:
		return fmt.Sprintf("job %s ahead of %s does not start as things are, and is passed over", list[0], second.Job.ID)
	}
	return fmt.Sprintf("%s ahead of %s do not start as things are, and are passed over: %s", report.Count(len(list), "job"), second.Job.ID, report.First(list))
}

// Other returns the row that one is compared with: that of a job, or of a user's first one, or for "ahead" and "first" the
// one that nearest returns and the first one, in its partition where squeue alone tells places. A *diag.RequestError is for a row that has
// none, or would be compared with itself.
func (s *Site) Other(rows []Row, row Row, name string) (other Row, err error) {
	own := s.rankWithin(rows, row)
	if s.isAsListed && (name == "ahead" || name == "first") {
		if own == 1 {
			return other, diag.Requestf("%s is the first job of partition %s: nobody there is ahead of it, and nothing tells which of two partitions' jobs goes first (sprio -l does)", row.Job.ID, row.Partition)
		}
		rows = slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Rank > 0 && r.Partition != row.Partition })
	}
	rank, err := compare.Neighbour(name, row.Job.ID, own, diag.Requestf("Slurm does not consider job %s (%s), so that it has no place in the order", row.Job.ID, row.Reason))
	switch {
	case err != nil:
		return other, err
	case rank > 0 && name == "ahead":
		return nearest(rows[:rank], row), nil // those that are considered come first
	case rank > 0:
		return rows[rank-1], nil
	}
	find := func(id string) (Row, error) { return Find(rows, id) }
	first := func(user string) (Row, error) { return s.FirstOf(rows, user) }
	if other, err = compare.Named(name, find, first, LooksLikeJob); err == nil && other.Place() == row.Place() {
		err = compare.Itself(row.Job.ID)
	}
	return other, err
}
