package door

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// usageLine is the usage of an association in JSON.
type usageLine struct {
	Account string            `json:"account"`
	User    string            `json:"user"` // "" for an account
	Usage   report.Number     `json:"usage"`
	Part    *report.Number    `json:"part"`
	Limits  map[string]string `json:"grp_tres_mins"`
	Used    map[string]string `json:"used_tres_mins"`
	Rebuilt *report.Number    `json:"rebuilt,omitempty"` // by the runs in tables of sacct
}

// Usage implements site.Accountant: Slurm keeps usage itself, and what the tables of sacct have left of it stands beside it.
func (r *Record) Usage(_ context.Context, top int) (report.Sheet, error) {
	d, err := r.dump()
	if err != nil {
		return nil, err
	}
	list, remarks, err := setup.ReadUsage(d)
	r.to.Say(remarks...)
	if err != nil {
		return nil, err
	}
	rebuilt, err := r.rebuilt(d)
	if err != nil {
		return nil, err
	}
	if top > 0 {
		slices.SortStableFunc(list, func(a, b setup.Usage) int { return cmp.Compare(b.Raw, a.Raw) })
		list = list[:min(top, len(list))]
	}
	account, user := func(u setup.Usage) string { return u.Account }, func(u setup.Usage) string { return u.User }
	columns := []report.Column[setup.Usage]{
		{Title: "ACCOUNT", Text: account, Name: "account", Cell: account},
		{Title: "USER", Text: user, Name: "user", Cell: user},
		{Title: "USAGE", Text: func(u setup.Usage) string { return report.Fixed(u.Raw, 0) }, Right: true, Name: "usage", Cell: func(u setup.Usage) string { return report.Plain(u.Raw) }},
		{Title: "PART", Text: percent, Right: true, Name: "part", Cell: func(u setup.Usage) string { return report.OrEmpty(report.Optional(u.Part)) }},
		{Title: "MINUTES USED OF A BUDGET", Text: budgets, Name: "grp_tres_mins", Cell: func(u setup.Usage) string { return amounts(u.Limits) }},
		{Name: "used_tres_mins", Cell: func(u setup.Usage) string { return amounts(u.Used) }},
	}
	of := func(u setup.Usage) float64 { return rebuilt[sched.AccountName{Account: u.Account, User: u.User}] }
	if rebuilt != nil {
		columns = slices.Insert(columns, 4,
			report.Column[setup.Usage]{Title: "REBUILT", Text: func(u setup.Usage) string { return report.Fixed(of(u), 0) }, Right: true, Name: "rebuilt", Cell: func(u setup.Usage) string { return report.Plain(of(u)) }},
			report.Column[setup.Usage]{Title: "DIFFERENCE", Text: func(u setup.Usage) string { return difference(u.Raw, of(u)) }, Right: true})
	}
	return &report.Listing[setup.Usage]{
		Rows: slices.Values(list),
		Line: func(u setup.Usage) any {
			line := usageLine{u.Account, u.User, report.Number(u.Raw), report.Optional(u.Part), u.Limits, u.Used, nil}
			if rebuilt != nil {
				line.Rebuilt = report.Optional(of(u))
			}
			return line
		},
		Columns: columns,
	}, nil
}

// rebuilt returns the usage that the runs in tables of sacct have left which are named beside the site, nil where none are.
func (r *Record) rebuilt(d *dump.Dump) (map[sched.AccountName]float64, error) {
	if r.tables == nil {
		return nil, nil
	}
	past, _, err := setup.Past(d) // whatever it says of the site is said already, or is of replays
	if err != nil {
		return nil, err
	}
	zone, err := zoneOf(r.Marks(), r.zone, r.to)
	if err != nil {
		return nil, err
	}
	rebuilt, remarks, err := record.Usage(past.Setup, r.tables, onClock(d.Taken(), zone), zone)
	r.to.Say(remarks...)
	return rebuilt, err
}

// difference returns by how many per cent what is rebuilt is off.
func difference(is, rebuilt float64) string {
	if is == 0 {
		return ""
	}
	return fmt.Sprintf("%+.1f%%", 100*(rebuilt-is)/is)
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
