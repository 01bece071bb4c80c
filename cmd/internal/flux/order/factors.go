package order

import (
	"fmt"
	"math"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/flux"
	"fairshare/cmd/internal/report"
)

// flux's priority plugin keeps one queue factor and one bank factor for each user in a bank: the priority of the queue
// of their last submission, and that which the bank had then. A job has the factors that its user had when flux
// computed its priority last: at its submission, or at the last account-priority-update since. No command prints the
// factors, nor when that update was. So they are found like this.
//
//  1. The update was after the submission of one job and before that of the next: the place at which most of the
//     stored priorities are those computed (found once for the whole site).
//  2. Where the jobs of a user in a bank still differ, the bank's priority may have been edited since the user
//     submitted there last, so that the one of a new bank, 0, counts; or one of the jobs may have been moved to another
//     queue since (flux update), so that this queue counts. One of these is taken if all of those jobs agree with it.
//
// What is inferred so is told, see Differences.

// kept are the factors of a job that its user's last submission has set.
type kept struct {
	queue string  // whose priority is the queue factor
	bank  float64 // the bank factor
	why   string  // by which inference of the second kind, "" for none
}

// factors returns what a job's priority is made of, given what its user's last submission has set.
func (s *Site) factors(j *flux.Job, k kept) flux.Factors {
	return flux.Factors{Fairshare: s.fairshare(j), Queue: s.queuePriority(k.queue), Bank: k.bank}
}

// fairshare returns the fairshare that counts for a job: that which it carries, else the one of its association.
func (s *Site) fairshare(j *flux.Job) float64 {
	if s.fair != nil {
		if x, ok := s.fair[member(j)]; ok {
			return x
		}
	}
	if !math.IsNaN(j.Fairshare) {
		return j.Fairshare
	}
	if a := s.users[member(j)]; a != nil && !math.IsNaN(a.Fairshare) {
		return a.Fairshare
	}
	return flux.InitialFairshare
}

// agrees reports whether factors make the priority that flux has of a job.
func (s *Site) agrees(j *flux.Job, k kept) bool {
	return s.Weights.Priority(s.factors(j, k), j.Urgency) == j.Priority
}

// isTelling reports whether the priority of a job tells anything of its factors.
func isTelling(j *flux.Job) bool {
	return j.State == "SCHED" && !math.IsNaN(j.Priority) && j.Urgency != flux.Held && j.Urgency != flux.Expedited
}

// findFactors finds the factors of all jobs.
func (s *Site) findFactors() {
	s.findUpdate()
	s.kept = make([]kept, len(s.Jobs))
	last := map[Member]string{} // the queue of the last submission before the update
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Number <= s.Updated {
			last[member(j)] = j.Queue
		}
	}
	updated, later := map[Member][]int{}, map[Member][]int{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		of := member(j)
		s.kept[i] = kept{queue: j.Queue, bank: s.bankPriority(j.Bank)}
		group := later
		if j.Number <= s.Updated {
			s.kept[i].queue = last[of]
			group = updated
		}
		if isTelling(j) {
			group[of] = append(group[of], i)
		}
	}
	for _, group := range []map[Member][]int{updated, later} {
		for of, jobs := range group {
			s.infer(of, jobs)
		}
	}
}

// findUpdate finds the last job that was there when flux computed all priorities last: with it, most of them are those
// that flux has, and of several the last one.
func (s *Site) findUpdate() {
	queues := map[Member]map[string]bool{}
	agreeing := 0 // of those submitted since
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if queues[member(j)] == nil {
			queues[member(j)] = map[string]bool{}
		}
		queues[member(j)][j.Queue] = true
		if isTelling(j) && s.agrees(j, kept{queue: j.Queue, bank: s.bankPriority(j.Bank)}) {
			agreeing++
		}
	}
	before := map[Member]map[string]int{} // how many of those submitted before agree, by the queue of the last one
	current := map[Member]int{}           // how many do
	without, best := agreeing, agreeing
	s.Updated = 0
	for i := range s.Jobs {
		j := &s.Jobs[i]
		of := member(j)
		if before[of] == nil {
			before[of] = map[string]int{}
		}
		if isTelling(j) {
			for queue := range queues[of] {
				if s.agrees(j, kept{queue: queue, bank: s.bankPriority(j.Bank)}) {
					before[of][queue]++
					if queue == j.Queue {
						agreeing--
					}
				}
			}
		}
		agreeing += before[of][j.Queue] - current[of]
		current[of] = before[of][j.Queue]
		if agreeing >= best {
			best, s.Updated = agreeing, j.Number
		}
	}
	s.isDecided = without < best || agreeing < best
}

