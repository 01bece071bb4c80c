package cli

import (
	"math"
	"strconv"
	"strings"

	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/witness"
)

// printStarts prints each start of each policy, as programs read it.
func (r *replayReport) printStarts(s *session) error {
	out := report.NewCSV(s.out)
	w := r.on.Work
	kinds := r.on.ListKinds()
	header := []string{"policy", "job"}
	for _, kind := range kinds {
		header = append(header, kind.Name)
	}
	header = append(header, "arrival", "start", "end", "observed_start", r.on.Words.Nodes)
	hasBy := r.all[1].First.Result.Filled != nil
	if hasBy {
		header = append(header, "by")
	}
	out.Write(header...)
	orEmpty := func(at int64) string {
		if at == trace.Unknown {
			return ""
		}
		return strconv.FormatInt(at, 10)
	}
	for i, m := range r.all[1:] {
		for k, j := range m.First.Jobs {
			end := int64(trace.Unknown)
			if at := m.First.Result.End[k]; at > 0 {
				end = int64(at)
			}
			row := []string{strconv.Itoa(i + 1), j.ID}
			for _, kind := range kinds {
				row = append(row, kind.Of(j))
			}
			row = append(row, orEmpty(j.Arrival), orEmpty(j.Start), orEmpty(end), orEmpty(w.Jobs[k].Start), m.First.Result.Vnodes(k))
			switch {
			case hasBy && m.First.Result.Filled[k]:
				row = append(row, "backfill")
			case hasBy && j.Start != trace.Unknown:
				row = append(row, "main")
			case hasBy:
				row = append(row, "")
			}
			out.Write(row...)
		}
	}
	return out.Flush()
}

// figuresOfCSV are the figures of some jobs in CSV, by the names of their columns.
var figuresOfCSV = []struct {
	name   string
	figure figure.Figure
}{
	{"core_hours", figure.Figure{Statistic: "sum", Quantity: "core_hours"}}, {"wait_mean", figure.MeanWait},
	{"wait_median", figure.Figure{Statistic: "median", Quantity: "wait"}}, {"wait_p90", figure.Figure{Statistic: "p90", Quantity: "wait"}},
	{"wait_p95", figure.Figure{Statistic: "p95", Quantity: "wait"}}, {"wait_p99", figure.Figure{Statistic: "p99", Quantity: "wait"}},
	{"slowdown", figure.Figure{Statistic: "mean", Quantity: "slowdown"}},
}

