package flux

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

// Site is what the priorities of flux depend on besides the jobs, where it is given file by file.
type Site struct {
	Weights       Weights
	Queues, Banks map[string]float64   // their priorities
	Tree          *fstree.Associations // nil where none is known
}

// NewSite returns a site with settings such as queue.gpu=10, bank.physics=-50 and weight.urgency=500.
func NewSite(settings []string) (*Site, error) {
	s := &Site{Weights: DefaultWeights, Queues: map[string]float64{}, Banks: map[string]float64{}}
	for _, setting := range settings {
		name, text, _ := strings.Cut(setting, "=")
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(x) || math.Abs(x) > 1e9 {
			return nil, diag.Requestf("--set %s: flux has settings such as queue.gpu=10, bank.physics=-50, weight.urgency=500", setting)
		}
		kind, of, _ := strings.Cut(name, ".")
		switch weight := s.Weights.Named(name); {
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

// Named returns the weight that a setting such as weight.urgency is of, nil for none.
func (w *Weights) Named(setting string) *float64 {
	switch setting {
	case "weight.fairshare":
		return &w.Fairshare
	case "weight.queue":
		return &w.Queue
	case "weight.bank":
		return &w.Bank
	case "weight.urgency":
		return &w.Urgency
	}
	return nil
}

// Ranked is a job with the priority computed for it.
type Ranked struct {
	Job
	From     Factors
	Computed float64
}

// Rank computes the priorities of jobs, the highest first, with remarks on what is not known of them.
func (s *Site) Rank(jobs []Job) (list []Ranked, remarks []diag.Remark) {
	said := map[string]bool{}
	say := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !said[text] {
			said[text] = true
			remarks = append(remarks, diag.Notef("%s", text))
		}
	}
	of := s.fairshare()
	for _, j := range jobs {
		r := Ranked{Job: j}
		found := of[member{j.Bank, j.User}]
		if j.Bank == "" {
			found = of[member{"", j.User}]
		}
		switch {
		case len(found) > 0:
			r.From.Fairshare = found[0]
			if len(found) > 1 {
				say("%s has several banks and job %s names none: the first one is taken", j.User, j.ID)
			}
		case s.Tree == nil && !math.IsNaN(j.Fairshare):
			r.From.Fairshare = j.Fairshare
		default:
			r.From.Fairshare = InitialFairshare
			if s.Tree != nil {
				say("%s is not in the tree with bank %q: the fairshare is 0.5, that of a new user", j.User, j.Bank)
			}
		}
		r.From.Queue, r.From.Bank = s.Queues[j.Queue], s.Banks[j.Bank]
		if _, ok := s.Queues[j.Queue]; !ok && j.Queue != "" {
			say("the priority of queue %s is not given and counts 0: --set queue.%s=N", j.Queue, j.Queue)
		}
		r.Computed = s.Weights.Priority(r.From, j.Urgency)
		list = append(list, r)
	}
	if s.Tree == nil {
		say("without --shares the fairshare is that which jobs carry, or 0.5, that of a new user")
	}
	slices.SortStableFunc(list, func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(b.Computed, a.Computed), cmp.Compare(a.Number, b.Number))
	})
	differ := 0
	for _, r := range list {
		if !math.IsNaN(r.Priority) && r.Priority != r.Computed {
			differ++
		}
	}
	if differ > 0 {
		remarks = append(remarks, diag.Warningf("%s of %s are computed with another priority than flux has: flux takes the priority of the queue of a user's last submission in a bank for all jobs of that user there, with the fairshare and the weights of its last account-priority-update; formula priority SITE knows these rules, and lists of queues, banks, users and weights",
			strconv.Itoa(differ), report.Count(len(list), "job")))
	}
	return list, remarks
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
