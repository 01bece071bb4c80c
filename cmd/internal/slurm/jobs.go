package slurm

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Job is a waiting job, as scontrol show job prints it.
type Job struct {
	ID, User, Account, QOS string
	Partitions             []string
	State                  string
	Priority               float64 // as Slurm had computed or an administrator had set it
	Nice                   float64
	Submitted, Eligible    time.Time // zero when unknown
	Accrued                time.Time // since when age counts
	TimeLimit              float64   // minutes, NaN for the partition's
	Exclusive              bool
	TRES                   []Amount
	Line                   int // where its record begins
}

// Requested is how much of a resource a job asks for.
func (j *Job) Requested(name string) float64 {
	for _, a := range j.TRES {
		if a.Name == name {
			return a.Count
		}
	}
	return 0
}

// ParseJobs reads scontrol show job, also with -o. Times have no zone in it:
// they are local.
func ParseJobs(text string, local *time.Location) ([]Job, error) {
	var jobs []Job
	var fields map[string]string
	begin := 0
	finish := func() error {
		if fields == nil {
			return nil
		}
		j, err := newJob(fields, local)
		if err != nil {
			return &LineError{begin, err.Error()}
		}
		j.Line = begin
		jobs = append(jobs, j)
		return nil
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "JobId=") {
			if err := finish(); err != nil {
				return nil, err
			}
			fields, begin = map[string]string{}, number
		}
		if fields == nil {
			if line == "" || strings.HasPrefix(line, "No jobs") {
				continue
			}
			return nil, &LineError{number, "this is no output of scontrol show job, whose records begin with JobId="}
		}
		addFields(fields, line)
	}
	return jobs, finish()
}

// addFields notes a line's KEY=VALUE words, each key's first only: what a user
// wrote, such as a comment, stands behind what Slurm says, but for the name,
// which is passed over.
func addFields(fields map[string]string, line string) {
	if before, name, ok := strings.Cut(line, " JobName="); ok {
		line = before
		if _, after, ok := strings.Cut(name, " UserId="); ok {
			line += " UserId=" + after
		}
	}
	for word := range strings.FieldsSeq(line) {
		key, value, ok := strings.Cut(word, "=")
		if _, known := fields[key]; ok && !known {
			fields[key] = value
		}
	}
}

func newJob(fields map[string]string, local *time.Location) (Job, error) {
	user, _, _ := strings.Cut(fields["UserId"], "(")
	j := Job{
		ID: fields["JobId"], User: user, Account: fields["Account"], QOS: fields["QOS"], State: fields["JobState"],
		Exclusive: fields["OverSubscribe"] == "NO" || fields["OverSubscribe"] == "EXCLUSIVE",
	}
	if j.ID == "" || j.User == "" || fields["Partition"] == "" {
		return j, fmt.Errorf("a job without JobId, UserId or Partition")
	}
	j.Partitions = strings.Split(fields["Partition"], ",")
	var err error
	for key, into := range map[string]*float64{"Priority": &j.Priority, "Nice": &j.Nice} {
		if text := fields[key]; text != "" {
			if *into, err = strconv.ParseFloat(text, 64); err != nil || math.IsNaN(*into) || math.Abs(*into) > 1e10 {
				return j, fmt.Errorf("%s %q of job %s is no number", key, text, j.ID)
			}
		}
	}
	for key, into := range map[string]*time.Time{"SubmitTime": &j.Submitted, "EligibleTime": &j.Eligible, "AccrueTime": &j.Accrued} {
		if text := fields[key]; text != "" && text != "Unknown" && text != "None" {
			if *into, err = time.ParseInLocation("2006-01-02T15:04:05", text, local); err != nil {
				return j, fmt.Errorf("%s %q of job %s is no time", key, text, j.ID)
			}
		}
	}
	switch text := fields["TimeLimit"]; text {
	case "", "Partition_Limit":
		j.TimeLimit = math.NaN()
	default:
		seconds, err := Duration(text)
		if err != nil {
			return j, fmt.Errorf("TimeLimit of job %s: %w", j.ID, err)
		}
		j.TimeLimit = math.Ceil(seconds / 60)
	}
	tres := fields["TRES"]
	if tres == "" {
		tres = fields["ReqTRES"] // from Slurm 23.02 on
	}
	if j.TRES, err = ParseTRES(tres); err != nil {
		return j, fmt.Errorf("TRES of job %s: %w", j.ID, err)
	}
	return j, nil
}

// ParseQOS reads the table of sacctmgr -P show qos format=name,priority.
func ParseQOS(text string) (map[string]float64, error) {
	qos := map[string]float64{}
	number, nameAt, priorityAt := 0, -1, -1
	for line := range strings.Lines(text) {
		number++
		cells := strings.Split(strings.TrimSpace(line), "|")
		if nameAt < 0 {
			for i, cell := range cells {
				switch strings.ToLower(cell) {
				case "name":
					nameAt = i
				case "priority":
					priorityAt = i
				}
			}
			if nameAt < 0 || priorityAt < 0 {
				return nil, &LineError{number, "the table begins with Name|Priority"}
			}
			continue
		}
		if len(cells) == 1 && cells[0] == "" {
			continue
		}
		if len(cells) <= max(nameAt, priorityAt) {
			return nil, &LineError{number, "a line has fewer columns than the header"}
		}
		x, err := count(cells[priorityAt])
		if err != nil {
			return nil, &LineError{number, fmt.Sprintf("priority of %s: %v", cells[nameAt], err)}
		}
		qos[cells[nameAt]] = x
	}
	return qos, nil
}
