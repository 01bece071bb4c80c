package forecast

import (
	"cmp"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/sched"
)

// sbatchOption is an option of sbatch that is not among forms.
type sbatchOption struct {
	long, short string
	lacks       string // what is not modelled of it, so that no job that has it is asked about; "" for one of the others
	assumes     string // what is taken instead, which is said with the answer
	also        string // the option that it brings with it, "" for none
	isFlag      bool   // whether it has no value, or one behind = alone
}

// otherOptions are the options of sbatch (of Slurm 24.11) that are not among forms: those without lacks and assumes change nothing
// of when a job starts, or where.
var otherOptions = slices.Concat(
	withoutEffect("acctg-freq", "comment", "container", "container-id", "cpu-freq", "error/e", "export", "export-file", "extra", "gpu-bind", "gpu-freq", "input/i", "job-name/J", "kill-on-invalid-dep", "mail-type", "mail-user",
		"mem-bind", "open-mode", "oom-kill-step", "output/o", "profile", "signal", "tres-bind", "wait-all-nodes", "wckey", "wrap", "chdir/D"),
	flagsWithoutEffect("get-user-env", "ignore-pbs", "no-kill/k", "no-requeue", "parsable", "propagate", "quiet/Q", "requeue", "stepmgr", "test-only", "verbose/v", "wait/W"),
	[]sbatchOption{
		{long: "array", short: "a", assumes: "the answer is of its first task, and no other one is taken to come"},
		{long: "dependency", short: "d", assumes: "whom a job waits for is asked with --submit \"sbatch --dependency=...\" alone"},
		{long: "uid", lacks: ofUser}, {long: "gid", lacks: ofUser},
		{long: "deadline", assumes: "the job is not given up for the time at which it would end"},
		{long: "time-min", assumes: "the job has its whole time limit, and may start sooner with a shorter one"},
		{long: "delay-boot", assumes: "nodes that are booted for a job are not modelled"},
		{long: "reboot", assumes: "nodes that are booted for a job are not modelled", isFlag: true},
		{long: "priority", lacks: "the job has the priority that is computed"},
		{long: "segment", assumes: "nodes of a block are not kept together"},
		{long: "contiguous", assumes: "its nodes need not be side by side, and it may start later", isFlag: true},
		{long: "spread-job", lacks: "tasks are not spread over nodes", isFlag: true},
		{long: "use-min-nodes", lacks: "of a range of nodes the job gets as many as there are", isFlag: true},
		{long: "distribution", short: "m", assumes: "tasks stand on nodes as by default"},
		{long: "overcommit", short: "O", lacks: "each task has CPUs of its own", isFlag: true},
		{long: "oversubscribe", short: "s", assumes: "CPUs are not shared, and where OverSubscribe of the partition is YES or FORCE it may start sooner", isFlag: true},
		{long: "exclusive=user", assumes: ofSome}, {long: "exclusive=mcs", assumes: ofSome}, {long: "exclusive=topo", assumes: ofSome},
		{long: "mincpus", lacks: "how many CPUs each node has at least is not asked: ntasks-per-node and cpus-per-task say it"},
		{long: "tmp", assumes: "the size of /tmp is not looked at, and it may start later"},
		{long: "prefer", assumes: "features that are preferred move no job"},
		{long: "cluster-constraint", lacks: "one cluster is asked about"},
		{long: "clusters", short: "M", lacks: "one cluster is asked about"},
		{long: "extra-node-info", short: "B", lacks: "sockets, cores and threads are not asked: hint=nomultithread says that each core has one task"},
		{long: "sockets-per-node", lacks: "sockets are not asked"}, {long: "cores-per-socket", lacks: "cores are not asked"},
		{long: "core-spec", short: "S", assumes: "it has whole nodes by it, as with --exclusive, and all of their cores", also: "exclusive"},
		{long: "thread-spec", assumes: "it has whole nodes by it, as with --exclusive, and all of their threads", also: "exclusive"},
		{long: "gpus-per-socket", lacks: ofGPUs},
		{long: "gres-flags", assumes: "which cores GPUs are bound to is not looked at"}, {long: "tres-per-task", lacks: ofGPUs},
		{long: "bb", assumes: "burst buffers are not modelled"}, {long: "bbf", assumes: "burst buffers are not modelled"}, {long: "network", assumes: "networks are not modelled"},
		{long: "batch", assumes: "on which of its nodes the script runs is not modelled"},
		{long: "mcs-label", assumes: "nodes are shared with the jobs of other labels"},
	})

// srunOptions are options that srun or salloc has and sbatch has not.
var srunOptions = slices.Concat(
	withoutEffect("accel-bind", "bcast", "bcast-exclude", "cpu-bind", "epilog", "mpi", "msg-timeout", "prolog", "slurmd-debug", "task-epilog", "task-prolog", "threads/T", "treewidth"),
	flagsWithoutEffect("bell", "disable-status/X", "exact", "interactive", "kill-on-bad-exit/K", "label/l", "multi-prog", "no-bell", "no-shell", "overlap", "preserve-env/E", "pty", "unbuffered/u", "whole", "x11"))

// isOfSrunAlone reports whether srun or salloc has an option and sbatch has not.
func isOfSrunAlone(x sched.Option) bool {
	return slices.ContainsFunc(srunOptions, func(o sbatchOption) bool { return o.is(x.Name) })
}

// ofSome says of a job that shares its nodes with some jobs alone what it is taken to do.
const ofSome = "it shares its nodes with jobs of others as well, and may start later"

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
		if o := &otherOptions[i]; o.is(name) {
			return o
		}
	}
	return nil
}

// is reports whether an option has a name, long or short.
func (o *sbatchOption) is(name string) bool { return name != "" && (o.long == name || o.short == name) }

// hasValue reports whether an option has a value, which may be the next word.
func hasValue(name string) bool {
	if name = cmp.Or(longNames[name], name); slices.Contains(mayHaveValue, name) {
		return false
	}
	_, isRead := forms[name]
	isOther := func(o sbatchOption) bool { return o.is(name) && !o.isFlag }
	return isRead || slices.ContainsFunc(otherOptions, isOther) || slices.ContainsFunc(srunOptions, isOther)
}

// mayHaveValue are the options of forms that have a value behind = alone, or none.
var mayHaveValue = []string{"exclusive", "nice", "hold"}

// longOptions returns the names of all options of sbatch.
func longOptions() (names []string) {
	for name := range forms {
		if name != "cpus" {
			names = append(names, name)
		}
	}
	for _, o := range otherOptions {
		if !strings.Contains(o.long, "=") { // which is a value of another one
			names = append(names, o.long)
		}
	}
	return names
}

// inFull returns the option that is meant by the begin of its name, as sbatch reads it (getopt_long), or the name itself.
func inFull(name string) (string, error) {
	if isOption(name) || isOfSrunAlone(sched.Option{Name: name}) {
		return name, nil
	}
	var meant []string
	for _, option := range slices.Sorted(slices.Values(longOptions())) {
		if strings.HasPrefix(option, name) {
			meant = append(meant, option)
		}
	}
	switch {
	case len(meant) == 1:
		return meant[0], nil
	case len(meant) > 1:
		return "", wrong("--%s may mean %s (sbatch refuses it: option '--%[1]s' is ambiguous)", report.Printable(name), strings.Join(meant, ", "))
	}
	return name, nil
}
