package setup

import (
	"fmt"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
)

// Unenforced says that no limit of QOS and associations has an effect, where a site has some and enforces none: what a whole slurm.conf
// does not set is not enforced.
func Unenforced(d *dump.Dump, conf *slurm.Conf) (list []string) {
	isUntold := d.Config("accountingstorageenforce") == "" && len(d.All(dump.KindConfig)) == 0 && conf.IsPart()
	if isUntold || isEnforced(d) {
		return nil
	}
	qos, associations := limited(d, dump.KindQOS, OfQOS), limited(d, dump.KindAssociations, OfAssociation)
	var of []string
	if len(qos) > 0 {
		of = append(of, "QOS "+report.First(qos))
	}
	if len(associations) > 0 {
		of = append(of, report.Count(len(associations), "association"))
	}
	switch isAlone := len(d.All(dump.KindQOS))+len(d.All(dump.KindAssociations)) == 0; {
	case of == nil && isAlone && conf.IsFile && isWhole(conf) && d.Config("accountingstorageenforce") == "" && d.Config("accountingstoragetype") == "accounting_storage/slurmdbd":
		return []string{"AccountingStorageEnforce is not set: limits of QOS and associations keep no job from starting, and jobs need no association"}
	case of == nil:
		return nil
	}
	return []string{fmt.Sprintf("%sAccountingStorageEnforce has no limits: those of %s keep no job from starting", d.Where("accountingstorageenforce"), report.Listed(of))}
}

// limited returns the names of the rows of a kind that have a limit of jobs.
func limited(d *dump.Dump, kind dump.Kind, isOf int) (names []string) {
	rows, _ := d.RowsOf(d.Table(kind))
	for _, row := range rows {
		for i := range fields {
			f := &fields[i]
			if f.isOf&isOf != 0 && f.IsLimit() && row[f.column()] != "" && !slurm.IsUnlimited(row[f.column()]) {
				names = append(names, row["name"])
				break
			}
		}
	}
	return names
}
