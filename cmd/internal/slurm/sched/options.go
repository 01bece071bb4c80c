package sched

import "fairshare/cmd/internal/slurm"

// optionCopies are the options of sbatch that are read of the line that submitted a job, and how a copy of a site without
// names keeps their values: no other option is heeded.
var optionCopies = map[string]slurm.Copy{
	"N": slurm.CopyValue, "nodes": slurm.CopyValue, "n": slurm.CopyValue, "ntasks": slurm.CopyValue, "c": slurm.CopyValue, "cpus-per-task": slurm.CopyValue, "ntasks-per-node": slurm.CopyValue,
	"ntasks-per-core": slurm.CopyValue, "threads-per-core": slurm.CopyValue, "mem": slurm.CopyValue, "mem-per-cpu": slurm.CopyValue, "nice": slurm.CopyValue, "a": slurm.CopyValue, "array": slurm.CopyValue,
	"C": slurm.CopyFeatures, "constraint": slurm.CopyFeatures, "exclusive": slurm.CopyWords, "hint": slurm.CopyWords, "gres": slurm.CopyGRES, "ntasks-per-socket": slurm.CopyValue, "switches": slurm.CopyValue, "gpus-per-node": slurm.CopyGPUs, "G": slurm.CopyGPUs, "gpus": slurm.CopyGPUs, "gpus-per-task": slurm.CopyGPUs, "reservation": slurm.CopyReservation,
	"p": slurm.CopyPartition, "partition": slurm.CopyPartition, "L": slurm.CopyLicences, "licenses": slurm.CopyLicences, "w": slurm.CopyHosts, "nodelist": slurm.CopyHosts, "x": slurm.CopyHosts, "exclude": slurm.CopyHosts,

	"requeue": slurm.CopyWords, "no-requeue": slurm.CopyWords,

	"d": slurm.CopySome, "dependency": slurm.CopySome, // which are said not to be modelled, as those of Unheeded
}

// Unheeded are the options of sbatch on which it depends when and where a job starts, and of which only that they are there
// is read.
var Unheeded = []string{"contiguous", "spread-job", "tmp", "sockets-per-node", "cores-per-socket", "B", "extra-node-info", "distribution",
	"time-min", "deadline", "segment", "use-min-nodes", "mincpus", "core-spec", "S", "thread-spec", "prefer", "overcommit", "O", "oversubscribe", "s"}

func init() {
	for _, name := range Unheeded {
		optionCopies[name] = slurm.CopySome
	}
}

// OptionCopy returns how a copy keeps the value of an option of sbatch, by its letter or its name.
func OptionCopy(name string) slurm.Copy { return optionCopies[name] }

// ReadOptions returns the options that are read of those of sbatch.
func ReadOptions(options []string) (list []Option) {
	for _, o := range SplitOptions(options) {
		if optionCopies[o.Name] != slurm.CopyNot {
			list = append(list, o)
		}
	}
	return list
}
