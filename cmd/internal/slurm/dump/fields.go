package dump

import (
	"maps"

	"fairshare/cmd/internal/slurm"
)

// copies are the fields that are read of what Slurm's commands print, by their names in lower case, and how a copy
// without names keeps each. No reader gets a field that is not among them, so that none can be read that a copy lacks.
// Those of scontrol show job are a table of their own, see slurm.JobAttributes.
var copies = map[Kind]map[string]slurm.Copy{
	KindNodes: attributes[KindNodes].Copies(), KindPartitions: attributes[KindPartitions].Copies(), KindReservations: attributes[KindReservations].Copies(),
	KindConfig:   slurm.ConfigAttributes.Copies(),
	KindTopology: {"switchname": slurm.CopyHosts, "nodes": slurm.CopyHosts, "switches": slurm.CopyHosts, "level": slurm.CopyValue},
	KindLicences: {"licensename": slurm.CopyLicence, "total": slurm.CopyValue, "used": slurm.CopyValue, "free": slurm.CopyValue, "reserved": slurm.CopyValue, "lastdeficit": slurm.CopyValue},
	KindQueue: {
		"jobid": slurm.CopyID, "user": slurm.CopyUser, "account": slurm.CopyAccount, "qos": slurm.CopyQOS, "partition": slurm.CopyPartition, "st": slurm.CopyWord, "state": slurm.CopyWord, "reason": slurm.CopyReason,
		"nodelist(reason)": slurm.CopyReason, "reservation": slurm.CopyReservation, "priority": slurm.CopyAmount, "nice": slurm.CopyAmount, "submit_time": slurm.CopyTime, "start_time": slurm.CopyTime,
		"time_limit": slurm.CopyValue, "time_limi": slurm.CopyValue,
	},
	KindPriorities: {
		"jobid": slurm.CopyID, "partition": slurm.CopyPartition, "user": slurm.CopyUser, "account": slurm.CopyAccount, "qosname": slurm.CopyQOS, "cluster": slurm.CopyCluster, "priority": slurm.CopyAmount,
		"site": slurm.CopyAmount, "admin": slurm.CopyAmount, "age": slurm.CopyAmount, "assoc": slurm.CopyAmount, "fairshare": slurm.CopyAmount, "jobsize": slurm.CopyAmount, "nice": slurm.CopyAmount, "qos": slurm.CopyAmount, "tres": slurm.CopyTRES,
	},
	KindShares: {
		"account": slurm.CopyAccount, "user": slurm.CopyUser, "partition": slurm.CopyPartition, "rawshares": slurm.CopyAmount, "normshares": slurm.CopyValue, "rawusage": slurm.CopyAmount, "normusage": slurm.CopyValue,
		"effectvusage": slurm.CopyValue, "fairshare": slurm.CopyAmount, "levelfs": slurm.CopyValue, "grptresmins": slurm.CopyTRES, "tresrunmins": slurm.CopyTRES,
	},
	KindQOS: {
		"name": slurm.CopyQOS, "priority": slurm.CopyAmount, "usagefactor": slurm.CopyValue, "usagethres": slurm.CopyValue, "limitfactor": slurm.CopyValue, "flags": slurm.CopyWords, "preemptmode": slurm.CopyWords, "preemptexempttime": slurm.CopyValue, "gracetime": slurm.CopyValue, "preempt": slurm.CopyQOS, "grptres": slurm.CopyTRES,
		"grptresmins": slurm.CopyTRES, "grptresrunmins": slurm.CopyTRES, "grpjobs": slurm.CopyValue, "grpwall": slurm.CopyValue, "maxtres": slurm.CopyTRES, "maxtrespernode": slurm.CopyTRES, "maxtresmins": slurm.CopyTRES,
		"maxwall": slurm.CopyValue, "maxtrespu": slurm.CopyTRES, "maxjobspu": slurm.CopyValue, "maxtrespa": slurm.CopyTRES, "maxjobspa": slurm.CopyValue, "mintres": slurm.CopyTRES, "grpsubmit": slurm.CopyValue,
		"maxsubmitpu": slurm.CopyValue, "maxsubmitpa": slurm.CopyValue, "grpjobsaccrue": slurm.CopyValue, "maxjobsaccruepu": slurm.CopyValue, "maxjobsaccruepa": slurm.CopyValue, "minpriothres": slurm.CopyValue,
		"maxtresrunminspu": slurm.CopyTRES, "maxtresrunminspa": slurm.CopyTRES, "maxcpurunminspu": slurm.CopyAmount, "grpcpus": slurm.CopyValue, "grpmem": slurm.CopyValue, "grpnodes": slurm.CopyValue, "grpcpumins": slurm.CopyAmount,
		"grpcpurunmins": slurm.CopyAmount, "maxcpus": slurm.CopyValue, "maxnodes": slurm.CopyValue, "maxcpumins": slurm.CopyAmount, "maxcpuspu": slurm.CopyValue, "maxnodespu": slurm.CopyValue, "mincpus": slurm.CopyValue,
	},
	KindAssociations: {
		"cluster": slurm.CopyCluster, "account": slurm.CopyAccount, "user": slurm.CopyUser, "partition": slurm.CopyPartition, "share": slurm.CopyValue, "priority": slurm.CopyAmount, "grpjobs": slurm.CopyValue, "grptres": slurm.CopyTRES,
		"grpwall": slurm.CopyValue, "grptresmins": slurm.CopyTRES, "maxjobs": slurm.CopyValue, "maxtres": slurm.CopyTRES, "maxtrespernode": slurm.CopyTRES, "maxwall": slurm.CopyValue, "maxtresmins": slurm.CopyTRES,
		"qos": slurm.CopyQOS, "def qos": slurm.CopyQOS, "grptresrunmins": slurm.CopyTRES, "grpsubmit": slurm.CopyValue, "maxsubmit": slurm.CopyValue, "grpjobsaccrue": slurm.CopyValue, "maxjobsaccrue": slurm.CopyValue,
		"minpriothres": slurm.CopyValue, "grpcpus": slurm.CopyValue, "grpmem": slurm.CopyValue, "grpnodes": slurm.CopyValue, "grpcpumins": slurm.CopyAmount, "grpcpurunmins": slurm.CopyAmount, "maxcpus": slurm.CopyValue,
		"maxnodes": slurm.CopyValue, "maxcpumins": slurm.CopyAmount,
	},
	KindEvents: {
		"cluster": slurm.CopyCluster, "nodename": slurm.CopyHost, "timestart": slurm.CopyTime, "timeend": slurm.CopyTime, "start": slurm.CopyTime, "end": slurm.CopyTime, "state": slurm.CopyWord,
	},
	KindPastReservations: {
		"cluster": slurm.CopyCluster, "name": slurm.CopyReservation, "tres": slurm.CopyTRES, "timestart": slurm.CopyTime, "timeend": slurm.CopyTime, "start": slurm.CopyTime, "end": slurm.CopyTime,
		"unusedwall": slurm.CopyValue, "nodenames": slurm.CopyHosts, "nodename": slurm.CopyHosts, "nodes": slurm.CopyHosts, "nodelist": slurm.CopyHosts, "flags": slurm.CopyWords,
	},
	KindManager: {
		"clustername": slurm.CopyCluster, "account": slurm.CopyAccount, "username": slurm.CopyUserNumber, "partition": slurm.CopyPartition, "qos": slurm.CopyQOSNumber, "parentaccount": slurm.CopyAccountNumber,
		"sharesraw/norm/level/factor": slurm.CopyAmount, "usageraw/norm/efctv": slurm.CopyAmount, "usageraw": slurm.CopyAmount, "grpwall": slurm.CopyValue, "grptresmins": slurm.CopyTRES, "grptresrunmins": slurm.CopyTRES,
	},
	KindAccounting: {
		"jobid": slurm.CopyID, "jobidraw": slurm.CopyID, "user": slurm.CopyUser, "group": slurm.CopyGroup, "account": slurm.CopyAccount, "partition": slurm.CopyPartition, "qos": slurm.CopyQOS, "qosreq": slurm.CopyQOS, "jobname": slurm.CopyJobName,
		"cluster": slurm.CopyCluster, "state": slurm.CopyWord, "exitcode": slurm.CopyValue, "submit": slurm.CopyTime, "eligible": slurm.CopyTime, "start": slurm.CopyTime, "end": slurm.CopyTime, "elapsed": slurm.CopyValue,
		"elapsedraw": slurm.CopyValue, "suspended": slurm.CopyValue, "timelimit": slurm.CopyValue, "timelimitraw": slurm.CopyValue, "alloccpus": slurm.CopyValue, "ncpus": slurm.CopyValue, "reqcpus": slurm.CopyValue,
		"nnodes": slurm.CopyValue, "allocnodes": slurm.CopyValue, "reqnodes": slurm.CopyValue, "reqmem": slurm.CopyValue, "reqtres": slurm.CopyTRES, "alloctres": slurm.CopyTRES, "priority": slurm.CopyAmount, "restarts": slurm.CopyValue,
		"nodelist": slurm.CopyHosts, "totalcpu": slurm.CopyValue, "maxrss": slurm.CopyAmount, "averss": slurm.CopyAmount, "ntasks": slurm.CopyValue, "tresusageintot": slurm.CopyTRES, "reservation": slurm.CopyReservation, "reqreservation": slurm.CopyReservation, "constraints": slurm.CopyFeatures, "licenses": slurm.CopyLicences, "submitline": slurm.CopySubmitLine,
	},
}

// CopyOf returns how a copy keeps a field, by its name in lower case.
func CopyOf(k Kind, name string) slurm.Copy { return copies[k][name] }

// cut leaves the fields of rows that are read.
func cut(k Kind, rows []Row) []Row {
	for _, row := range rows {
		for name := range row {
			if copies[k][name] == slurm.CopyNot {
				delete(row, name)
			}
		}
	}
	return rows
}

// MoreSettings returns what slurm.conf says of slurmctld that scontrol show config does not print, by name in lower case.
func (d *Dump) MoreSettings() map[string]string {
	d.Config("")
	more := maps.Clone(d.settings)
	printed := &Dump{Parts: d.All(KindConfig)}
	maps.DeleteFunc(more, func(name, value string) bool { return value == "" || printed.Config(name) != "" })
	return more
}
