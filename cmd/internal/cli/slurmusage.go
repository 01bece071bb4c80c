package cli

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurmsite"
)

// slurmUsageLine is the usage of an association in JSON.
type slurmUsageLine struct {
	Account string            `json:"account"`
	User    string            `json:"user"` // "" for an account
	Usage   report.Number     `json:"usage"`
	Part    *report.Number    `json:"part"`
	Limits  map[string]string `json:"grp_tres_mins"`
	Used    map[string]string `json:"used_tres_mins"`
}

// usageSlurm prints the usage of a Slurm site as it stands: Slurm keeps it itself.
func (c *usageCmd) usageSlurm(s *session, name string) error {
	if c.Under != "" || c.Usage != "" || c.ReportLag != nil || c.At != nil || c.Write != "" || c.Fairness {
		return fail(exitUsage, "%s is a Slurm site, whose usage is printed as it stands: leave out --under, --usage, --report-lag, --at, --write and --fairness", name)
	}
	origin, err := slurmsite.OpenOrigin(name)
	if err != nil {
		return s.failed(err)
	}
	list, remarks, err := origin.Usage()
	s.say(remarks...)
	if err != nil {
		return s.failed(err)
	}
	if c.Top > 0 {
		slices.SortStableFunc(list, func(a, b slurmsite.Usage) int { return cmp.Compare(b.Raw, a.Raw) })
		list = list[:min(c.Top, len(list))]
	}
	switch c.Output {
	case "json":
		return report.WriteArray(s.out, func(yield func(slurmUsageLine) bool) {
			for _, u := range list {
				if !yield(slurmUsageLine{u.Account, u.User, report.Number(u.Raw), report.Optional(u.Part), u.Limits, u.Used}) {
					return
				}
			}
		})
	case "csv":
		w := report.NewCSV(s.out)
		w.Write("account", "user", "usage", "part", "grp_tres_mins", "used_tres_mins")
		for _, u := range list {
			w.Write(u.Account, u.User, report.Plain(u.Raw), report.OrEmpty(report.Optional(u.Part)), amountList(u.Limits), amountList(u.Used))
		}
		return w.Flush()
	}
	table := [][]string{{"ACCOUNT", "USER", "USAGE", "PART", "MINUTES USED OF A BUDGET"}}
	for _, u := range list {
		var budgets []string
		for _, resource := range slices.Sorted(maps.Keys(u.Limits)) {
			used := "?"
			if x, ok := u.Used[resource]; ok {
				used = x
			}
			budgets = append(budgets, fmt.Sprintf("%s %s of %s", resource, used, u.Limits[resource]))
		}
		part := "-"
		if !math.IsNaN(u.Part) {
			part = report.Decimals(100*u.Part, 1) + "%"
		}
		table = append(table, []string{u.Account, u.User, report.Fixed(u.Raw, 0), part, strings.Join(budgets, ", ")})
	}
	return s.print(report.Table{Rows: table, Right: func(column int) bool { return column == 2 || column == 3 }})
}

// amountList returns amounts as Slurm writes them: cpu=20000,gres/gpu=60.
func amountList(amounts map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(amounts)) {
		parts = append(parts, name+"="+amounts[name])
	}
	return strings.Join(parts, ",")
}
