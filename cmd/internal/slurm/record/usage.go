package record

import (
	"cmp"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/sacct"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// Usage returns what the runs in some tables of sacct alone have left by a moment of the usage of each association: what they were billed, times the
// UsageFactor of their QOS, as it has decayed. At 0 is the last time in the tables.
func Usage(site *sched.Setup, tables []file.Source, at int64, zone *time.Location) (map[sched.AccountName]float64, []diag.Remark, error) {
	type run struct {
		job        *sched.Job
		start, end int64 // end is 0 where it goes on
	}
	var runs []run
	seen, strange := map[recordedRun]bool{}, 0
	first, last, isBilled := int64(0), int64(0), false
	maker := setup.NewJobMaker(site)
	lacks, odd, err := eachRow(tables, zone, func(row *sacct.Row) {
		last = max(last, row.Submit, row.Start, row.End)
		is := recordedRun{string(row.ID), row.Submit, row.Start, row.End}
		cluster := string(row.Text(sacct.Cluster))
		if row.Start <= 0 || seen[is] || cluster != "" && site.ClusterName != "" && !strings.EqualFold(cluster, site.ClusterName) {
			return
		}
		seen[is] = true
		if first == 0 || row.Start < first {
			first = row.Start
		}
		j, why := chargedTo(site, maker, row)
		if isBilled = isBilled || j.Billing > 0; why != "" {
			strange++
			return
		}
		runs = append(runs, run{j, row.Start, orZero(row.End)})
	})
	remarks := odd
	switch {
	case err != nil:
		return nil, append(lacks, remarks...), err
	case !isBilled:
		return nil, remarks, diag.Requestf("%s has no AllocTRES with billing, which is what usage counts (sacct -aPD --format=ALL prints it)", NameOf(tables))
	}
	if strange > 0 {
		remarks = append(remarks, diag.Warningf("%s: %s of associations or a QOS that the site does not have, which charge nothing", NameOf(tables), report.Count(strange, "run")))
	}
	if at == 0 {
		at = last
	}
	if at < first {
		return nil, remarks, diag.Requestf("all that ran in %s began after the site was asked, at %s, so that none of it is in its usage: name the table of before", NameOf(tables), moment.Clock(at, zone))
	}
	if short := at - last; float64(short) > site.Conf.CalcPeriod {
		remarks = append(remarks, diag.Warningf("nothing in %s is later than %s, %s before the site was asked: what has come since is in USAGE and not in REBUILT", NameOf(tables), moment.Clock(last, zone), report.Duration(float64(short))))
	}
	usage, swept := map[sched.AccountName]float64{}, bootedAt(site, zone)
	for _, x := range runs {
		if x.start >= at {
			continue
		}
		used := site.Used(x.job, x.start, x.end, at, cmp.Or(swept, at))
		for i := x.job.Association; i >= 0; i = int(site.Tree[i].Parent) {
			usage[site.Names[i]] += used
		}
	}
	remarks = append(remarks, diag.Notef("REBUILT has nothing of before %s, of which %s %% is still in USAGE", moment.Clock(first, zone), report.Decimals(100*site.Decay(at-first), 1)))
	if swept == 0 {
		remarks = append(remarks, diag.Notef("USAGE may lack the last %s of what runs (PriorityCalcPeriod), which REBUILT has", report.Duration(site.Conf.CalcPeriod)))
	}
	return usage, remarks, nil
}
