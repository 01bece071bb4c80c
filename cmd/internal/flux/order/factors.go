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
//  2. Where jobs of a user in a bank still differ, the bank's priority may have been edited since the user submitted
//     there last, so that the one of a new bank, 0, counts; or one of the jobs may have been moved to another queue since
//     (flux update), so that this queue counts. One of these is taken if several of those jobs agree with it, or the
//     only one there is.
//  3. A job that still differs may have been computed by itself, at its submission or when its urgency or queue was
//     changed, with the factors of then: those of its user's last submission, or of its own queue.
//
// What is inferred so is told, see Differences.

// kept are the factors of a job that its user's last submission has set.
type kept struct {
	queue string  // whose priority is the queue factor
	bank  float64 // the bank factor
	why   string  // by which inference of the second or the third kind, "" for none
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

// agreesWith reports whether the factor of a queue makes the priority that flux has of a job, with the priority that its
// bank has or had when it was new.
func (s *Site) agreesWith(j *flux.Job, queue string) bool {
	return s.agrees(j, kept{queue: queue, bank: s.bankPriority(j.Bank)}) || s.agrees(j, kept{queue: queue})
}

// isTelling reports whether the priority of a job tells anything of its factors.
func isTelling(j *flux.Job) bool {
	return j.State == "SCHED" && !math.IsNaN(j.Priority) && j.Urgency != flux.Held && j.Urgency != flux.Expedited
}

// findFactors finds the factors of all jobs.
func (s *Site) findFactors() {
	s.findUpdate()
	s.kept = make([]kept, len(s.Jobs))
	last, latest := map[Member]string{}, map[Member]string{} // the queue of the last submission before the update, and of all
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if latest[member(j)] = j.Queue; j.Number <= s.Updated {
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
			s.infer(of, jobs, latest[of])
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
		if isTelling(j) && s.agreesWith(j, j.Queue) {
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
				if s.agreesWith(j, queue) {
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

// inference is one way in which the factors of jobs may be others than the lists tell.
type inference struct {
	change func(kept) kept
	why    string
}

// infer finds other factors for those jobs of a user in a bank that do not have the priority which the lists make: first
// such as several of them agree with, or the only one that there is, then for each job by itself. last is the queue of the
// user's last submission there.
func (s *Site) infer(of Member, jobs []int, last string) {
	rest := s.disagreeing(jobs)
	if len(rest) == 0 {
		return
	}
	all := s.inferences(of, jobs)
	for len(rest) > 1 || len(jobs) == 1 && len(rest) == 1 {
		best, most := inference{}, 0
		for _, x := range all {
			n := 0
			for _, i := range rest {
				if s.agrees(&s.Jobs[i], x.change(s.kept[i])) {
					n++
				}
			}
			if n > most {
				best, most = x, n
			}
		}
		if most < min(2, len(jobs)) {
			break
		}
		rest = s.take(rest, best)
	}
	for _, i := range rest {
		j := &s.Jobs[i]
		for _, queue := range []string{last, j.Queue} {
			for _, bank := range []float64{s.bankPriority(of.Bank), 0} {
				if k := (kept{queue: queue, bank: bank}); s.kept[i].why == "" && s.agrees(j, k) {
					k.why = fmt.Sprintf("flux computed the priority of job %s by itself, when it was submitted or its urgency or queue was changed", j.ID)
					s.kept[i] = k
				}
			}
		}
	}
}

// disagreeing returns those of some jobs whose factors do not make the priority that flux has.
func (s *Site) disagreeing(jobs []int) (list []int) {
	for _, i := range jobs {
		if !s.agrees(&s.Jobs[i], s.kept[i]) {
			list = append(list, i)
		}
	}
	return list
}

// take gives the jobs that an inference explains its factors, and returns the others.
func (s *Site) take(jobs []int, x inference) (rest []int) {
	for _, i := range jobs {
		k := x.change(s.kept[i])
		if !s.agrees(&s.Jobs[i], k) {
			rest = append(rest, i)
			continue
		}
		k.why = x.why
		s.kept[i] = k
	}
	return rest
}

// inferences returns in which ways the factors of several jobs of a user in a bank may be others, the likeliest first.
func (s *Site) inferences(of Member, jobs []int) []inference {
	list := []inference{{
		func(k kept) kept { k.bank = 0; return k },
		fmt.Sprintf("%s has not submitted in bank %s since its priority was edited: that of a new bank, 0, counts and not %s", of.User, of.Bank, report.Plain(s.bankPriority(of.Bank))),
	}}
	var tried []string
	for _, i := range jobs {
		queue := s.Jobs[i].Queue
		if slices.Contains(tried, queue) {
			continue
		}
		tried = append(tried, queue)
		for _, bank := range []float64{s.bankPriority(of.Bank), 0} {
			list = append(list, inference{
				func(kept) kept { return kept{queue: queue, bank: bank} },
				fmt.Sprintf("the last job that %s submitted in bank %s or moved there (flux update) was in queue %s, with bank priority %s", of.User, of.Bank, queue, report.Plain(bank)),
			})
		}
	}
	return list
}

// Differences says how many priorities are computed as flux has them, what was inferred for that, and which are not.
func (s *Site) Differences(rows []Row) (remarks []diag.Remark) {
	const mostTold = 5
	equal, known, untold := 0, 0, 0
	jobs := map[string]int{}
	var whys, differ []string
	for _, r := range rows {
		switch {
		case r.Rank == 0:
			continue
		case math.IsNaN(r.Job.Priority):
			untold++
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
	if untold > 0 {
		remarks = append(remarks, diag.Warningf("the list tells no priority of %s: those that stand here are computed, and nothing checks them (flux jobs -A --json has flux's)", report.Count(untold, "job")))
	}
	if known == 0 {
		return remarks
	}
	text := fmt.Sprintf("%d of %s: the priority computed here is flux's", equal, report.Count(known, "job"))
	if j := s.jobOf(s.Updated); !s.isDecided {
		// the same with an update and without
	} else if j != nil {
		text += ", as of an account-priority-update after job " + j.ID + " was submitted, which is inferred"
	} else {
		text += ", with no account-priority-update since the jobs were submitted, which is inferred"
	}
	said := diag.Notef("%s", text)
	if equal == known {
		said = said.Joined(diag.Place, "the priorities computed here are flux's (%s)", report.Count(equal, "job"))
	}
	remarks = append(remarks, said)
	slices.Sort(whys)
	for i, why := range whys {
		whys[i] = fmt.Sprintf("inferred from the priorities of %s: %s", report.Count(jobs[why], "job"), why)
	}
	remarks = append(remarks, diag.Each("factors", whys, mostTold)...)
	return append(remarks, diag.Each("priorities differ", differ, mostTold)...)
}

// jobOf returns the job of a number, nil for none.
func (s *Site) jobOf(number uint64) *flux.Job {
	if i := slices.IndexFunc(s.Jobs, func(j flux.Job) bool { return j.Number == number }); i >= 0 {
		return &s.Jobs[i]
	}
	return nil
}
