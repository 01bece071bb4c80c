package flux

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
)

// Job is a job, as flux jobs --json prints it. Times are in seconds since 1970, NaN where there is none.
type Job struct {
	ID     string // as users know it: ƒ…, or as the list has it where it has no other name
	Number uint64
	User   string
	UserID string // "" where it is not told

	Bank, Queue, Project, Name string

	State    string // DEPEND, PRIORITY, SCHED, RUN, CLEANUP, INACTIVE; "" where the list has none
	Urgency  int
	Priority float64 // that flux has, NaN where it is not told

	Fairshare    float64  // with which flux computed its priority last, NaN where that is not told
	Dependencies []string // of which some are names of limits
	IsOfFluxion  bool     // whether Fluxion has planned it

	Submit, Eligible, Start, End, Estimate float64

	Duration     float64 // that it asks for, 0 for no limit, NaN where it is not told
	Cores, Nodes int64   // -1 where they are not told
	RunTime      float64 // so far, NaN where it is not told
	Exit         *int64

	Lacks []string // fields that flux prints of each job in its state, by their names
}

// ReadJobs returns the waiting jobs of a file that flux jobs --json has printed.
func ReadJobs(from file.Source) ([]Job, error) {
	const most = 1 << 30
	text, err := from.Text(most)
	if err != nil {
		return nil, err
	}
	all, err := ParseJobs(text)
	var jobs []Job
	for _, j := range all {
		if j.Waits() {
			jobs = append(jobs, j)
		}
	}
	if err == nil && jobs == nil {
		err = errors.New("no job waits in the list of flux")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from.Name, err)
	}
	return jobs, nil
}

// Waits reports whether a job has not started.
func (j *Job) Waits() bool { return j.State != "RUN" && j.State != "CLEANUP" && j.State != "INACTIVE" }

// printedJob is a job in the JSON of flux jobs.
type printedJob struct {
	ID           json.RawMessage
	JobID        string `json:"jobid"`
	Username     string
	Userid       *int64
	Bank, Queue  string
	Project      string
	Name         string
	Urgency      *int
	Priority     *float64
	State        string
	Dependencies []string
	Annotations  struct {
		User  struct{ Fairshare *float64 }
		Sched struct {
			Estimate      *float64 `json:"t_estimate"`
			SelectionType *string  `json:"selection_type"`
		}
	}
	TSubmit   *float64 `json:"t_submit"`
	TPriority *float64 `json:"t_priority"`
	TRun      *float64 `json:"t_run"`
	TInactive *float64 `json:"t_inactive"`
	Duration  *float64
	NCores    *int64
	NNodes    *int64
	Runtime   *float64
	Code      *int64 `json:"returncode"`
}

// notNumber are what Python prints for numbers that JSON does not have, as for a job without a time limit.
var notNumber = pattern.Of(`(:\s*)(-?Infinity|NaN)(\s*[,}])`)

// ParseJobs reads what flux jobs --json prints: an object with a list of jobs, a list, or one job.
func ParseJobs(text string) ([]Job, error) {
	if strings.Contains(text, "Infinity") || strings.Contains(text, "NaN") {
		text = notNumber().ReplaceAllString(text, "${1}null$3")
	}
	var whole struct {
		Jobs *[]printedJob
		ID   json.RawMessage
	}
	var list []printedJob
	err := json.Unmarshal([]byte(text), &whole)
	switch {
	case err != nil:
		err = json.Unmarshal([]byte(text), &list)
	case whole.Jobs != nil:
		list = *whole.Jobs
	case whole.ID != nil:
		list = make([]printedJob, 1)
		err = json.Unmarshal([]byte(text), &list[0])
	default:
		return nil, errors.New("this is not what flux jobs --json prints: it has no jobs")
	}
	if err != nil {
		return nil, fmt.Errorf("this is not what flux jobs --json prints: %w", err)
	}
	jobs, seen := make([]Job, len(list)), map[uint64]bool{}
	for i := range list {
		jobs[i], err = list[i].job()
		if err == nil && seen[jobs[i].Number] {
			err = fmt.Errorf("(%.40s) stands earlier in it as well", jobs[i].ID)
		}
		if err != nil {
			return nil, fmt.Errorf("job %d of the list %w", i+1, err)
		}
		seen[jobs[i].Number] = true
	}
	return jobs, nil
}

