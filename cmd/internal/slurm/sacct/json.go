package sacct

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm"
)

// jsonTRES is an amount of a resource.
type jsonTRES struct {
	Type, Name string
	Count      slurm.Number
}

// jsonJob is a job in the JSON of sacct.
type jsonJob struct {
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
	State       struct{ Current slurm.Words }
	TRES        struct{ Allocated, Requested []jsonTRES }
	QOS, QOSReq string
	Constraints slurm.Word
	SubmitLine  slurm.Word `json:"submit_line"`
	Licenses    slurm.Word `json:"licenses"`
	Reservation struct{ Name, Requested slurm.Word }
	Restarts    slurm.Number `json:"restart_cnt"`
	Steps       jsonSteps
}

// jsonSteps are the steps of a job; one that cannot be read leaves its job as it is.
type jsonSteps struct {
	list  []jsonStep
	wrong error
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *jsonSteps) UnmarshalJSON(text []byte) error {
	s.wrong = json.Unmarshal(text, &s.list)
	return nil
}

// jsonStep is a step of a job in the JSON of sacct, with what its tasks have used (TRESUsageIn of a table), which Slurm calls requested there.
type jsonStep struct {
	Tasks struct{ Count slurm.Number }
	TRES  struct {
		Requested struct{ Total, Max, Average []jsonTRES }
	}
}

// fill makes a row of what a step has used of memory, as a table has it.
func (s *jsonStep) fill(row *Row) {
	memory := func(list []jsonTRES, write func(t jsonTRES) string) []byte {
		at := slices.IndexFunc(list, func(t jsonTRES) bool { return t.Type == "mem" })
		if at < 0 {
			return nil
		}
		return []byte(write(list[at]))
	}
	amount := func(t jsonTRES) string { return textOf(t.Count) }
	used := &s.TRES.Requested
	row.text[NTasks] = []byte(textOf(s.Tasks.Count))
	row.text[TRESUsageInTot] = memory(used.Total, func(t jsonTRES) string { return tresText([]jsonTRES{t}) })
	row.text[MaxRSS], row.text[AveRSS] = memory(used.Max, amount), memory(used.Average, amount)
}

