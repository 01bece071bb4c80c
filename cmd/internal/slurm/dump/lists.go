package dump

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/trace"
)

// Jobs returns the list of jobs: that with the most of them, with what it says beside what orders them. isListed tells
// whether there is one.
func (d *Dump) Jobs() (listed []slurm.ListedJob, isListed bool, remarks []diag.Remark) {
	var best string
	var wrong []diag.Remark
	for _, p := range d.All(KindJobs) {
		jobs, problems, err := d.parseListed(p.Text)
		if err != nil {
			remarks = append(remarks, diag.Damagef("%s: %v", p.Name, err))
			continue
		}
		if best != "" && len(jobs) <= len(listed) {
			continue
		}
		if slurm.IsJSON(p.Text) {
			inZone(jobs, d.Zone())
		}
		best, listed, wrong = p.Name, jobs, append(leftOut(p.Name, problems), fieldRemarks(p.Name, jobs)...)
	}
	remarks = append(remarks, wrong...)
	q, odd := d.queue()
	remarks = append(remarks, odd...)
	switch {
	case best == "" && q != nil:
		remarks = append(remarks, q.take(d.Zone())...)
		listed = q.jobs
	case q != nil:
		remarks = append(remarks, q.compare(listed, best)...)
		priorities := ""
		if len(d.All(KindPriorities)) > 0 {
			priorities = "sprio"
		}
		remarks = append(remarks, factsDiffer(append(slices.Clip(jobFacts), priorityFact), priorities, best, jobsOf(listed), q.name, q.facts())...)
	}
	return listed, best != "" || q != nil, remarks
}

// listed is what slurm.ParseListed returned.
type listed struct {
	jobs     []slurm.ListedJob
	problems []*file.Problem
	err      error
}

// parseListed returns what slurm.ParseListed does, with times that are read as those of UTC. Each list is read once, and the jobs are the
// caller's, who changes nothing that they point to.
func (d *Dump) parseListed(text string) ([]slurm.ListedJob, []*file.Problem, error) {
	known, isKnown := d.listed.Load(text)
	if !isKnown {
		jobs, problems, err := slurm.ParseListed(text, time.UTC)
		known = listed{jobs, problems, err}
		d.listed.Store(text, known)
	}
	l := known.(listed)
	return slices.Clone(l.jobs), l.problems, l.err
}

// Queue returns the list of jobs with its times in a zone, and what is left out of it.
func (d *Dump) Queue(zone *time.Location) (queue []slurm.ListedJob, wrong []diag.Remark) {
	lists := d.All(KindJobs)
	if len(lists) == 0 {
		lists = slices.DeleteFunc(d.All(KindQueue), func(p Part) bool { return !slurm.IsJSON(p.Text) })
	}
	for _, p := range lists {
		jobs, problems, err := slurm.ParseNow(p.Text, zone)
		if err == nil && (len(wrong) == 0 || len(jobs) > len(queue)) {
			queue, wrong = jobs, leftOut(p.Name, problems)
			if off := d.ahead(zone); off != 0 && slurm.IsJSON(p.Text) {
				move(queue, func(time.Time) int { return off })
			}
		}
	}
	return queue, wrong
}

// HasJobs reports whether a list says all of jobs that a scheduler knows: scontrol show job, or JSON of squeue.
func (d *Dump) HasJobs() bool {
	return len(d.All(KindJobs)) > 0 || slices.ContainsFunc(d.All(KindQueue), func(p Part) bool { return slurm.IsJSON(p.Text) })
}

// leftOut says which jobs of a list are left out.
func leftOut(name string, problems []*file.Problem) (remarks []diag.Remark) {
	for _, problem := range problems[:min(len(problems), MostTold)] {
		remarks = append(remarks, diag.LeftOutf("%s: left out: %v", name, problem).At(name, problem.Line))
	}
	if more := len(problems) - MostTold; more > 0 {
		remarks = append(remarks, diag.LeftOutf("%s: left out: %d more that cannot be read", name, more))
	}
	return remarks
}