// printCSV prints the figures of all policies by kind and name: those of the run on the
// work as it was recorded, and for several runs the mean wait of all and how it differs
// from the first policy's.
func (r *replayReport) printCSV(s *session) error {
	out := report.NewCSV(s.out)
	out.Write("policy", "kind", "name", "jobs", "core_hours", "wait_mean", "wait_median", "wait_p90", "wait_p95", "wait_p99", "slowdown",
		"runs", "wait_of_runs", "wait_low", "wait_high", "change", "change_low", "change_high", "is_noise", "sooner", "later", "left_waiting", "left_core_hours", "longer")
	write := func(i int, kind, name string, jobs []outcome.Wait, waits [][]float64, gains []study.Gains) {
		row := []string{r.name(i), kind, name, strconv.Itoa(len(jobs))}
		numbers := func(list ...float64) {
			for _, x := range list {
				row = append(row, report.OrEmpty(report.Optional(x)))
			}
		}
		var longer []string
		for _, c := range figuresOfCSV {
			x, isLonger := c.figure.Of(r.on.Work.Trace, jobs, nil)
			if c.figure.Statistic == "sum" && math.IsNaN(x) {
				x = 0 // no job has ended
			}
			numbers(x)
			if isLonger {
				longer = append(longer, c.name)
			}
		}
		runs := study.IntervalOf(waits[i])
		row = append(row, strconv.Itoa(len(waits[i])))
		numbers(runs.Mean, runs.Low, runs.High)
		if i < 2 {
			row = append(row, "", "", "", "", "", "")
		} else {
			d := study.DifferenceOf(waits[i], waits[1])
			numbers(d.Mean, d.Low, d.High)
			isNoise := ""
			if len(waits[i]) > 1 {
				isNoise = strconv.FormatBool(d.IsNoise())
			}
			row = append(row, isNoise, strconv.Itoa(gains[i-1].Sooner), strconv.Itoa(gains[i-1].Later))
		}
		left := outcome.Left(jobs)
		row = append(row, strconv.Itoa(left.Jobs))
		numbers(left.CoreHours())
		row = append(row, strings.Join(longer, " "))
		out.Write(row...)
	}
	var all [][]float64
	at := r.on.At(figure.MeanWait)
	for _, m := range r.all {
		all = append(all, m.Figures[at])
	}
	groups := make([][]map[string][]outcome.Wait, len(r.all))
	for i, m := range r.all {
		for _, kind := range r.on.Kinds() {
			named := map[string][]outcome.Wait{}
			for _, w := range m.First.Counted {
				name := kind.Of(w.Job)
				named[name] = append(named[name], w)
			}
			groups[i] = append(groups[i], named)
		}
	}
	for i, m := range r.all {
		write(i, "all", "", m.First.Counted, all, r.compared.Gains)
		for k, kind := range r.compared.Kinds {
			for _, party := range kind.Names {
				write(i, kind.Kind, party.Name, groups[i][k][party.Name], party.Waits, party.Gains)
			}
		}
	}
	return out.Flush()
}

// replayLine is a replay in JSON.
type replayLine struct {
	Trust      outcome.TrustLine    `json:"trust"`
	Witness    *witness.SummaryLine `json:"witness,omitempty"`   // how far the rules of policy 1 hold by the record
	Departure  string               `json:"departure,omitempty"` // that the replay does not follow the record, where it does not
	Policies   []policyLine         `json:"policies"`            // the first one is what was observed
	Kinds      []kindLine           `json:"kinds"`
	Conditions []conditionLine      `json:"conditions"`
	Jobs       int                  `json:"jobs"`
	Counted    int                  `json:"counted"`  // whose waits these are: that had come by the end of the waits
	WaitsTo    *int64               `json:"waits_to"` // the last start of the record, or where somebody interrupted, up to which waits are told; null without starts
	From       int64                `json:"from"`
	To         int64                `json:"to"`
	Cluster    map[string]int64     `json:"cluster"`
	Runs       int                  `json:"runs"`
	Made       *int                 `json:"runs_made,omitempty"`      // of each policy, where somebody interrupted
	Until      *int64               `json:"replayed_until,omitempty"` // likewise, where that was in the first runs: figures are of the time up to it
	Seed       uint64               `json:"seed"`
	Shake      int64                `json:"shake"`   // seconds
	Remarks    []string             `json:"remarks"` // what is assumed, left out or not modelled
}

type policyLine struct {
	Policy      string                  `json:"policy"`
	Name        string                  `json:"name"`
	Formula     string                  `json:"formula"`
	Figures     map[string]intervalLine `json:"figures"`
	Differences map[string]changeLine   `json:"differences"`           // from policy 1, by figure
	Gains       *gainsLine              `json:"gains"`                 // likewise
	Left        int                     `json:"left_waiting"`          // jobs that wait at waits_to
	LeftHours   report.Number           `json:"left_core_hours"`       // likewise
	Preempted   *int                    `json:"preempted"`             // null where the record does not tell it
	Preemptions *preemptionLine         `json:"preemptions,omitempty"` // how, where jobs are
	Waited      []causeLine             `json:"waited_for,omitempty"`  // where it was asked for
	Cycles      int                     `json:"cycles"`
	Until       *int64                  `json:"replayed_until,omitempty"` // where somebody interrupted: up to when preempted, waited_for and cycles are
	Starts      *int                    `json:"starts,omitempty"`         // of a Slurm site, as the next ones
	Filled      *int                    `json:"backfilled,omitempty"`
	Passes      *int                    `json:"main_passes,omitempty"`
}