// infer finds other factors for the jobs of a user in a bank, where those that the lists tell do not make the
// priorities that flux has of them: ones that make all of them.
func (s *Site) infer(of Member, jobs []int) {
	isAll := func(change func(kept) kept) bool {
		return !slices.ContainsFunc(jobs, func(i int) bool { return !s.agrees(&s.Jobs[i], change(s.kept[i])) })
	}
	take := func(change func(kept) kept, why string) {
		for _, i := range jobs {
			s.kept[i] = change(s.kept[i])
			s.kept[i].why = why
		}
	}
	same := func(k kept) kept { return k }
	unedited := func(k kept) kept { k.bank = 0; return k }
	switch {
	case isAll(same):
		return
	case isAll(unedited):
		take(unedited, fmt.Sprintf("%s has not submitted in bank %s since its priority was edited: that of a new bank, 0, counts and not %s", of.User, of.Bank, report.Plain(s.bankPriority(of.Bank))))
		return
	}
	var tried []string
	for _, i := range jobs {
		queue := s.Jobs[i].Queue
		if slices.Contains(tried, queue) {
			continue
		}
		tried = append(tried, queue)
		for _, bank := range []float64{s.bankPriority(of.Bank), 0} {
			moved := func(k kept) kept { return kept{queue: queue, bank: bank} }
			if isAll(moved) {
				take(moved, fmt.Sprintf("the last job that %s submitted in bank %s or moved there (flux update) was in queue %s, with bank priority %s", of.User, of.Bank, queue, report.Plain(bank)))
				return
			}
		}
	}
}

// Differences says how many priorities are computed as flux has them, what was inferred for that, and which are not.
func (s *Site) Differences(rows []Row) (remarks []diag.Remark) {
	const mostTold = 5
	equal, known := 0, 0
	jobs := map[string]int{}
	var whys, differ []string
	for _, r := range rows {
		if r.Rank == 0 || math.IsNaN(r.Job.Priority) {
			continue
		}
		known++
		if text := r.Difference(); text != "" {
			differ = append(differ, "job "+r.Job.ID+": "+text)
			continue
		}
		equal++
		if r.Why != "" {
			if jobs[r.Why] == 0 {
				whys = append(whys, r.Why)
			}
			jobs[r.Why]++
		}
	}
	if known == 0 {
		return nil
	}
	text := fmt.Sprintf("%d of %s: the priority computed here is flux's", equal, report.Count(known, "job"))
	if j := s.jobOf(s.Updated); !s.isDecided {
		// the same with an update and without
	} else if j != nil {
		text += ", as of an account-priority-update after job " + j.ID + " was submitted, which is inferred"
	} else {
		text += ", with no account-priority-update since the jobs were submitted, which is inferred"
	}
	remarks = append(remarks, diag.Notef("%s", text))
	slices.Sort(whys)
	for i, why := range whys {
		if i == mostTold {
			remarks = append(remarks, diag.Notef("factors of %d more users in their banks are inferred from their priorities", len(whys)-i))
			break
		}
		remarks = append(remarks, diag.Notef("inferred from the priorities of %s: %s", report.Count(jobs[why], "job"), why))
	}
	for i, text := range differ {
		if i == mostTold {
			remarks = append(remarks, diag.Notef("%d more priorities differ", len(differ)-i))
			break
		}
		remarks = append(remarks, diag.Notef("%s", text))
	}
	return remarks
}

// jobOf returns the job of a number, nil for none.
func (s *Site) jobOf(number uint64) *flux.Job {
	if i := slices.IndexFunc(s.Jobs, func(j flux.Job) bool { return j.Number == number }); i >= 0 {
		return &s.Jobs[i]
	}
	return nil
}