// fieldRemarks says which fields of the jobs of a list are missing, or not known.
func fieldRemarks(name string, jobs []slurm.ListedJob) []diag.Remark {
	missing, unknown := map[string]int{}, map[string]int{}
	for i := range jobs {
		for _, field := range jobs[i].Missing {
			missing[field]++
		}
		for _, field := range jobs[i].Unknown {
			unknown[field]++
		}
	}
	return slurm.JobAttributes.FieldRemarks(name, "jobs", len(jobs), missing, unknown)
}

// MostTold is how many problems of a kind are told one by one.
const MostTold = 10

// Priorities returns what sprio lists, from the table that says most, nil where there is none. jobs are those of the
// list.
func (d *Dump) Priorities(jobs []slurm.Job) (stored []StoredPriority, remarks []diag.Remark) {
	var best string
	var others []string          // columns of the best one that are not known
	ages := map[string]float64{} // as parts of 1, of jobs
	isOfOne := map[string]bool{} // jobs that are of one QOS; those of several have a row for each
	for i := range jobs {
		isOfOne[jobs[i].ID] = jobs[i].QOS != "" && !jobs[i].HasSeveralQOS()
	}
	type place struct{ id, partition, qos string }
	placeOf := func(s *StoredPriority) (of place, isKnown bool) {
		if isOfOne[s.ID] {
			return place{s.ID, s.Partition, ""}, true
		}
		return place{s.ID, s.Partition, s.QOS}, s.QOS != ""
	}
	type table struct {
		name string
		of   map[place]float64
	}
	var tables []table
	for _, p := range d.All(KindPriorities) {
		list, unknown, err := parsePriorities(p.Text)
		of := table{p.Name, map[place]float64{}}
		for i := range list {
			s := &list[i]
			if !math.IsNaN(s.Age) {
				ages[s.ID] = s.Age
			}
			if at, isKnown := placeOf(s); isKnown && !math.IsNaN(s.Priority) {
				if x, isThere := of.of[at]; isThere && x != s.Priority && err == nil {
					err = fmt.Errorf("it lists job %s in partition %s twice, with priorities %.0f and %.0f, as of two moments", s.ID, s.Partition, x, s.Priority)
				}
				of.of[at] = s.Priority
			}
		}
		switch {
		case err != nil:
			remarks = append(remarks, diag.Damagef("%s: left out: %v", p.Name, err))
		case len(list) == 0: // the weights
		case math.IsNaN(list[0].Priority): // it has parts of 1 alone, of which the ages are of use
		case best == "" || completeness(list) > completeness(stored):
			best, stored, others = p.Name, list, unknown
			tables = append(tables, of)
		default:
			tables = append(tables, of)
		}
	}
	if best == "" {
		return nil, remarks
	}
	for _, of := range tables {
		isOther := func(s StoredPriority) bool {
			at, isKnown := placeOf(&s)
			x, isThere := of.of[at]
			return isKnown && isThere && x != s.Priority
		}
		how := file.Copy
		if slices.ContainsFunc(stored, isOther) {
			how = file.Different
		}
		if of.name != best || how == file.Different {
			remarks = append(remarks, file.NotRead([]string{of.name}, best, parts[KindPriorities], how, ""))
		}
	}
	for _, name := range others {
		remarks = append(remarks, diag.Warningf("%s: the column %s is not known: if it is a term of the priorities, those computed here lack it", best, name))
	}
	for i := range stored {
		if age, ok := ages[stored[i].ID]; ok && math.IsNaN(stored[i].Age) {
			stored[i].Age = age
		}
	}
	remarks = append(remarks, findPartitions(stored, jobs)...)
	if from := d.jobsFrom(); from != "" {
		told := storedFacts(stored)
		remarks = append(remarks, factsDiffer(jobFacts, "", from, jobs, best, told)...)
		remarks = append(remarks, factsDiffer([]jobFact{priorityFact}, "", best, told, from, jobs)...)
	}
	cut := 0
	for _, p := range stored {
		if p.IsTRESCut {
			cut++
		}
	}
	if cut > 0 {
		remarks = append(remarks, diag.Generalf("%s: the column TRES was too narrow for %s: what it cut off is not compared (sprio -o '%%i|%%r|%%Y|…' is not cut)", best, report.Count(cut, "job")))
	}
	return stored, remarks
}

