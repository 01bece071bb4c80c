package forecast

import (
	"cmp"
	"slices"
	"strings"
)

// sbatchOption is an option of sbatch that is not among forms.
type sbatchOption struct {
	long, short string
	lacks       string // what is not modelled of it, "" for one by which no job starts at another time or elsewhere
	isFlag      bool   // whether it has no value, or one behind = alone
}

// otherOptions are the options of sbatch (of Slurm 24.11) that are not among forms.
var otherOptions = slices.Concat(
	withoutEffect("acctg-freq", "comment", "container", "container-id", "cpu-freq", "error/e", "export", "export-file", "extra", "gpu-bind", "gpu-freq", "input/i", "job-name/J", "kill-on-invalid-dep", "mail-type", "mail-user",
		"mem-bind", "open-mode", "oom-kill-step", "output/o", "profile", "signal", "tres-bind", "wait-all-nodes", "wckey", "wrap", "chdir/D"),
	flagsWithoutEffect("get-user-env", "ignore-pbs", "no-kill/k", "no-requeue", "parsable", "propagate", "quiet/Q", "requeue", "stepmgr", "test-only", "verbose/v", "wait/W"),
	[]sbatchOption{
		{long: "array", short: "a", lacks: "one job is asked about: ask about a task of the array"},
		{long: "begin", short: "b", lacks: "the job comes now"},
		{long: "dependency", short: "d", lacks: "the job waits for no other one"},
		{long: "hold", short: "H", lacks: "the job is asked about as if it were not held", isFlag: true},
		{long: "uid", lacks: ofUser}, {long: "gid", lacks: ofUser},
		{long: "deadline", lacks: "a job is not given up for the time at which it would end"},
		{long: "time-min", lacks: "the job has its whole time limit: ask with a shorter time"},
		{long: "delay-boot", lacks: "nodes that are booted for a job are not modelled"},
		{long: "reboot", lacks: "nodes that are booted for a job are not modelled", isFlag: true},
		{long: "nice", lacks: "the job has no nice value", isFlag: true},
		{long: "priority", lacks: "the job has the priority that is computed"},
		{long: "reservation", lacks: "the job is of no reservation"},
		{long: "segment", lacks: "nodes of a block are not kept together"},
		{long: "contiguous", lacks: "nodes need not be side by side", isFlag: true},
		{long: "spread-job", lacks: "tasks are not spread over nodes", isFlag: true},
		{long: "use-min-nodes", lacks: "of a range of nodes the job gets as many as there are", isFlag: true},
		{long: "distribution", short: "m", lacks: "tasks stand on nodes as by default"},
		{long: "overcommit", short: "O", lacks: "each task has CPUs of its own", isFlag: true},
		{long: "oversubscribe", short: "s", lacks: "CPUs are not shared", isFlag: true},
		{long: "mincpus", lacks: "how many CPUs each node has at least is not asked: ntasks-per-node and cpus-per-task say it"},
		{long: "tmp", lacks: "the size of /tmp is not asked"},
		{long: "prefer", lacks: "features that are preferred move no job: constraint asks for some"},
		{long: "cluster-constraint", lacks: "one cluster is asked about"},
		{long: "clusters", short: "M", lacks: "one cluster is asked about"},
		{long: "extra-node-info", short: "B", lacks: "sockets, cores and threads are not asked: hint=nomultithread says that each core has one task"},
		{long: "sockets-per-node", lacks: "sockets are not asked"}, {long: "cores-per-socket", lacks: "cores are not asked"},
		{long: "threads-per-core", lacks: "threads are not asked: hint=nomultithread says that each core has one task"},
		{long: "ntasks-per-core", lacks: "tasks of a core are not asked: hint=nomultithread says that each has one"},
		{long: "ntasks-per-socket", lacks: "tasks of a socket are not asked"},
		{long: "core-spec", short: "S", lacks: "cores are not kept for the system"}, {long: "thread-spec", lacks: "threads are not kept for the system"},
		{long: "gpus-per-socket", lacks: ofGPUs}, {long: "ntasks-per-gpu", lacks: ofGPUs},
		{long: "cpus-per-gpu", lacks: "CPUs are asked for by ntasks and cpus-per-task"}, {long: "mem-per-gpu", lacks: "memory is asked for by mem and mem-per-cpu"},
		{long: "gres-flags", lacks: "which cores GPUs are bound to is not asked"}, {long: "tres-per-task", lacks: ofGPUs},
		{long: "bb", lacks: "burst buffers are not modelled"}, {long: "bbf", lacks: "burst buffers are not modelled"}, {long: "network", lacks: "networks are not modelled"},
		{long: "batch", lacks: "on which of its nodes the script runs is not modelled"},
		{long: "nodefile", short: "F", lacks: "nodelist names nodes"},
		{long: "mcs-label", lacks: "nodes are shared with the jobs of other labels"},
	})

// ofGPUs says how a job asks for GPUs here.
const ofGPUs = "gres=gpu:N (or gpus-per-node=N) says how many GPUs the job has on each of its nodes, gpus=N on all of them, gpus-per-task=N for each task"

// ofUser says how a job is asked about that is another user's.
const ofUser = "--user says whose the job is"

// withoutEffect returns options with values, such as job-name/J, by which no job starts at another time or elsewhere.
func withoutEffect(names ...string) (list []sbatchOption) {
	for _, name := range names {
		long, short, _ := strings.Cut(name, "/")
		list = append(list, sbatchOption{long: long, short: short})
	}
	return list
}

// flagsWithoutEffect returns such options without values.
func flagsWithoutEffect(names ...string) []sbatchOption {
	list := withoutEffect(names...)
	for i := range list {
		list[i].isFlag = true
	}
	return list
}

// otherOption returns the option of a name that is not among forms, nil for none.
func otherOption(name string) *sbatchOption {
	for i := range otherOptions {
		if o := &otherOptions[i]; name != "" && (o.long == name || o.short == name) {
			return o
		}
	}
	return nil
}

// hasValue reports whether an option has a value, which may be the next word.
func hasValue(name string) bool {
	if name = cmp.Or(longNames[name], name); name == "exclusive" {
		return false
	}
	_, isRead := forms[name]
	other := otherOption(name)
	return isRead || name == "gpus-per-node" || other != nil && !other.isFlag
}
