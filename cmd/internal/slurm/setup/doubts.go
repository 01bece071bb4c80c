package setup

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
)

// jobLimits are pairs of limits of a QOS or an association, as sacctmgr names them: of jobs that run, and of jobs that run or wait.
var jobLimits = [][2]string{{"MaxJobsPU", "MaxSubmitPU"}, {"MaxJobsPA", "MaxSubmitPA"}, {"GrpJobs", "GrpSubmit"}, {"MaxJobs", "MaxSubmit"}}

// doubts says what of the tables of QOS and associations can hardly be meant: limits that others leave without effect, and a QOS by
// default that an association may not use.
func doubts(d *dump.Dump, conf *slurm.Conf) (list []string) {
	rows, _ := d.RowsOf(d.Table(dump.KindQOS))
	for _, row := range rows {
		list = append(list, idleJobLimits("QOS "+row["name"], row)...)
		list = append(list, oddQOS(row)...)
	}
	rows, _ = d.RowsOf(d.Table(dump.KindAssociations))
	for _, row := range rows {
		of := "association " + rowName(row).String()
		list = append(list, idleJobLimits(of, row)...)
		if is := row["def qos"]; is != "" && row["qos"] != "" && !slices.Contains(names(row["qos"]), is) {
			list = append(list, fmt.Sprintf("sacctmgr show assoc: Def QOS of %s is %s, which is not among its QOS (%s): jobs that name no QOS are refused where AccountingStorageEnforce has qos", of, is, row["qos"]))
		}
	}
	return append(list, closed(d, conf)...)
}

// oddQOS says what of a QOS sacctmgr does not take, or takes and slurmctld does not heed.
func oddQOS(row dump.Row) (list []string) {
	say := func(format string, a ...any) { list = append(list, "sacctmgr show qos: "+fmt.Sprintf(format, a...)) }
	if n := dump.Number(row["priority"], 0); n > math.MaxUint32 {
		say("priority of QOS %s is %s, and Slurm keeps no more than %d (32 bits)", row["name"], row["priority"], uint32(math.MaxUint32))
	}
	if slices.ContainsFunc(names(row["preempt"]), func(name string) bool { return strings.EqualFold(name, row["name"]) }) {
		say("Preempt of QOS %[1]s names %[1]s itself, and lets no job of it preempt another one: PreemptMode=WITHIN does", row["name"])
	}
	for _, flag := range strings.Split(row["flags"], ",") {
		if flag == "" || QOSFlags.Of(flag) != nil {
			continue
		}
		var known []string
		for i := range QOSFlags {
			known = append(known, QOSFlags[i].Name)
		}
		say("QOS %s has the flag %s, which is none in Slurm 22.05 to 25.05%s", row["name"], flag, report.Meant(report.Typo(flag, known)))
	}
	return list
}

// closed says where all or most of a site starts no jobs: of the nodes by their states, and of all partitions.
func closed(d *dump.Dump, conf *slurm.Conf) (list []string) {
	var away []string
	var cpus, ofAll float64
	rows := d.Records(dump.KindNodes)
	for _, n := range rows {
		has := dump.Number(cmp.Or(n["cpuefctv"], n["cputot"]), 0)
		if ofAll += has; n["state"] == "" {
			continue
		}
		if isUp, isKnown := dump.IsUp(n["state"]); isKnown && !isUp {
			away = append(away, n["nodename"])
			cpus += has
		}
	}
	if text := nodes.Out("node", away, len(rows), cpus, ofAll); text != "" {
		list = append(list, "scontrol show node: "+text)
	}
	if text := shut(d, conf.SortedPartitions()); text != "" {
		list = append(list, text)
	}
	return list
}

// shut says that no partition is UP, and what becomes of jobs then; "" where one is or there is none.
func shut(d *dump.Dump, partitions []*slurm.Partition) string {
	var states []string
	isDraining := false
	for _, p := range partitions {
		state := strings.ToUpper(p.Printed["state"])
		if state == "" || state == "UP" {
			return ""
		}
		isDraining = isDraining || state == "DRAIN"
		states = append(states, p.Name+" "+state)
	}
	if states == nil {
		return ""
	}
	place, change := partitions[0].At.Prefix(), "State=UP"
	if len(d.All(dump.KindPartitions)) > 0 {
		place, change = "scontrol show partition: ", "scontrol update PartitionName=NAME State=UP"
	}
	what := "no job starts until one is"
	if isDraining {
		what = "no job is taken until one is, and those alone start that wait in one that is DRAIN"
	}
	return fmt.Sprintf("%sno partition is UP (%s): %s (%s)", place, report.First(states), what, change)
}

// idleJobLimits says which limits of jobs that run have no effect, since fewer may be submitted.
func idleJobLimits(of string, row dump.Row) (list []string) {
	for _, pair := range jobLimits {
		run, submit := limitOf(row, pair[0]), limitOf(row, pair[1])
		if submit >= 0 && run > submit {
			list = append(list, fmt.Sprintf("%s of %s is %d and has no effect: %s lets no more than %d run and wait", pair[0], of, run, pair[1], submit))
		}
	}
	return list
}

// limitOf returns a limit of jobs, -1 for none or what is no number.
func limitOf(row dump.Row, name string) int {
	if n, err := strconv.Atoi(row[strings.ToLower(name)]); err == nil {
		return n
	}
	return -1
}