// job returns a job as the other rooms know it.
func (p *printedJob) job() (Job, error) {
	j := Job{
		ID: p.JobID, User: p.Username, Bank: p.Bank, Queue: p.Queue, Project: p.Project, Name: p.Name, State: p.State, Urgency: Usual, Dependencies: p.Dependencies,
		Priority: orNaN(p.Priority), Fairshare: orNaN(p.Annotations.User.Fairshare), IsOfFluxion: p.Annotations.Sched.SelectionType != nil,
		Submit: timeOf(p.TSubmit), Eligible: timeOf(p.TPriority), Start: timeOf(p.TRun), End: timeOf(p.TInactive), Estimate: timeOf(p.Annotations.Sched.Estimate),
		Duration: timeOf(p.Duration), Cores: orNone(p.NCores), Nodes: orNone(p.NNodes), RunTime: timeOf(p.Runtime), Exit: p.Code,
	}
	if p.Duration == nil {
		j.Duration = 0
	}
	id := strings.Trim(string(p.ID), `"`)
	if id == "null" {
		id = ""
	}
	if j.ID == "" {
		j.ID = id
	}
	var isNumber bool
	for _, text := range []string{id, j.ID} {
		if j.Number, isNumber = ParseID(text); isNumber {
			break
		}
	}
	if p.Userid != nil {
		j.UserID = strconv.FormatInt(*p.Userid, 10)
	}
	if j.User == "" {
		j.User = j.UserID
	}
	if p.Urgency != nil {
		j.Urgency = *p.Urgency
	}
	for _, x := range []struct {
		name string
		has  bool
	}{
		{"username", p.Username != ""}, {"state", p.State != ""}, {"urgency", p.Urgency != nil}, {"t_submit", p.TSubmit != nil}, {"ncores", p.NCores != nil},
		{"t_priority", p.TPriority != nil || p.State != "SCHED" && p.State != "RUN"}, {"t_run", p.TRun != nil || p.State != "RUN"}, {"t_inactive", p.TInactive != nil || p.State != "INACTIVE"},
	} {
		if !x.has {
			j.Lacks = append(j.Lacks, x.name)
		}
	}
	switch {
	case j.ID == "" || j.User == "":
		return j, errors.New("has no id or no username")
	case !isNumber:
		return j, fmt.Errorf("has the id %.40q, which is none of flux", j.ID)
	case j.Urgency < Held || j.Urgency > Expedited:
		return j, fmt.Errorf("(%.40s) has urgency %d, which is not from 0 to 31", j.ID, j.Urgency)
	}
	for _, x := range []struct {
		name  string
		value *float64
		most  float64
	}{
		{"priority", p.Priority, largestPriority}, {"t_submit", p.TSubmit, latest}, {"t_priority", p.TPriority, latest}, {"t_run", p.TRun, latest}, {"t_inactive", p.TInactive, latest},
		{"duration", p.Duration, latest}, {"runtime", p.Runtime, latest}, {"ncores", float(p.NCores), mostCores}, {"nnodes", float(p.NNodes), mostCores}, {"fairshare", p.Annotations.User.Fairshare, 1},
	} {
		if x.value != nil && !(*x.value >= 0 && *x.value <= x.most) {
			return j, fmt.Errorf("(%.40s) has %s %g, which is none of flux", j.ID, x.name, *x.value)
		}
	}
	return j, nil
}

// The most that jobs of flux have.
const (
	latest          = 253402300799 // seconds, the last of the year 9999
	largestPriority = math.MaxInt64
	mostCores       = math.MaxInt32
)

// float returns a whole number as another one, nil for none.
func float(n *int64) *float64 {
	if n == nil {
		return nil
	}
	x := float64(*n)
	return &x
}

func orNaN(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

// timeOf returns a time, or how long something lasts, in seconds; NaN for none and for what is beyond any.
func timeOf(x *float64) float64 {
	if x == nil || *x < 0 || *x > latest {
		return math.NaN()
	}
	return *x
}

func orNone(n *int64) int64 {
	if n == nil || *n < 0 {
		return -1
	}
	return *n
}