// findPartitions finds the partitions whose names the width of sprio's table has cut off.
func findPartitions(stored []StoredPriority, listed []slurm.Job) (remarks []diag.Remark) {
	jobs := map[string]*slurm.Job{}
	for i := range listed {
		jobs[listed[i].ID] = &listed[i]
	}
	lost := 0
	for i := range stored {
		p := &stored[i]
		j := jobs[p.ID]
		if !p.isNarrow || j == nil || slices.Contains(j.Partitions, p.Partition) {
			continue
		}
		var like []string
		for _, name := range j.Partitions {
			if strings.HasPrefix(name, p.Partition) {
				like = append(like, name)
			}
		}
		isCut := func(name string) bool { return strings.HasPrefix(p.Partition, name) } // in the list
		switch {
		case len(like) == 1:
			p.Partition = like[0]
		case !slices.ContainsFunc(j.Partitions, isCut):
			lost++
		}
	}
	if lost > 0 {
		remarks = append(remarks, diag.Damagef("the partitions of %s of sprio are cut off or not those of the jobs: sprio -o '%%i|%%r|%%Y|…' does not cut them", report.Count(lost, "row")))
	}
	return remarks
}

// compare says which jobs squeue has and scontrol show job has not, and which that wait are only there:
// one that runs may have ended in between. jobs is the name of the latter's list.
func (q *queue) compare(listed []slurm.ListedJob, jobs string) (remarks []diag.Remark) {
	lackInJobs, lackInQueue := lackingIn(listed), lackingIn(q.jobs)
	var less, more []string
	for i := range q.jobs {
		j := &q.jobs[i]
		if isNow := j.State == "PENDING" || j.State == "RUNNING"; isNow {
			less = append(less, lackInJobs(j)...)
		}
	}
	for i := range listed {
		if j := &listed[i]; j.State == "PENDING" {
			more = append(more, lackInQueue(j)...)
		}
	}
	for _, x := range []struct {
		ids       []string
		has, lack string
	}{{less, q.name, jobs}, {more, jobs, q.name}} {
		if len(x.ids) > 0 {
			remarks = append(remarks, diag.Warningf("%s lacks %s of %s, since it is cut off, was printed at another time, or hides jobs: %s", x.lack, report.Count(len(x.ids), "job"), x.has, report.First(x.ids)))
		}
	}
	return remarks
}

// isStepped reports whether a task is the last one of a span of steps among the indices of its array, such as 30 of 0-30:5, which squeue -r
// of Slurm 24.11 does not print.
func isStepped(indices, task string) bool {
	_, index, _ := strings.Cut(task, "_")
	return strings.Contains(indices, "-"+index+":")
}

// lackingIn returns what names a job that does not stand in a list, where tasks of an array that wait are one record or, as squeue -r
// has them, one each: of an array of which some do, the others.
func lackingIn(list []slurm.ListedJob) func(*slurm.ListedJob) []string {
	has, arrays := map[string]bool{}, map[string][]trace.Indices{}
	for i := range list {
		j := &list[i]
		has[j.ID], has[cmp.Or(j.Task, j.ID)] = true, true
		if indices, ok := trace.ParseIndices(j.Indices); ok && j.Array != "" {
			arrays[j.Array] = append(arrays[j.Array], indices)
		}
	}
	return func(j *slurm.ListedJob) (lack []string) {
		if has[j.ID] || has[cmp.Or(j.Task, j.ID)] {
			return nil
		}
		if array, text, isTask := strings.Cut(cmp.Or(j.Task, j.ID), "_"); isTask {
			index, err := strconv.Atoi(text)
			if err == nil && slices.ContainsFunc(arrays[array], func(tasks trace.Indices) bool { return tasks.Has(index) }) {
				return nil
			}
			return []string{j.ID}
		}
		tasks, ok := trace.ParseIndices(j.Indices)
		if !ok || j.Array == "" {
			return []string{j.ID}
		}
		isThere := false
		for index := range tasks.All() {
			if task := j.Array + "_" + strconv.Itoa(index); has[task] {
				isThere = true
			} else {
				lack = append(lack, task)
			}
		}
		switch {
		case !isThere:
			return []string{j.ID}
		case len(lack) == 1 && isStepped(j.Indices, lack[0]):
			return nil
		}
		return lack
	}
}
