package dump

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
)

// plainSettings are settings of scheduling that scontrol show config prints as slurm.conf has them, but for their letters and the order of
// words.
var plainSettings = []string{"SchedulerType", "SchedulerParameters", "SelectType", "SelectTypeParameters", "PreemptType", "PreemptMode", "EnforcePartLimits", "Licenses"}

// OfConf returns a site with the slurm.conf that it has beside what scontrol prints as its configuration, called as that file is; nil
// where it has no such file, or no other configuration.
func (d *Dump) OfConf() *Dump {
	confs := d.confs()
	if len(confs) == 0 || len(d.All(KindConfig)) == 0 || len(d.All(KindNodes)) == 0 || len(d.All(KindPartitions)) == 0 {
		return nil
	}
	of := d.Only(append([]Kind{KindConf}, besideConf...)...)
	of.Name = confs[0].File()
	return of
}

// besideConf is what a site prints that no slurm.conf tells, and by which one is checked.
var besideConf = []Kind{KindQOS, KindAssociations, KindAccounts, KindShares}

// WithConf returns a site with a slurm.conf of elsewhere in place of its configuration, called as that file is.
func (d *Dump) WithConf(file *Dump) *Dump {
	of := file.Only(KindConf)
	of.Parts = append(of.Parts, d.Only(besideConf...).Parts...)
	return of
}

// differs says in which settings a slurm.conf that a site has as well is another one than that in force, which scontrol prints.
func (d *Dump) differs(inForce *slurm.Conf) []diag.Remark {
	confs := d.confs()
	if len(confs) == 0 {
		return nil
	}
	conf, _, _ := slurm.ParseConf(confs[0].Text, d.beside(confs[0]))
	if conf == nil {
		return nil
	}
	var names []string
	is := inForce.Settings()
	for i, s := range conf.Settings() {
		if s.Value != is[i].Value && (conf.Sets(s.Name) || !conf.IsPart()) {
			names = append(names, s.Name)
		}
	}
	for _, s := range slurm.ConfSettings(confs[0].Text, d.beside(confs[0])) {
		if at := slices.IndexFunc(plainSettings, func(name string) bool { return strings.EqualFold(name, s.Name) }); at >= 0 && Plainly(s.Value) != Plainly(d.Config(strings.ToLower(s.Name))) {
			names = append(names, plainSettings[at])
		}
	}
	for _, partition := range conf.SortedPartitions() {
		of := inForce.Partitions[partition.Name]
		name := "PartitionName=" + partition.Name
		switch {
		case of == nil:
			names = append(names, name)
		case of.Tier != partition.Tier:
			names = append(names, "PriorityTier of "+name)
		case of.JobFactor != partition.JobFactor:
			names = append(names, "PriorityJobFactor of "+name)
		case of.MaxTime != partition.MaxTime:
			names = append(names, "MaxTime of "+name)
		case conf.Nodes > 0 && (of.Nodes != partition.Nodes || of.TRES["cpu"] != partition.TRES["cpu"]):
			names = append(names, "the nodes of "+name+" or their CPUs")
		}
	}
	if names == nil {
		return nil
	}
	return []diag.Remark{diag.Warningf("%s differs from what slurmctld runs in %s (%s): what scontrol prints counts, and slurm.conf does once slurmctld reads it", confs[0].Name, report.Count(len(names), "setting"), report.First(names))}
}

// Plainly returns a value of slurm.conf or of scontrol show config as the two can be compared: in small letters, its words between
// commas in their order, without the units that scontrol prints; "" for one that says that there is none.
func Plainly(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	for _, unit := range []string{" sec", " min"} {
		text = strings.TrimSuffix(text, unit)
	}
	if text = strings.ReplaceAll(text, " ", ""); !isValue(text) || text == "none" || text == "n/a" {
		return ""
	}
	return strings.Join(slices.Sorted(strings.SplitSeq(text, ",")), ",")
}
