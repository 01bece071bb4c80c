package search

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
)

// Submitter is a scheduler's way to submit a script as an array of jobs.
type Submitter struct {
	name, array string // lines of the script; array is of the last index
	asks        string // for one cpu, and to be run again
	dir, index  string // variables of a job
	pass        string // the command, with FORMULA for the jobs
}

// Qsub and Sbatch are PBS's and Slurm's.
var (
	Qsub = Submitter{"#PBS -N %s\n", "#PBS -J 1-%d\n", "#PBS -l select=1:ncpus=1\n#PBS -r y\n", "$PBS_O_WORKDIR", "$PBS_ARRAY_INDEX",
		"qsub -v FORMULA=/path/to/formula"}
	Sbatch = Submitter{"#SBATCH --job-name=%s\n", "#SBATCH --array=1-%d\n", "#SBATCH --ntasks=1 --cpus-per-task=1\n#SBATCH --requeue\n", "$SLURM_SUBMIT_DIR", "$SLURM_ARRAY_TASK_ID",
		"sbatch --export=ALL,FORMULA=/path/to/formula"}
)

// JobArray returns a script that makes the parts of a search on a cluster, each as
// a subjob of an array. args are those of the command that makes the search, the command's
// name first. Each part writes to a file of its own, which is there only once it is whole,
// and a part whose file is there is not made again: the script can be submitted a second time
// after some subjobs were killed.
func (by Submitter) JobArray(args []string, parts int, id string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = report.Quote(arg)
	}
	// Behind the command's name, since -- may end the flags.
	quoted = slices.Insert(quoted, min(1, len(quoted)), fmt.Sprintf(`--part "$part/%d"`, parts))
	array, index := fmt.Sprintf(by.array, parts), by.index
	if parts == 1 { // qsub has no array of one
		array, index = "", "1"
	}
	name := "replay-" + id
	return fmt.Sprintf(`#!/bin/sh
%[5]s%[2]s%[6]s# FORMULA is the formula command on the hosts that run the subjobs: %[8]s
cd "%[7]s" || exit 1
part=%[3]s
out=%[1]s.$part.jsonl
[ -e "$out" ] && exit 0
GOMAXPROCS=1 "${FORMULA:-formula}" %[4]s > "$out.$$"
case $? in # 1: some line of the logs was not readable
0 | 1) mv "$out.$$" "$out" ;;
*) rm -f "$out.$$"; exit 1 ;;
esac
# When all are done:
#   formula replay --collect %[1]s.*.jsonl
`, name, array, index, strings.Join(quoted, " "), fmt.Sprintf(by.name, name), by.asks, by.dir, by.pass)
}
