package slurmsite

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// columns of sacct that a replay reads, the first ones of necessity. What a SubmitLine says is only
// taken where the columns say the same.
var recordedColumns = []string{"jobid", "user", "account", "partition", "submit", "start", "end", "timelimit", "reqcpus", "reqtres",
	"jobidraw", "qos", "eligible", "alloctres", "constraints", "reservation", "nodelist", "timelimitraw", "jobname", "cluster", "licenses", "state", "suspended", "elapsed", "elapsedraw"}

const neededColumns = 10 // of them

// eachRecorded gives each row of a table of sacct to a function, which may not keep it, and returns
// remarks on those that are left out.
func eachRecorded(name string, from io.Reader, do func(record)) (odd []diag.Remark, err error) {
	var split *trace.SacctSplitter
	var at []int // the columns that are read
	left, rows := 0, 0
	leave := func(number int, why string) {
		if p := (trace.Problem{File: name, Line: number, Detail: why}); p.IsCut() {
			odd = append(odd, diag.Cutf("%v", p))
		} else if left++; left <= mostTold {
			odd = append(odd, diag.Damagef("%v", p))
		}
	}
	row := record{}
	source := file.Source{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(from), nil }}
	err = file.EachLine(source, func(number int, line []byte) error {
		if len(line) == 0 {
			return nil
		}
		if split == nil {
			split = trace.NewSacctSplitter(line, func(column string) bool { return slices.Contains(recordedColumns, column) })
			for i, column := range split.Names {
				if slices.Contains(recordedColumns, column) || column == "submitline" {
					at = append(at, i)
				}
			}
			for _, column := range recordedColumns[:neededColumns] {
				if !slices.Contains(split.Names, column) && !isTold(column, split.Names) {
					return fmt.Errorf("%s has no column %s: a replay of a Slurm site needs sacct -aPD --format=ALL", name, column)
				}
			}
			return nil
		}
		cells, why := split.Split(line)
		if why != "" {
			leave(number, why)
			return nil
		}
		for _, i := range at {
			cell := bytes.TrimSpace(cells[i])
			if before, isKnown := row[split.Names[i]]; !isKnown || before != string(cell) {
				row[split.Names[i]] = string(cell)
			}
		}
		rows++
		do(row)
		return nil
	}, leave)
	if left > mostTold {
		odd = append(odd, diag.Damagef("%s: %s like these are left out", name, report.Count(left-mostTold, "more row")))
	}
	if err == nil && rows == 0 {
		err = fmt.Errorf("%s has no job", name)
	}
	return odd, err
}

// isTold reports whether a table tells what a column that it lacks would by another one.
func isTold(column string, names []string) bool {
	other := map[string]string{"timelimit": "timelimitraw", "reqcpus": "reqtres"}[column]
	return slices.Contains(names, other)
}

// eachRecordedJSON is eachRecorded for what sacct --json prints.
func eachRecordedJSON(name string, from io.Reader, do func(record)) (odd []diag.Remark, err error) {
	rows := 0
	err = trace.EachSacctJSON(from, func(row map[string]string) {
		row["timelimit"], row["eligible"] = row["timelimitraw"], cmp.Or(row["eligible"], "Unknown") // minutes; 0
		rows++
		do(row)
	})
	switch {
	case rows == 0 && err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case rows == 0:
		return nil, fmt.Errorf("%s has no job", name)
	case err != nil:
		odd = append(odd, diag.Cutf("%s is cut off or damaged behind job %d, its rest is lost: %v", name, rows, err))
	}
	return odd, nil
}
