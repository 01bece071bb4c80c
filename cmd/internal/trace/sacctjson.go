package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/file"
)

// isSacctJSON reports whether a text is the JSON of sacct.
func isSacctJSON(first []byte) bool {
	return bytes.Contains(first, []byte(`"jobs"`)) && bytes.Contains(first, []byte(`"allocation_nodes"`))
}

// jsonNumber is a number, or as newer versions write it {"set": true, "infinite": false, "number": N}.
type jsonNumber struct {
	value   int64
	isKnown bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *jsonNumber) UnmarshalJSON(text []byte) error {
	var wrapped struct {
		Set, Infinite bool
		Number        float64
	}
	if json.Unmarshal(text, &wrapped) == nil && wrapped.Set {
		*n = jsonNumber{int64(wrapped.Number), !wrapped.Infinite}
		return nil
	}
	var x float64
	if json.Unmarshal(text, &x) == nil && string(text) != "null" {
		*n = jsonNumber{int64(x), true}
	}
	return nil
}

// text returns the number as a table has it.
func (n jsonNumber) text() []byte {
	if !n.isKnown {
		return nil
	}
	return strconv.AppendInt(nil, n.value, 10)
}

// at returns a time as a table has it; 0 is none.
func (n jsonNumber) at() []byte {
	if n.value == 0 {
		return nil
	}
	return n.text()
}

// jsonWord is a word, or as newer versions write it a list of words, of which the first counts.
type jsonWord string

// UnmarshalJSON implements json.Unmarshaler.
func (w *jsonWord) UnmarshalJSON(text []byte) error {
	var list []string
	if json.Unmarshal(text, &list) == nil && len(list) > 0 {
		*w = jsonWord(list[0])
		return nil
	}
	var one string
	if json.Unmarshal(text, &one) == nil {
		*w = jsonWord(one)
	}
	return nil
}

// jsonTRES is an amount of a resource.
type jsonTRES struct {
	Type, Name string
	Count      jsonNumber
}

// sacctJob is a job in the JSON of sacct.
type sacctJob struct {
	Account, Group, Name, Nodes, Partition, User string
	Association                                  struct{ User, Account string }
	AllocationNodes                              jsonNumber `json:"allocation_nodes"`
	JobID                                        jsonNumber `json:"job_id"`
	Array                                        struct {
		JobID  jsonNumber `json:"job_id"`
		TaskID jsonNumber `json:"task_id"`
		Task   *string
	}
	Het struct {
		JobID  jsonNumber `json:"job_id"`
		Offset jsonNumber `json:"job_offset"`
	}
	Time struct {
		Elapsed, Eligible, End, Start, Submission, Limit jsonNumber
		Total                                            struct{ Seconds jsonNumber }
	}
	ExitCode struct {
		ReturnCode jsonNumber `json:"return_code"`
		Signal     struct {
			ID jsonNumber `json:"signal_id"`
		}
	} `json:"exit_code"`
	Required struct{ CPUs jsonNumber }
	State    struct{ Current jsonWord }
	TRES     struct{ Allocated, Requested []jsonTRES }
}

// id returns the number of a job as a table has it.
func (j *sacctJob) id() string {
	switch {
	case j.Array.JobID.value > 0 && j.Array.TaskID.isKnown:
		return fmt.Sprintf("%d_%d", j.Array.JobID.value, j.Array.TaskID.value)
	case j.Array.JobID.value > 0 && j.Array.Task != nil && *j.Array.Task != "":
		return fmt.Sprintf("%d_[%s]", j.Array.JobID.value, *j.Array.Task)
	case j.Het.JobID.value > 0 && j.Het.Offset.isKnown:
		return fmt.Sprintf("%d+%d", j.Het.JobID.value, j.Het.Offset.value)
	}
	return string(j.JobID.text())
}

// tresText returns amounts of resources as a table has them.
func tresText(list []jsonTRES) []byte {
	var parts []string
	for _, t := range list {
		name := t.Type
		if t.Name != "" {
			name += "/" + t.Name
		}
		parts = append(parts, name+"="+string(t.Count.text()))
	}
	return []byte(strings.Join(parts, ","))
}

// row returns a job as a row of a table.
func (j *sacctJob) row() sacctRow {
	var row sacctRow
	allocated := jsonNumber{}
	for _, t := range j.TRES.Allocated {
		if t.Type == "cpu" {
			allocated = t.Count
		}
	}
	user := j.Association.User
	if user == "" {
		user = j.User
	}
	exit := fmt.Appendf(nil, "%s:%d", j.ExitCode.ReturnCode.text(), j.ExitCode.Signal.ID.value)
	if j.State.Current == "FAILED" && string(exit) == "0:0" { // as 22.05 writes it whatever it was
		exit = nil
	}
	for column, text := range map[int][]byte{
		sacctID: []byte(j.id()), sacctState: []byte(j.State.Current), sacctSubmit: j.Time.Submission.at(), sacctEligible: j.Time.Eligible.at(), sacctStart: j.Time.Start.at(), sacctEnd: j.Time.End.at(),
		sacctElapsedRaw: j.Time.Elapsed.text(), sacctNCPUs: allocated.text(), sacctReqCPUs: j.Required.CPUs.text(), sacctNodes: j.AllocationNodes.text(), sacctReqTRES: tresText(j.TRES.Requested),
		sacctAllocTRES: tresText(j.TRES.Allocated), sacctLimitRaw: j.Time.Limit.text(), sacctUser: []byte(user), sacctGroup: []byte(j.Group), sacctAccount: []byte(j.Account),
		sacctPartition: []byte(j.Partition), sacctName: []byte(j.Name), sacctExit: exit, sacctNodeList: []byte(j.Nodes),
	} {
		row.text[column] = text
	}
	if seconds := j.Time.Total.Seconds; seconds.isKnown {
		row.text[sacctCPU] = fmt.Appendf(nil, "%d:%02d:%02d", seconds.value/3600, seconds.value/60%60, seconds.value%60)
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
	dec := json.NewDecoder(plain)
	fail := func(err error) (*Trace, error) {
		if len(r.Jobs) == 0 {
			return nil, fmt.Errorf("%s: %w", from.Name, err)
		}
		r.addProblem(Problem{from.Name, 1, cutOff + ": " + err.Error()})
		return r.Trace, nil
	}
	for depth := 0; ; {
		token, err := dec.Token()
		if err != nil {
			return fail(err)
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return r.Trace, nil
		}
		if depth != 1 || token != "jobs" {
			continue
		}
		if token, err = dec.Token(); err != nil || token != json.Delim('[') {
			return fail(fmt.Errorf("jobs are no list: %v", err))
		}
		for number := 1; dec.More(); number++ {
			var j sacctJob
			if err := dec.Decode(&j); err != nil {
				return fail(fmt.Errorf("job %d of the list: %w", number, err))
			}
			row := j.row()
			why := r.parse(&row)
			if why == "" {
				why = r.add(&row)
			}
			if why != "" {
				r.addProblem(Problem{from.Name, 1, fmt.Sprintf("job %d of the list: %s", number, why)})
			}
		}
		if _, err := dec.Token(); err != nil {
			return fail(err)
		}
	}
}