// preemptionLine is what became of jobs that were preempted.
type preemptionLine struct {
	Suspended int           `json:"suspended"`
	Requeued  int           `json:"requeued"`
	Cancelled int           `json:"cancelled"`
	Lost      report.Number `json:"lost_core_hours"` // that those had run which were requeued or cancelled
}

// causeLine is what jobs of a queue waited for.
type causeLine struct {
	Queue  string        `json:"queue"`
	Reason string        `json:"reason"`
	Hours  report.Number `json:"hours"`
}

// intervalLine is a figure: the mean of all runs, and where a run falls 19 times of 20.
type intervalLine struct {
	Mean *report.Number `json:"mean"`
	Low  *report.Number `json:"low"`
	High *report.Number `json:"high"`

	IsLonger bool `json:"longer,omitempty"` // whether it is only known to be longer, since jobs are left waiting
}

func newIntervalLine(i study.Interval) intervalLine {
	return intervalLine{Mean: report.Optional(i.Mean), Low: report.Optional(i.Low), High: report.Optional(i.High)}
}

// changeLine is a difference: its mean, and where the mean of many runs would be.
type changeLine struct {
	Mean    *report.Number `json:"mean"`
	Low     *report.Number `json:"low"`
	High    *report.Number `json:"high"`
	IsNoise *bool          `json:"is_noise"` // null for a single run
	Above   int            `json:"above"`    // runs in which the figure is larger than policy 1's
	Below   int            `json:"below"`

	IsLonger bool `json:"longer,omitempty"` // whether it is only known to be larger
}

func newChangeLine(d study.Difference) changeLine {
	line := changeLine{Mean: report.Optional(d.Mean), Low: report.Optional(d.Low), High: report.Optional(d.High), Above: d.Above, Below: d.Below, IsLonger: d.IsLonger}
	if !math.IsNaN(d.Low) {
		isNoise := d.IsNoise()
		line.IsNoise = &isNoise
	}
	return line
}

type gainsLine struct {
	Sooner   int           `json:"sooner"`
	Later    int           `json:"later"`
	Same     int           `json:"same"` // within a minute
	SoonerBy report.Number `json:"sooner_by"`
	LaterBy  report.Number `json:"later_by"`
	Hours    report.Number `json:"hours"` // of waiting more
}

func newGainsLine(g study.Gains) *gainsLine {
	return &gainsLine{g.Sooner, g.Later, g.Same, report.Number(g.SoonerBy), report.Number(g.LaterBy), report.Number(g.Hours)}
}

// kindLine is the names of a kind, such as users.
type kindLine struct {
	Kind  string      `json:"kind"`
	Names []partyLine `json:"names"`
}

type partyLine struct {
	Name    string         `json:"name"`
	Jobs    int            `json:"jobs"`
	Waits   []intervalLine `json:"waits"`   // the mean wait, observed and by policy
	Changes []changeLine   `json:"changes"` // of it from policy 1, from policy 2 on
	Gains   []*gainsLine   `json:"gains"`   // likewise

	Witness *report.Number `json:"witness,omitempty"` // of its recorded starts that are what the rules give, where those disagree
}

// shareOf returns which part of the starts of a doubt are what the rules give.
func shareOf(d *witness.Doubt) *report.Number {
	if d == nil {
		return nil
	}
	return report.Optional(d.Share())
}

type conditionLine struct {
	Policy    string        `json:"policy"`
	Condition string        `json:"condition"`
	Left      report.Number `json:"left"`
	Right     report.Number `json:"right"`
	Holds     bool          `json:"holds"`
	IsOpen    bool          `json:"open,omitempty"` // whether it could turn out the other way if jobs left waiting kept waiting
	HoldsIn   int           `json:"holds_in"`       // runs
	Runs      int           `json:"runs"`
}

