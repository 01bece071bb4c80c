package dump

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/slurm"
)

// free are the columns of squeue in which people write what they like, such as the features intel|amd.
var free = []string{"features", "name", "comment", "command", "work_dir", "wckey", "licenses", "dependency"}

// mend joins the cells of a row of squeue that a pipe in one of them has parted: where it can only be one column, since in all other
// ways a cell is in a column into which it does not belong. It is nil where there are several ways, or none.
func (l *Layout) mend(cells []string) (mended []string) {
	more := len(cells) - len(l.Names)
	if more < 1 || !slices.Contains(l.Names, "jobid") || !slices.Contains(l.Names, "st") && !slices.Contains(l.Names, "state") {
		return nil
	}
	for i, name := range l.Names {
		if !slices.Contains(free, name) {
			continue
		}
		joined := slices.Concat(cells[:i], []string{strings.Join(cells[i:i+more+1], l.by)}, cells[i+more+1:])
		at := 0
		switch isOdd := func(cell string) bool { at++; return !fits(l.Names[at-1], strings.TrimSpace(cell)) }; {
		case slices.ContainsFunc(joined, isOdd):
		case mended != nil:
			return nil
		default:
			mended = joined
		}
	}
	return mended
}

// fits reports whether a cell may stand in a column of squeue.
func fits(column, cell string) bool {
	isNumber := func() bool { _, err := strconv.ParseFloat(cell, 64); return err == nil }
	switch column {
	case "jobid":
		return cell != "" && '0' <= cell[0] && cell[0] <= '9'
	case "st", "state":
		return isStateOfQueue(cell)
	case "nice", "priority", "cpus":
		return isNumber()
	case "time_limit":
		_, err := slurm.Duration(cell)
		return err == nil || cell == "NOT_SET" || cell == "Partition_Limit"
	case "submit_time":
		_, err := time.Parse(TimeLayout, cell)
		return err == nil
	case "start_time", "end_time":
		_, err := time.Parse(TimeLayout, cell)
		return err == nil || cell == "N/A" || cell == "NONE"
	}
	return true
}
