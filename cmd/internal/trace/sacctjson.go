package trace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm"
)

// isSacctJSON reports whether a text is the JSON of sacct.
func isSacctJSON(first []byte) bool {
	return bytes.Contains(first, []byte(`"jobs"`)) && bytes.Contains(first, []byte(`"allocation_nodes"`))
}

// timeText returns a time as a table has it, in seconds since 1970; 0 is none.
func timeText(n slurm.Number) string {
	if n.Value == 0 {
		return ""
	}
	return n.Text()
}

// jsonTRES is an amount of a resource.
type jsonTRES struct {
	Type, Name string
	Count      slurm.Number
}

// sacctJob is a job in the JSON of sacct.
type sacctJob struct {
	Account, Cluster, Group, Name, Nodes, Partition, User string
	Association                                           struct{ User, Account string }
	AllocationNodes                                       slurm.Number `json:"allocation_nodes"`
	JobID                                                 slurm.Number `json:"job_id"`
	Array                                                 struct {
		JobID  slurm.Number `json:"job_id"`
		TaskID slurm.Number `json:"task_id"`
		Task   *string
	}
	Het struct {
		JobID  slurm.Number `json:"job_id"`
		Offset slurm.Number `json:"job_offset"`
	}
	Time struct {
		Elapsed, Eligible, End, Start, Submission, Limit, Suspended slurm.Number
		Total                                                       struct{ Seconds slurm.Number }
	}
	ExitCode struct {
		ReturnCode slurm.Number `json:"return_code"`
		Signal     struct {
			ID slurm.Number `json:"signal_id"`
		}
	} `json:"exit_code"`
	Required    struct{ CPUs slurm.Number }
	State       struct{ Current slurm.Word }
	TRES        struct{ Allocated, Requested []jsonTRES }
	QOS         string
	Constraints slurm.Word
	SubmitLine  slurm.Word `json:"submit_line"`
	Licenses    slurm.Word `json:"licenses"`
	Reservation struct{ Name slurm.Word }
}

// id returns the number of a job as a table has it.
func (j *sacctJob) id() string {
	switch {
	case j.Array.JobID.Value > 0 && j.Array.TaskID.IsSet:
		return fmt.Sprintf("%d_%d", j.Array.JobID.Int(), j.Array.TaskID.Int())
	case j.Array.JobID.Value > 0 && j.Array.Task != nil && *j.Array.Task != "":
		return fmt.Sprintf("%d_[%s]", j.Array.JobID.Int(), *j.Array.Task)
	case j.Het.JobID.Value > 0 && j.Het.Offset.IsSet:
		return fmt.Sprintf("%d+%d", j.Het.JobID.Int(), j.Het.Offset.Int())
	}
	return j.JobID.Text()
}

// tresText returns amounts of resources as a table has them. One that is not set is left out: Slurm
// writes it as the largest number of 64 bits, less one or two.
func tresText(list []jsonTRES) string {
	const unset = 1 << 63
	var parts []string
	for _, t := range list {
		if !t.Count.IsSet || t.Count.Value >= unset {
			continue
		}
		name := t.Type
		if t.Name != "" {
			name += "/" + t.Name
		}
		parts = append(parts, name+"="+t.Count.Text())
	}
	return strings.Join(parts, ",")
}

// columns returns a job as a row of a table, by the names of its columns in lower case.
func (j *sacctJob) columns() map[string]string {
	allocated := slurm.Number{}
	for _, t := range j.TRES.Allocated {
		if t.Type == "cpu" {
			allocated = t.Count
		}
	}
	exit := fmt.Sprintf("%s:%d", j.ExitCode.ReturnCode.Text(), j.ExitCode.Signal.ID.Int())
	if j.State.Current == "FAILED" && exit == "0:0" { // as 22.05 writes it whatever it was
		exit = ""
	}
	row := map[string]string{
		"jobid": j.id(), "state": string(j.State.Current), "submit": timeText(j.Time.Submission), "eligible": timeText(j.Time.Eligible), "start": timeText(j.Time.Start), "end": timeText(j.Time.End),
		"elapsedraw": j.Time.Elapsed.Text(), "alloccpus": allocated.Text(), "reqcpus": j.Required.CPUs.Text(), "nnodes": j.AllocationNodes.Text(), "reqtres": tresText(j.TRES.Requested),
		"alloctres": tresText(j.TRES.Allocated), "timelimitraw": j.Time.Limit.Text(), "user": cmp.Or(j.Association.User, j.User), "group": j.Group, "account": cmp.Or(j.Account, j.Association.Account),
		"partition": j.Partition, "jobname": j.Name, "cluster": j.Cluster, "exitcode": exit, "nodelist": j.Nodes,
		"jobidraw": j.JobID.Text(), "qos": j.QOS, "constraints": string(j.Constraints), "submitline": string(j.SubmitLine), "licenses": string(j.Licenses), "reservation": string(j.Reservation.Name),
	}
	for column, seconds := range map[string]slurm.Number{"totalcpu": j.Time.Total.Seconds, "suspended": j.Time.Suspended} {
		if seconds.IsSet {
			row[column] = fmt.Sprintf("%d:%02d:%02d", seconds.Int()/3600, seconds.Int()/60%60, seconds.Int()%60)
		}
	}
	return row
}

// row returns a job as a row of a table.
func (j *sacctJob) row() (row sacctRow) {
	columns := j.columns()
	for column, names := range sacctColumns {
		for _, name := range names {
			if text := columns[name]; text != "" {
				row.text[column] = []byte(text)
				break
			}
		}
	}
	return row
}

// ReadSacctJSON reads what sacct --json prints.
func ReadSacctJSON(from file.Source, zone *time.Location, keep Keep) (*Trace, error) {
	r := newSacctReader(keep, zone)
	r.sacctHeader = &sacctHeader{}
	in, err := from.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	plain, err := file.Plain(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from.Name, err)
	}
	err = eachSacctJob(plain, func(number int, j *sacctJob) {
		row := j.row()
		why := r.parse(&row)
		if why == "" {
			why = r.add(&row)
		}
		if why != "" {
			r.addProblem(Problem{from.Name, 1, fmt.Sprintf("job %d of the list: %s", number, why)})
		}
	})
	switch {
	case err != nil && len(r.Jobs) == 0:
		return nil, fmt.Errorf("%s: %w", from.Name, err)
	case err != nil:
		r.addProblem(Problem{from.Name, 1, file.CutOff + ": " + err.Error()})
	}
	return r.Trace, nil
}

// EachSacctJSON gives each job of what sacct --json prints to a function, as a row of a table: by the
// names of its columns in lower case, with times in seconds since 1970. An error is about what
// follows the jobs that were given.
func EachSacctJSON(from io.Reader, do func(row map[string]string)) error {
	return eachSacctJob(from, func(_ int, j *sacctJob) { do(j.columns()) })
}

// eachSacctJob gives each job of a list to a function, with its number from 1.
func eachSacctJob(from io.Reader, do func(number int, j *sacctJob)) error {
	dec := json.NewDecoder(from)
	for depth := 0; ; {
		token, err := dec.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
		if depth != 1 || token != "jobs" {
			continue
		}
		if token, err = dec.Token(); err != nil || token != json.Delim('[') {
			return fmt.Errorf("jobs are no list: %v", err)
		}
		for number := 1; dec.More(); number++ {
			var j sacctJob
			if err := dec.Decode(&j); err != nil {
				return fmt.Errorf("job %d of the list: %w", number, err)
			}
			do(number, &j)
		}
		if _, err := dec.Token(); err != nil {
			return err
		}
	}
}