// id returns the number of a job as a table has it.
func (j *jsonJob) id() string {
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

// tresText returns amounts of resources as a table has them. One that is not set is left out: Slurm writes it as the largest
// number of 64 bits less one or two, with or without a sign: energy that nobody measures is -2.
func tresText(list []jsonTRES) string {
	const unset = 1 << 63
	var parts []string
	for _, t := range list {
		if count := t.Count; !count.IsSet || count.Value >= unset || count.Value == -1 || count.Value == -2 {
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

// textOf returns a number as a table has it, "" where it is not set: Slurm writes that as the largest number of 32 bits
// less one or two as well.
func textOf(n slurm.Number) string {
	const unset = 1<<32 - 3
	if n.Value >= unset {
		return ""
	}
	return n.Text()
}

// fill makes a row of a job as a table has it.
func (j *jsonJob) fill(row *Row) {
	row.header = whole
	set := func(column Column, text string) { row.text[column] = []byte(text) }
	time := func(column Column, n slurm.Number) {
		switch text := textOf(n); {
		case n.Value == 0:
			set(column, "Unknown")
		case n.IsSet && text == "": // as that of a job that was deleted before it started
			set(column, "None")
		default:
			set(column, text)
		}
	}
	span := func(column Column, n slurm.Number) {
		if set(column, ""); n.IsSet {
			set(column, fmt.Sprintf("%d:%02d:%02d", n.Int()/3600, n.Int()/60%60, n.Int()%60))
		}
	}
	allocated := slurm.Number{}
	for _, t := range j.TRES.Allocated {
		if t.Type == "cpu" {
			allocated = t.Count
		}
	}
	state := slurm.ShownState(j.State.Current)
	exit := fmt.Sprintf("%s:%d", j.ExitCode.ReturnCode.Text(), j.ExitCode.Signal.ID.Int())
	if !j.ExitCode.ReturnCode.IsSet || state == "FAILED" && exit == "0:0" { // as 22.05 writes it whatever it was
		exit = ""
	}
	time(Submit, j.Time.Submission)
	time(Eligible, j.Time.Eligible)
	time(Start, j.Time.Start)
	time(End, j.Time.End)
	span(TotalCPU, j.Time.Total.Seconds)
	span(Suspended, j.Time.Suspended)
	for column, text := range map[Column]string{
		JobID: j.id(), JobIDRaw: j.JobID.Text(), State: state, ElapsedRaw: textOf(j.Time.Elapsed), AllocCPUS: textOf(allocated), ReqCPUS: textOf(j.Required.CPUs),
		NNodes: textOf(j.AllocationNodes), ReqTRES: tresText(j.TRES.Requested), AllocTRES: tresText(j.TRES.Allocated), TimelimitRaw: textOf(j.Time.Limit),
		User: cmp.Or(j.Association.User, j.User), Group: j.Group, Account: cmp.Or(j.Account, j.Association.Account), Partition: j.Partition, QOS: j.QOS, QOSREQ: j.QOSReq, JobName: j.Name, Cluster: j.Cluster,
		ExitCode: exit, NodeList: j.Nodes, Constraints: string(j.Constraints), Reservation: string(j.Reservation.Name), ReqReservation: string(j.Reservation.Requested), Licenses: string(j.Licenses), SubmitLine: string(j.SubmitLine), Restarts: textOf(j.Restarts),
	} {
		set(column, text)
	}
}

// whole is the header of what has all columns.
var whole = &Header{}

// readJSON reads what sacct --json prints. An error is of what has no job before it.
func (r *Reader) readJSON(name string, from io.Reader) error {
	var row Row
	given := 0
	err := eachJSON(from, func(number int, j *jsonJob, err error) error {
		given = number
		if err == nil && !j.Time.Submission.IsSet {
			err = errors.New("when it came is not told (time.submission): the job is left out")
		}
		if err == nil {
			clear(row.text[:])
			if j.fill(&row); r.keep != nil {
				r.keep(&row, 1)
			} else {
				err = r.give(&row)
			}
		}
		if err == nil && r.Step != nil {
			if wrong := j.Steps.wrong; wrong != nil {
				r.Damaged(name, 1, fmt.Sprintf("job %d of the list: what its steps have used cannot be read: %v", number, wrong))
			}
			for i := range j.Steps.list {
				if j.Steps.list[i].fill(&row); r.keep != nil {
					row.text[JobID] = fmt.Appendf(nil, "%s.%d of its list", j.id(), i+1) // a table counts steps in another way
					r.keep(&row, 1)
				} else {
					r.Step(row.ID, &row)
				}
			}
		}
		if err != nil && !errors.Is(err, errFound) {
			r.Damaged(name, 1, fmt.Sprintf("job %d of the list: %v", number, err))
			return nil
		}
		return err
	})
	switch {
	case err != nil && (given == 0 || errors.Is(err, errFound)):
		return fmt.Errorf("%s: %w", name, err)
	case err != nil:
		r.Damaged(name, 1, fmt.Sprintf("%s, behind job %d of the list, and its rest is lost: %v", file.CutOff, given, err))
	}
	return nil
}

// EachCells gives the cells of each job of what sacct --json prints, and of its steps that used memory, as a table has them under the columns that Names
// returns, to a function.
func EachCells(text string, do func(cells [][]byte)) error {
	var row Row
	return eachJSON(strings.NewReader(text), func(_ int, j *jsonJob, wrong error) error {
		if wrong == nil {
			clear(row.text[:])
			j.fill(&row)
			do(row.text[:])
			id := j.id()
			for i := range j.Steps.list {
				clear(row.text[:])
				row.text[JobID] = fmt.Appendf(nil, "%s.%d", id, i)
				j.Steps.list[i].fill(&row)
				if kb, _ := row.usedMemory(); kb > 0 {
					do(row.text[:])
				}
			}
		}
		return nil
	})
}

// eachJSON gives each job of a list to a function, with its number from 1, and what of it cannot be read.
func eachJSON(from io.Reader, do func(number int, j *jsonJob, wrong error) error) error {
	dec := json.NewDecoder(file.Finite(from))
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
			var j jsonJob
			var odd *json.UnmarshalTypeError
			wrong := dec.Decode(&j)
			if errors.As(wrong, &odd) { // which the list goes on behind
				wrong = fmt.Errorf("its %s cannot be %s", strings.ToLower(odd.Field), odd.Value)
			} else if wrong != nil {
				return fmt.Errorf("job %d of the list: %w", number, wrong)
			}
			if err := do(number, &j, wrong); err != nil {
				return err
			}
		}
		if _, err := dec.Token(); err != nil {
			return err
		}
	}
}
