package record

import (
	"fmt"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sacct"
	"fairshare/cmd/internal/trace"
)

// columns are the columns of sacct that a replay reads, the first ones of necessity. What a SubmitLine says is
// only taken where the columns say the same.
var columns = []sacct.Column{sacct.JobID, sacct.User, sacct.Account, sacct.Partition, sacct.Submit, sacct.Start, sacct.End, sacct.Timelimit, sacct.ReqCPUS, sacct.ReqTRES,
	sacct.JobIDRaw, sacct.QOS, sacct.Eligible, sacct.AllocTRES, sacct.AllocCPUS, sacct.Constraints, sacct.Reservation, sacct.ReqReservation, sacct.NodeList, sacct.TimelimitRaw, sacct.JobName, sacct.Cluster, sacct.Licenses, sacct.State,
	sacct.QOSREQ, sacct.Suspended, sacct.Elapsed, sacct.ElapsedRaw, sacct.SubmitLine}

const neededColumns = 10 // of them

// instead are the columns that tell what others would.
var instead = map[sacct.Column]sacct.Column{sacct.Timelimit: sacct.TimelimitRaw, sacct.ReqCPUS: sacct.ReqTRES}

// NameOf returns what some tables are called together.
func NameOf(tables []file.Source) string {
	if n := len(tables) - 1; n > 0 {
		return fmt.Sprintf("%s and %d more", tables[0].Name, n)
	}
	return tables[0].Name
}

// told are columns without which something is not known of jobs, though they can be replayed.
var told = []struct {
	column sacct.Column
	what   string
}{{sacct.QOS, "which QOS jobs were of"}, {sacct.NodeList, "where jobs ran"}, {sacct.Eligible, "from when jobs could run, which are taken to as soon as they came,"},
	{sacct.AllocTRES, "what jobs were given, which are taken to have got what they asked for,"}}

// eachRow gives each row of some tables of sacct to add, and returns remarks on what they do not tell, and on rows that
// cannot be read.
func eachRow(tables []file.Source, zone *time.Location, add func(*sacct.Row)) (lacks, odd []diag.Remark, err error) {
	left, rows := 0, 0
	doubts := []struct {
		column sacct.Column
		what   string
		jobs   int
	}{{sacct.Constraints, "features", 0}, {sacct.Licenses, "licences", 0}}
	reader := sacct.Reader{
		Zone: zone, Columns: columns, MostTasks: 1 << 21,
		Header: func(name string, _ int, h *sacct.Header) error {
			var missing []string
			for _, column := range columns[:neededColumns] {
				if other, isTold := instead[column]; !h.Has(column) && !(isTold && h.Has(other)) {
					missing = append(missing, column.String())
				}
			}
			if missing != nil {
				return fmt.Errorf("%s has no column %s: replays and forecasts of a Slurm site need what sacct -aPD --format=ALL prints", name, strings.Join(missing, ", "))
			}
			for _, x := range told {
				if !h.Has(x.column) {
					lacks = append(lacks, diag.Warningf("%s has no column %s: %s is not known", name, x.column, x.what))
				}
			}
			return nil
		},
		Row: func(row *sacct.Row) error {
			rows++
			for i := range doubts {
				if row.IsInDoubt(doubts[i].column) {
					doubts[i].jobs++
				}
			}
			add(row)
			return nil
		},
		Damaged: func(name string, line int, why string) {
			if p := (trace.Problem{File: name, Line: line, Detail: why}); p.IsCut() {
				odd = append(odd, diag.Cutf("%v", p))
			} else if left++; left <= dump.MostTold {
				odd = append(odd, diag.Damagef("%v", p))
			}
		},
	}
	err = reader.Read(tables...)
	lacks = append(lacks, reader.Remarks()...)
	for _, x := range doubts {
		if x.jobs > 0 {
			lacks = append(lacks, diag.Warningf("%s: which %s %s asked for cannot be told, since a pipe stands in a name and the columns cannot be told apart: taken to have asked for none", NameOf(tables), x.what, report.Count(x.jobs, "job")))
		}
	}
	if left > dump.MostTold {
		odd = append(odd, diag.Damagef("%s: %s like these are left out", NameOf(tables), report.Count(left-dump.MostTold, "more row")))
	}
	if err == nil && rows == 0 {
		err = &NoJobError{NameOf(tables)}
	}
	return lacks, odd, err
}

// NoJobError is about tables of sacct without any job.
type NoJobError struct{ Name string }

func (e *NoJobError) Error() string { return e.Name + " has no job" }
