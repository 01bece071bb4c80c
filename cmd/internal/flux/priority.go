// Package flux computes the priorities that flux-accounting gives jobs.
package flux

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

// Weights are what flux-accounting's priority plugin multiplies each factor with (its guide,
// "job priorities").
type Weights struct{ Fairshare, Queue, Bank, Urgency float64 }

// DefaultWeights are the weights of a site that has set none.
var DefaultWeights = Weights{Fairshare: 100_000, Queue: 10_000, Bank: 1, Urgency: 1000}

// What flux makes of some urgencies, and the fairshare of a user of whom nothing is known yet.
const (
	held             = 0
	usual            = 16
	expedited        = 31
	MaxPriority      = 4294967295
	InitialFairshare = 0.5
)

// Priority returns the priority of a job: 0 where it is held, the highest one where it is
// expedited, and otherwise the sum of the weighted factors, in whole numbers from 0 on.
func (w Weights) Priority(fairshare, queue, bank float64, urgency int) float64 {
	switch urgency {
	case held:
		return 0
	case expedited:
		return MaxPriority
	}
	sum := w.Fairshare*fairshare + w.Queue*queue + w.Bank*bank + w.Urgency*float64(urgency-usual)
	return min(max(0, math.Round(sum)), MaxPriority)
}

// Job is a waiting job, as flux jobs --json prints it.
type Job struct {
	ID, User, Bank, Queue string
	Urgency               int
	Stored                float64 // the priority that flux has, NaN where it is not told

	Fairshare, QueuePriority, BankPriority float64
	Priority                               float64
}

// ReadJobs returns the waiting jobs of a file that flux jobs --json has printed.
func ReadJobs(from file.Source) ([]Job, error) {
	const most = 1 << 30
	text, err := from.Text(most)
	if err != nil {
		return nil, err
	}
	jobs, err := ParseJobs(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from.Name, err)
	}
	return jobs, nil
}

// ParseJobs reads what flux jobs --json prints: a list of jobs, or an object with one.
func ParseJobs(text string) ([]Job, error) {
	type job struct {
		ID          json.RawMessage
		Username    string
		Userid      *int64
		Bank, Queue string
		Urgency     *int
		Priority    *float64
		State       string
	}
	var whole struct{ Jobs []job }
	err := json.Unmarshal([]byte(text), &whole)
	if err != nil {
		err = json.Unmarshal([]byte(text), &whole.Jobs)
	}
	if err != nil {
		return nil, fmt.Errorf("this is not what flux jobs --json prints: %w", err)
	}
	var jobs []Job
	for i, j := range whole.Jobs {
		if j.State == "RUN" || j.State == "CLEANUP" || j.State == "INACTIVE" {
			continue // it waits no more
		}
		one := Job{ID: strings.Trim(string(j.ID), `"`), User: j.Username, Bank: j.Bank, Queue: j.Queue, Urgency: usual, Stored: math.NaN()}
		if one.User == "" && j.Userid != nil {
			one.User = strconv.FormatInt(*j.Userid, 10)
		}
		if j.Urgency != nil {
			one.Urgency = *j.Urgency
		}
		if j.Priority != nil {
			one.Stored = *j.Priority
		}
		switch {
		case one.ID == "" || one.User == "":
			return nil, fmt.Errorf("job %d of the list has no id or no username", i+1)
		case one.Urgency < held || one.Urgency > expedited:
			return nil, fmt.Errorf("job %s has urgency %d, which is not from 0 to 31", one.ID, one.Urgency)
		}
		jobs = append(jobs, one)
	}
	if jobs == nil {
		return nil, errors.New("there is no job in the list of flux")
	}
	return jobs, nil
}

// Site is what the priorities of flux depend on besides the jobs.
type Site struct {
	Weights       Weights
	Queues, Banks map[string]float64   // their priorities
	Tree          *fstree.Associations // nil where none is known
}

// NewSite returns a site with settings such as queue.gpu=10, bank.physics=-50 and
// weight.urgency=500.
func NewSite(settings []string) (*Site, error) {
	s := &Site{Weights: DefaultWeights, Queues: map[string]float64{}, Banks: map[string]float64{}}
	weights := map[string]*float64{
		"weight.fairshare": &s.Weights.Fairshare, "weight.queue": &s.Weights.Queue, "weight.bank": &s.Weights.Bank, "weight.urgency": &s.Weights.Urgency,
	}
	for _, setting := range settings {
		name, text, _ := strings.Cut(setting, "=")
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(x) || math.Abs(x) > 1e9 {
			return nil, diag.Requestf("--set %s: flux has settings such as queue.gpu=10, bank.physics=-50, weight.urgency=500", setting)
		}
		kind, of, _ := strings.Cut(name, ".")
		switch weight := weights[name]; {
		case weight != nil:
			*weight = x
		case kind == "queue" && of != "":
			s.Queues[of] = x
		case kind == "bank" && of != "":
			s.Banks[of] = x
		default:
			return nil, diag.Requestf("--set: %s", report.NoSuch("setting of flux", name, []string{"queue.NAME", "bank.NAME", "weight.fairshare", "weight.queue", "weight.bank", "weight.urgency"}))
		}
	}
	return s, nil
}

// Rank computes the priorities of jobs, the highest first, with remarks on what is not known of
// them.
func (s *Site) Rank(jobs []Job) []diag.Remark {
	var remarks []diag.Remark
	said := map[string]bool{}
	say := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !said[text] {
			said[text] = true
			remarks = append(remarks, diag.Notef("%s", text))
		}
	}
	of := s.fairshare()
	for i := range jobs {
		j := &jobs[i]
		found := of[member{j.Bank, j.User}]
		if j.Bank == "" {
			found = of[member{"", j.User}]
		}
		switch {
		case len(found) == 1:
			j.Fairshare = found[0]
		case len(found) > 1:
			j.Fairshare = found[0]
			say("%s has several banks and job %s names none: the first one is taken", j.User, j.ID)
		default:
			j.Fairshare = InitialFairshare
			if s.Tree != nil {
				say("%s is not in the tree with bank %q: the fairshare is 0.5, that of a new user", j.User, j.Bank)
			}
		}
		j.QueuePriority, j.BankPriority = s.Queues[j.Queue], s.Banks[j.Bank]
		if _, ok := s.Queues[j.Queue]; !ok && j.Queue != "" {
			say("the priority of queue %s is not given and counts 0: --set queue.%s=N", j.Queue, j.Queue)
		}
		j.Priority = s.Weights.Priority(j.Fairshare, j.QueuePriority, j.BankPriority, j.Urgency)
	}
	if s.Tree == nil {
		say("without --shares the fairshare of everybody is 0.5, that of a new user")
	}
	slices.SortStableFunc(jobs, func(a, b Job) int { return cmp.Compare(b.Priority, a.Priority) })
	return remarks
}

// member is a user in a bank, "" for any.
type member struct{ bank, user string }

// fairshare returns the fairshare of the users of a tree by flux-accounting's weighted walk.
func (s *Site) fairshare() map[member][]float64 {
	of := map[member][]float64{}
	if s.Tree == nil {
		return of
	}
	standing := fstree.WeightedWalk(s.Tree, fstree.Options{})
	for i := range s.Tree.Len() {
		if x := s.Tree.At(i); x.User {
			for _, bank := range []string{s.Tree.At(int(x.Parent)).Name, ""} {
				key := member{bank, x.Name}
				of[key] = append(of[key], standing.Fairshare[i])
			}
		}
	}
	return of
}
