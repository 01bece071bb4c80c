package door

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/history"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/cmd/internal/trace"
)

// Record is a Slurm site whose past is asked.
type Record struct {
	tree   *file.Tree
	tables []file.Source // of sacct, that are named beside the site; nil for those that it has within it
	to     *site.Console
	dump   func() (*dump.Dump, error) // reads what the site printed, once
}

func newRecord(t *file.Tree, tables []file.Source, to *site.Console) *Record {
	return &Record{t, tables, to, sync.OnceValues(func() (*dump.Dump, error) { return dump.Find(t) })}
}

// findRecord returns a site whose past is told by tables of sacct that are named beside it, nil where names are of none.
func findRecord(names []string, to *site.Console) *Record {
	at, tables := siteAndTables(names, to.Input)
	if len(tables) == 0 {
		return nil
	}
	if t := treeOf(at, to.Input); t != nil && t.FS != nil && dump.IsOfSite(t) {
		return newRecord(t, tables, to)
	}
	return nil
}

// Records implements site.Recorder.
func (r *Record) Records() ([]file.Source, error) {
	if r.tables != nil {
		return r.tables, nil
	}
	tables, remarks, err := dump.Accounting(r.tree)
	r.to.Say(remarks...)
	return tables, err
}

// CPUs implements site.Supplier.
func (r *Record) CPUs() int64 {
	d, err := r.dump()
	if err != nil {
		return 0
	}
	return record.CPUs(d)
}

// Capacity implements site.Supplier.
func (r *Record) Capacity(t *trace.Trace, zone *time.Location) (*history.Capacity, error) {
	d, err := r.dump()
	if err != nil {
		return nil, err
	}
	tables, err := r.Records()
	if err != nil {
		return nil, err
	}
	c, remarks, err := record.Capacity(d, tables, t.Begin(), t.Last, zone)
	r.to.Say(remarks...)
	return c, err
}

// Parents implements site.Nested.
func (r *Record) Parents() trace.Parents {
	d, err := r.dump()
	if err != nil {
		return nil
	}
	return setup.Parents(d)
}

// usageLine is the usage of an association in JSON.
type usageLine struct {
	Account string            `json:"account"`
	User    string            `json:"user"` // "" for an account
	Usage   report.Number     `json:"usage"`
	Part    *report.Number    `json:"part"`
	Limits  map[string]string `json:"grp_tres_mins"`
	Used    map[string]string `json:"used_tres_mins"`
}

// Usage implements site.Accountant: Slurm keeps usage itself.
func (r *Record) Usage(_ context.Context, top int) (report.Sheet, error) {
	if r.tables != nil {
		return nil, diag.Requestf("usage of a Slurm site is what sshare tells, and no table of sacct changes it: name the site alone")
	}
	d, err := r.dump()
	if err != nil {
		return nil, err
	}
	list, remarks, err := setup.ReadUsage(d)
	r.to.Say(remarks...)
	if err != nil {
		return nil, err
	}
	if top > 0 {
		slices.SortStableFunc(list, func(a, b setup.Usage) int { return cmp.Compare(b.Raw, a.Raw) })
		list = list[:min(top, len(list))]
	}
	account, user := func(u setup.Usage) string { return u.Account }, func(u setup.Usage) string { return u.User }
	return &report.Listing[setup.Usage]{
		Rows: slices.Values(list),
		Line: func(u setup.Usage) any {
			return usageLine{u.Account, u.User, report.Number(u.Raw), report.Optional(u.Part), u.Limits, u.Used}
		},
		Columns: []report.Column[setup.Usage]{
			{Title: "ACCOUNT", Text: account, Name: "account", Cell: account},
			{Title: "USER", Text: user, Name: "user", Cell: user},
			{Title: "USAGE", Text: func(u setup.Usage) string { return report.Fixed(u.Raw, 0) }, Right: true, Name: "usage", Cell: func(u setup.Usage) string { return report.Plain(u.Raw) }},
			{Title: "PART", Text: percent, Right: true, Name: "part", Cell: func(u setup.Usage) string { return report.OrEmpty(report.Optional(u.Part)) }},
			{Title: "MINUTES USED OF A BUDGET", Text: budgets, Name: "grp_tres_mins", Cell: func(u setup.Usage) string { return amounts(u.Limits) }},
			{Name: "used_tres_mins", Cell: func(u setup.Usage) string { return amounts(u.Used) }},
		},
	}, nil
}

// percent returns what part of all usage one is.
func percent(u setup.Usage) string {
	if math.IsNaN(u.Part) {
		return "-"
	}
	return report.Decimals(100*u.Part, 1) + "%"
}

// budgets returns what is used of each budget.
func budgets(u setup.Usage) string {
	var list []string
	for _, resource := range slices.Sorted(maps.Keys(u.Limits)) {
		list = append(list, fmt.Sprintf("%s %s of %s", resource, cmp.Or(u.Used[resource], "?"), u.Limits[resource]))
	}
	return strings.Join(list, ", ")
}

// amounts returns amounts as Slurm writes them: cpu=20000,gres/gpu=60.
func amounts(of map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		parts = append(parts, name+"="+of[name])
	}
	return strings.Join(parts, ",")
}
