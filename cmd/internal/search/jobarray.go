package search

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
)

// JobArray returns a script for qsub that makes the parts of a search on a cluster, each as
// a subjob of an array. args are those of the command that makes the search, the command's
// name first. Each part writes to a file of its own, which is there only once it is whole,
// and a part whose file is there is not made again: the script can be submitted a second time
// after some subjobs were killed.
func JobArray(args []string, parts int, id string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = report.Quote(arg)
	}
	// Behind the command's name, since -- may end the flags.
	quoted = slices.Insert(quoted, min(1, len(quoted)), fmt.Sprintf(`--part "$part/%d"`, parts))
	array, index := fmt.Sprintf("#PBS -J 1-%d\n", parts), "$PBS_ARRAY_INDEX"
	if parts == 1 { // qsub has no array of one
		array, index = "", "1"
	}
	name := "replay-" + id
	return fmt.Sprintf(`#!/bin/sh
#PBS -N %[1]s
%[2]s#PBS -l select=1:ncpus=1
#PBS -r y
# FORMULA is the formula command on the hosts that run the subjobs: qsub -v FORMULA=/path/to/formula
cd "$PBS_O_WORKDIR" || exit 1
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
`, name, array, index, strings.Join(quoted, " "))
}
