package history

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// Budget is the hours of a resource that somebody may use in a time.
type Budget struct {
	Name, Kind string // Kind is user, group, project, account, qos or queue
	Named      string // the kind as the table has it, such as partition for queue
	Resource   string
	Asked      string // the resource as the table has it, such as cpu for ncpus
	Hours      float64
	Span
}

// maxBudgets bounds a file of budgets, and mostHours what one has.
const (
	maxBudgets = 100_000
	mostHours  = 1e15
)

// ParseBudgets returns the budgets of a table in CSV with the columns name, kind, resource,
// hours, from and to. Dates are local to a zone; a budget lasts to the end of the day to.
func ParseBudgets(text string, zone *time.Location) ([]Budget, error) {
	var list []Budget
	err := file.EachRow(text, []string{"name", "kind", "resource", "hours", "from", "to"}, func(row []string) error {
		b, err := newBudget(row, zone)
		if err == nil && len(list) == maxBudgets {
			err = fmt.Errorf("there are more than %d budgets", maxBudgets)
		}
		list = append(list, b)
		return err
	})
	if err == nil && len(list) == 0 {
		err = errors.New("it has no budget")
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// newBudget reads a row.
func newBudget(row []string, zone *time.Location) (b Budget, err error) {
	b = Budget{Name: row[0], Kind: kindNamed(row[1]), Named: row[1], Resource: ResourceNamed(row[2]), Asked: row[2]}
	if !slices.Contains(Parties, b.Kind) || b.Kind == "size" || b.Kind == ofNames {
		return b, fmt.Errorf("%q is not user, group, project, account, qos, queue or partition", b.Named)
	}
	if err := checkHeld(b.Resource); err != nil {
		return b, err
	}
	if b.Hours, err = strconv.ParseFloat(row[3], 64); err != nil || !(b.Hours > 0) || b.Hours > mostHours {
		return b, fmt.Errorf("%q is not a number of hours", row[3])
	}
	for i, of := range []*int64{&b.Begin, &b.End} {
		day, err := moment.ParseDay(row[4+i], zone)
		if err != nil {
			return b, err
		}
		*of = moment.DayAfter(day, i).Unix()
	}
	if b.Begin >= b.End {
		return b, fmt.Errorf("%s is after %s", row[4], row[5])
	}
	return b, nil
}

// Balance is what is spent of a budget. Hours are those that jobs of its name occupied in its
// time, by all that ran in any part of it, up to the end of the logs.
type Balance struct {
	Budget
	Spent, Left float64
	Pace        float64  // hours a day, from the begin of the budget or of what the logs cover on; NaN where none of it has come
	PaceOf      int64    // of how many seconds the pace is
	SpentOn     int64    // when all is spent at this pace; trace.Unknown where it is not before the budget ends, or the pace does not tell it
	Lacks       string   // what the logs do not have of it, and of its time so far
	Below       []string // of an account, those below it of which jobs are
}

const secondsOfDay = 24 * secondsOfHour

// TellsWhen reports whether the pace is one that tells when all is spent: that of a day, or of a tenth of the budget's time.
func (b *Balance) TellsWhen() bool {
	const parts = 10
	return b.PaceOf >= min(secondsOfDay, (b.End-b.Begin)/parts)
}

// Books are the balances of budgets, as jobs come.
type Books struct {
	budgets   []Budget
	resources []string // whose amounts a trace has to keep
	zone      *time.Location
	of        map[string][]int    // by kind and name
	found     map[string]bool     // kinds and names that jobs have
	asked     []bool              // whether some job asks for each resource
	spent     []float64           // amounts times seconds
	charges   Charges             // nil for none
	queues    map[string]bool     // that jobs have
	uncounted uncounted           // of those that have budgets of cpus
	until     int64               // up to when is counted, 0 for the end of the logs
	parents   trace.Parents       // of accounts
	below     map[string][]string // accounts of jobs that are below each
}

// NewBooks returns the books of some budgets, with factors by which queues are charged; nil for none.
func NewBooks(budgets []Budget, zone *time.Location, charges Charges) *Books {
	b := &Books{charges: charges, below: map[string][]string{}, queues: map[string]bool{}, budgets: budgets, zone: zone, of: map[string][]int{}, found: map[string]bool{}, spent: make([]float64, len(budgets))}
	for i, budget := range budgets {
		key := budget.Kind + " " + budget.Name
		b.of[key] = append(b.of[key], i)
		if !slices.Contains(b.resources, budget.Resource) {
			b.resources = append(b.resources, budget.Resource)
			b.asked = append(b.asked, budget.Resource == "ncpus") // which each job has
		}
	}
	return b
}

// Keep returns what a trace has to keep so that the books get its jobs.
func (b *Books) Keep() trace.Keep {
	keep := keepOf(b.resources)
	keep.Done = b.add
	return keep
}

// add charges a job.
func (b *Books) add(t *trace.Trace, j *trace.Job, number int) {
	if j.IsArray {
		return
	}
	amounts := amountsOf(t, j, number, b.resources)
	for i, amount := range amounts {
		b.asked[i] = b.asked[i] || amount > 0
	}
	isUncounted := false
	b.queues[t.Names.List[j.Queue]] = true
	for _, kind := range b.kinds() {
		for _, i := range b.drawnBy(kind, nameOf(t.Names.List, j, kind)) {
			budget := b.budgets[i]
			amount := amounts[slices.Index(b.resources, budget.Resource)]
			if budget.Resource == "ncpus" && math.IsNaN(amount) {
				amount = float64(j.NCPUs)
			}
			isUncounted = isUncounted || budget.Resource == "ncpus" && amount < 0
			if !(amount > 0) {
				continue
			}
			span := budget.Span
			if b.until != 0 {
				span.End = min(span.End, b.until)
			}
			for _, r := range runsOf(t, j) {
				b.spent[i] += amount * float64(seconds(j, r, span)) * b.factor(budget.Resource, t.Names.List[j.Queue])
			}
		}
	}
	if isUncounted {
		b.uncounted.add(j)
	}
}

// UpTo has what is occupied counted up to a time alone.
func (b *Books) UpTo(at int64) { b.until = at }

// Last returns up to when what jobs of a trace occupied is counted.
func (b *Books) Last(t *trace.Trace) int64 {
	if b.until == 0 || t.Last == trace.Unknown {
		return t.Last
	}
	return min(t.Last, b.until)
}

// AreOfAccounts reports whether any of the budgets is that of an account.
func (b *Books) AreOfAccounts() bool { return slices.Contains(b.kinds(), trace.OfAccounts) }

// Nest says which account each is directly below, so that what its jobs spend is spent of the budgets of those above it as well.
func (b *Books) Nest(parents trace.Parents) { b.parents = parents }

// drawnBy returns the budgets of which a job of a name spends: those of the name, and of the accounts above it.
func (b *Books) drawnBy(kind, name string) []int {
	b.found[kind+" "+name] = true
	if kind != trace.OfAccounts || b.parents == nil {
		return b.of[kind+" "+name]
	}
	var all []int
	for at := range b.parents.Above(name) {
		key := kind + " " + at
		b.found[key] = true
		if all = append(all, b.of[key]...); at != name && len(b.of[key]) > 0 && !slices.Contains(b.below[at], name) {
			b.below[at] = append(b.below[at], name)
		}
	}
	return all
}

// unnested says of which accounts it is not known which others they are above or below, where there are budgets of accounts.
func (b *Books) unnested(t *trace.Trace) []diag.Remark {
	if t.Nests == "" || !b.AreOfAccounts() {
		return nil
	}
	if b.parents == nil {
		return []diag.Remark{diag.Warningf("which accounts are below others is not known: of the budget of an account counts what its own jobs occupied, and nothing of those below it (%s tells the tree)", t.Nests)}
	}
	var strange []string
	for found := range b.found {
		if name, ok := strings.CutPrefix(found, trace.OfAccounts+" "); ok && name != "" && b.parents[name] == "" && !slices.Contains(slices.Collect(maps.Values(b.parents)), name) {
			strange = append(strange, name)
		}
	}
	if len(strange) == 0 {
		return nil
	}
	slices.Sort(strange)
	return []diag.Remark{diag.Warningf("the tree of accounts lacks %s, which jobs have: what they occupied counts for no account above", report.Some(strange, 5))}
}

// factor returns by what hours of a resource are multiplied that jobs of a queue have: only cpus are charged by queue.
func (b *Books) factor(resource, queue string) float64 {
	if resource == "ncpus" {
		return b.charges.Of(queue)
	}
	return 1
}

// kinds returns the kinds of names that budgets are of.
func (b *Books) kinds() []string {
	return slices.DeleteFunc(slices.Clone(Parties), func(kind string) bool {
		return !slices.ContainsFunc(b.budgets, func(budget Budget) bool { return budget.Kind == kind })
	})
}

// Check returns an error for a kind of names that a trace tells nothing of.
func (b *Books) Check(t *trace.Trace) error {
	for _, kind := range b.kinds() {
		if err := t.CheckKind(kind); err != nil {
			return err
		}
	}
	return nil
}

// Missing says of which names with a budget no job of a trace is, and which resources none asks for:
// nothing is spent of these budgets.
func (b *Books) Missing(t *trace.Trace) []diag.Remark {
	var remarks []diag.Remark
	for _, kind := range b.kinds() {
		var wanted, there []string
		for found := range b.found {
			if name, ok := strings.CutPrefix(found, kind+" "); ok && name != "" {
				there = append(there, name)
			}
		}
		for _, budget := range b.budgets {
			if budget.Kind == kind && !slices.Contains(wanted, budget.Name) {
				wanted = append(wanted, budget.Name)
			}
		}
		remarks = append(remarks, diag.NoJobOf(t.WordFor(kind), wanted, there)...)
	}
	for i, resource := range b.resources {
		if b.asked[i] {
			continue
		}
		if err := checkResource(resource, t); err != nil {
			remarks = append(remarks, diag.Warningf("nothing is spent of the budgets of %s: %v", resource, err))
		} else {
			remarks = append(remarks, diag.Warningf("nothing is spent of the budgets of %s: no job asks for any", resource))
		}
	}
	return slices.Concat(remarks, b.unnested(t), b.charges.missing(b.queues), b.uncounted.remarks())
}

// checkResource returns what is wrong with a resource that no job of logs requests.
func checkResource(resource string, t *trace.Trace) error {
	requested := t.Requested()
	if resource == "ncpus" || resource == nodeResource || t.Begin() == trace.Unknown || slices.Contains(requested, resource) {
		return nil
	}
	if len(requested) == 0 {
		return diag.Requestf("no job of the logs requests %s: they say only of ncpus how much a job requests", resource)
	}
	return diag.Requestf("no job of the logs requests %s: they request %s%s", resource, strings.Join(requested, ", "), report.Meant(report.NearestResource(resource, requested)))
}

// unknown says why nothing can be spent of a budget, "" where jobs of the logs have its name and some job asks for its resource.
func (b *Books) unknown(budget Budget, t *trace.Trace) string {
	switch {
	case !b.found[budget.Kind+" "+budget.Name]:
		return "no job of the logs is of this " + t.WordFor(budget.Kind)
	case !b.asked[slices.Index(b.resources, budget.Resource)]:
		return "no job of the logs asks for " + budget.Resource
	}
	return ""
}

// ofOneUser says that the logs may lack those who spend of a budget, "" where they have all, or it is that of their only user.
func ofOneUser(budget Budget, t *trace.Trace) string {
	if budget.Kind == "user" && budget.Name == t.OnlyUser() {
		return ""
	}
	return t.OfOneUser()
}

// Balances returns what is spent of each budget.
func (b *Books) Balances(t *trace.Trace, gaps trace.Continuity) []Balance {
	list := make([]Balance, len(b.budgets))
	for i, budget := range b.budgets {
		spent := b.spent[i] / secondsOfHour
		if isSize(budget.Resource) {
			spent /= kbOfGB
		}
		one := Balance{Budget: budget, Spent: spent, Left: budget.Hours - spent, SpentOn: trace.Unknown}
		begin, end := covered(budget.Span, t).Begin, min(budget.End, b.Last(t))
		one.Pace, one.PaceOf = ratio(spent*secondsOfDay, float64(end-begin)), max(0, end-begin)
		if days := one.Left / one.Pace; one.PaceOf > 0 && spent > 0 && (one.TellsWhen() || one.Left <= 0) && days*secondsOfDay < float64(budget.End-end) {
			one.SpentOn = end + int64(days*secondsOfDay)
		}
		one.Lacks = report.Clauses(ofOneUser(budget, t), b.unknown(budget, t), lacks(Span{budget.Begin, max(budget.Begin, end)}, t, gaps, b.zone))
		if budget.Kind == trace.OfAccounts {
			one.Below = slices.Sorted(slices.Values(b.below[budget.Name]))
		}
		list[i] = one
	}
	slices.SortStableFunc(list, func(x, y Balance) int { return cmp.Compare(y.Spent/y.Hours, x.Spent/x.Hours) })
	return list
}
