package setup

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/dump"
)

// jobLimits are pairs of limits of a QOS or an association, as sacctmgr names them: of jobs that run, and of jobs that run or wait.
var jobLimits = [][2]string{{"MaxJobsPU", "MaxSubmitPU"}, {"MaxJobsPA", "MaxSubmitPA"}, {"GrpJobs", "GrpSubmit"}, {"MaxJobs", "MaxSubmit"}}

// doubts says what of the tables of QOS and associations can hardly be meant: limits that others leave without effect, and a QOS by
// default that an association may not use.
func doubts(d *dump.Dump) (list []string) {
	rows, _ := d.RowsOf(d.Table(dump.KindQOS))
	for _, row := range rows {
		list = append(list, idleJobLimits("QOS "+row["name"], row)...)
	}
	rows, _ = d.RowsOf(d.Table(dump.KindAssociations))
	for _, row := range rows {
		of := "association " + rowName(row).String()
		list = append(list, idleJobLimits(of, row)...)
		if is := row["def qos"]; is != "" && row["qos"] != "" && !slices.Contains(names(row["qos"]), is) {
			list = append(list, fmt.Sprintf("sacctmgr show assoc: Def QOS of %s is %s, which is not among its QOS (%s): jobs that name no QOS are refused where AccountingStorageEnforce has qos", of, is, row["qos"]))
		}
	}
	return append(list, closed(d)...)
}

// closed says where all or most of a site starts no jobs: of the nodes by their states, and of all partitions.
func closed(d *dump.Dump) (list []string) {
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
	partitions, all := []string(nil), d.Records(dump.KindPartitions)
	for _, p := range all {
		if state := strings.ToUpper(p["state"]); state == "DOWN" || state == "INACTIVE" {
			partitions = append(partitions, p["partitionname"]+" "+state)
		}
	}
	if len(all) > 0 && len(partitions) == len(all) {
		list = append(list, "scontrol show partition: no partition is UP ("+report.First(partitions)+"): no job starts until one is (scontrol update PartitionName=NAME State=UP)")
	}
	return list
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