func (r *replayReport) printJSON(s *session) error {
	on := r.on
	line := replayLine{
		Trust: outcome.NewTrustLine(r.all[1].First.Trust()), Kinds: []kindLine{}, Conditions: []conditionLine{},
		Jobs: len(on.Work.Jobs), Counted: len(r.all[1].First.Counted), From: on.Work.First, To: on.Work.Last,
		Remarks: s.notes(), Cluster: map[string]int64{"vnodes": int64(on.Nodes), "ncpus": int64(on.CPUs)}, Runs: on.Runs, Seed: on.Seed, Shake: on.Shake,
	}
	if n := on.Fewest(r.all); n < on.Runs {
		line.Made = &n
	}
	if on.Stop != nil {
		line.Until = &on.Stop.At
	}
	if end := int64(on.End()); on.End().IsKnown() {
		line.WaitsTo = &end
	}
	line.Departure = on.Departure(r.all)
	if on.Judged != nil {
		judged := on.Judged.Line()
		line.Witness = &judged
	}
	for i, m := range r.all {
		p := policyLine{Policy: r.name(i), Figures: map[string]intervalLine{}, Differences: map[string]changeLine{}}
		p.Left, p.LeftHours = int(m.First.LeftWaiting()), report.Number(m.First.LeftCoreHours())
		for k, f := range on.Figures {
			of := newIntervalLine(study.IntervalOf(m.Figures[k]))
			of.IsLonger = m.Longer[k]
			p.Figures[f.String()] = of
			if i > 1 {
				p.Differences[f.String()] = newChangeLine(m.Against(r.all[1], k))
			}
		}
		preempted := on.Preempted
		if i > 0 {
			preempted = &m.First.Result.Preempt
		}
		if preempted != nil {
			n := preempted.Count()
			if p.Preempted = &n; n > 0 {
				p.Preemptions = &preemptionLine{preempted.Suspended, preempted.Requeued, preempted.Cancelled, report.Number(preempted.LostHours())}
			}
		}
		if i > 0 {
			p.Name, p.Formula = m.Policy.Name, m.Policy.Formula
			for _, cause := range m.First.Result.Causes {
				p.Waited = append(p.Waited, causeLine{cause.Queue, cause.Reason, report.Number(cause.Seconds / 3600)})
			}
			result := m.First.Result
			p.Cycles = result.Cycles
			if reached := result.Reached(); on.Stop != nil {
				p.Until = &reached
			}
			if all, filled, isTold := started(m.First); isTold {
				p.Starts, p.Filled, p.Passes = &all, &filled, &result.Passes
			}
		}
		if i > 1 {
			p.Gains = newGainsLine(r.compared.Gains[i-1])
		}
		line.Policies = append(line.Policies, p)
	}
	for _, kind := range r.compared.Kinds {
		k := kindLine{Kind: kind.Kind, Names: []partyLine{}}
		for _, party := range kind.Names {
			l := partyLine{Name: party.Name, Jobs: party.Jobs, Witness: shareOf(on.DoubtOf(kind.Kind, party.Name)), Changes: []changeLine{}, Gains: []*gainsLine{}}
			for i, waits := range party.Waits {
				l.Waits = append(l.Waits, newIntervalLine(study.IntervalOf(waits)))
				if i > 1 {
					l.Changes = append(l.Changes, newChangeLine(study.DifferenceOf(waits, party.Waits[1])))
					l.Gains = append(l.Gains, newGainsLine(party.Gains[i-1]))
				}
			}
			k.Names = append(k.Names, l)
		}
		line.Kinds = append(line.Kinds, k)
	}
	for _, v := range r.verdicts {
		line.Conditions = append(line.Conditions, conditionLine{strconv.Itoa(v.Policy), v.Condition.Text, report.Number(v.Left), report.Number(v.Right), v.Holds, v.IsOpen, v.HoldsIn, v.Runs})
	}
	return s.encode(line)
}
