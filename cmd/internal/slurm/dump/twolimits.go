package dump

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
)

// managedLimits are the limits that scontrol show assoc_mgr prints of associations and QOS, by what it calls them, with the column of
// sacctmgr, which counts.
var managedLimits = map[string]string{
	"GrpTRES": "grptres", "GrpTRESMins": "grptresmins", "GrpTRESRunMins": "grptresrunmins", "MaxTRESPJ": "maxtres", "MaxTRESPN": "maxtrespernode", "MaxTRESMinsPJ": "maxtresmins",
	"MaxTRESPU": "maxtrespu", "MaxTRESPA": "maxtrespa", "MinTRESPJ": "mintres", "MaxTRESRunMinsPU": "maxtresrunminspu", "MaxTRESRunMinsPA": "maxtresrunminspa",
	"GrpJobs": "grpjobs", "GrpSubmitJobs": "grpsubmit", "MaxJobs": "maxjobs", "MaxSubmitJobs": "maxsubmit", "MaxJobsPU": "maxjobspu", "MaxSubmitJobsPU": "maxsubmitpu", "MaxJobsPA": "maxjobspa", "MaxSubmitJobsPA": "maxsubmitpa",
	"GrpJobsAccrue": "grpjobsaccrue", "MaxJobsAccrue": "maxjobsaccrue", "MaxJobsAccruePU": "maxjobsaccruepu", "MaxJobsAccruePA": "maxjobsaccruepa",
	"GrpWall": "grpwall", "MaxWallPJ": "maxwall", "MinPrioThresh": "minpriothres", "Priority": "priority",
}

// limitText returns a limit in a form in which both prints have it, by what scontrol show assoc_mgr calls it.
func limitText(key, text string) string {
	plain := amountsText(text)
	switch key {
	case "GrpWall", "MaxWallPJ": // which sacctmgr has as a time, and slurmctld in minutes
		if minutes := slurm.TimeLimit(plain); !math.IsNaN(minutes) {
			return report.Plain(minutes)
		}
	case "Priority": // which is 0 where none is set
		if plain == "0" {
			return ""
		}
	}
	return plain
}

// limitsDiffer says of which associations and QOS slurmctld keeps other limits than sacctmgr prints, which count.
func (d *Dump) limitsDiffer() (remarks []diag.Remark) {
	for _, manager := range d.All(KindManager) {
		told := managed(manager.Text)
		for _, kind := range []Kind{KindAssociations, KindQOS} {
			p := d.Table(kind)
			if p.Text == "" || slurm.IsJSON(p.Text) {
				continue
			}
			of := difference{fact: "a limit of associations", counts: p.Name, other: manager.Name}
			if kind == KindQOS {
				of.fact = "a limit of QOS"
			}
			rows, _ := d.RowsOf(p)
			for _, row := range rows {
				name := "QOS " + row["name"]
				if kind == KindAssociations {
					name = strings.TrimRight(strings.Join([]string{strings.TrimSpace(row["account"]), row["user"], row["partition"]}, "/"), "/")
				}
				for key, column := range managedLimits {
					other, isTold := told[name][key]
					is, isThere := row[column]
					if isTold && isThere && limitText(key, is) != other {
						of.found = append(of.found, fmt.Sprintf("%s of %s %s and %s", key, report.Printable(name), report.DashIfEmpty(report.Printable(is)), report.DashIfEmpty(report.Printable(other))))
					}
				}
			}
			slices.Sort(of.found)
			remarks = append(remarks, of.remark()...)
		}
	}
	return remarks
}

// managed returns the limits that scontrol show assoc_mgr prints, by whose they are and what it calls them, as limitText has them.
func managed(text string) map[string]map[string]string {
	all := map[string]map[string]string{}
	name := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "ClusterName="):
			fields := map[string]string{}
			for word := range strings.FieldsSeq(line) {
				key, value, _ := strings.Cut(word, "=")
				fields[key], _, _ = strings.Cut(value, "(")
			}
			name = strings.TrimRight(strings.Join([]string{fields["Account"], fields["UserName"], fields["Partition"]}, "/"), "/")
		case strings.HasPrefix(line, "QOS="):
			of, _, _ := strings.Cut(strings.TrimPrefix(line, "QOS="), "(")
			name = "QOS " + of
		case name == "":
			continue
		}
		for word := range strings.FieldsSeq(line) {
			key, value, isPair := strings.Cut(word, "=")
			if !isPair || managedLimits[key] == "" {
				continue
			}
			if all[name] == nil {
				all[name] = map[string]string{}
			}
			all[name][key] = limitText(key, value)
		}
	}
	return all
}

// amountsText returns a limit in a form in which both prints have it: its amounts that are set, in the order of their names, without what
// is in use.
func amountsText(text string) string {
	var kept []string
	for part := range strings.SplitSeq(text, ",") {
		part, _, _ = strings.Cut(part, "(")
		if name, value, isAmount := strings.Cut(part, "="); isAmount && value == "N" || !isAmount && (name == "N" || name == "") {
			continue
		}
		kept = append(kept, part)
	}
	if list, err := slurm.ParseAmounts(strings.Join(kept, ",")); err == nil && len(list) > 0 {
		kept = nil
		for _, a := range list {
			kept = append(kept, a.Name+"="+report.Plain(a.Count))
		}
	}
	slices.Sort(kept)
	return strings.Join(kept, ",")
}
