package record

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/slurm/sacct"
	"fairshare/cmd/internal/slurm/sched"
)

// submission is a line that submitted jobs, as it is read.
type submission struct {
	words    []string // nil where nothing tells them
	options  []sched.Option
	requests map[int64]*sched.Request // by the memory of a CPU where the line does not say it
}

// submission reads a line that submitted a job. Those of many jobs are the same.
func (r *reader) submission(line []byte) *submission {
	const most = 1 << 12 // lines that are kept
	if s, isKnown := r.lines[string(line)]; isKnown {
		return s
	}
	if len(r.lines) == most {
		clear(r.lines)
	}
	text := string(line)
	words := submitted(text)
	s := &submission{words: words, options: sched.ReadOptions(words), requests: map[int64]*sched.Request{}}
	r.lines[text] = s
	return s
}

// request returns what a job asks of the nodes that was submitted so.
func (s *submission) request(kinds []string, cpuMemory int64) *sched.Request {
	if s.requests[cpuMemory] == nil {
		s.requests[cpuMemory] = sched.ParseRequest(s.words, kinds, cpuMemory)
	}
	q := *s.requests[cpuMemory]
	return &q
}

// submitted returns the options of the sbatch that submitted a job, nil where nothing tells them.
func submitted(line string) []string {
	words := strings.Fields(line)
	if len(words) == 0 || !strings.HasSuffix(words[0], "sbatch") {
		return nil
	}
	return sched.SubmitOptions(words[1:])
}

// throttle returns the number of the array of a task, and how many of its tasks may run at a time: as the ID of the
// tasks that have not started says (20_[5-20%5]), or the submission. Zeros for a job that is no task, and for any number.
func throttle(id string, options []sched.Option) (array, together int32) {
	number, _, isTask := strings.Cut(id, "_")
	if !isTask {
		return 0, 0
	}
	_, most, isLimited := strings.Cut(strings.TrimSuffix(id, "]"), "%")
	if !isLimited {
		_, most, _ = strings.Cut(optionOf(options, "a", "array"), "%")
	}
	k, err := strconv.ParseInt(number, 10, 32)
	if err != nil || k <= 0 {
		return 0, 0
	}
	n, err := strconv.ParseInt(most, 10, 32)
	if err != nil || n < 0 {
		n = 0
	}
	return int32(k), int32(n)
}

// partitions finds where a job may run, and returns the first partition that it named, under which its
// association is. Of a job that has started, sacct has the partition alone in which it ran: the others are
// those of its submission, unless it was moved to one that this does not name.
func (r *reader) partitions(x *Job, options []sched.Option) (first string) {
	j, list := x.Job, x.Partition
	if !strings.Contains(list, ",") {
		for _, o := range options {
			if (o.Name == "p" || o.Name == "partition") && slices.Contains(strings.Split(o.Value, ","), x.Partition) {
				list = o.Value
			}
		}
	}
	names := strings.Split(list, ",")
	j.Partition = r.maker.Partition(x.Partition)
	if len(names) == 1 || j.Partition < 0 && list != x.Partition { // it ran in one that the site does not have
		return names[0]
	}
	isWhole := r.maker.Places(j, names)
	if len(j.Partitions) == 0 {
		return names[0]
	}
	if list == x.Partition {
		x.Partition = r.setup.Partitions[j.Partition].Name
	}
	if !isWhole {
		x.Notes = append(x.Notes, "named partitions that the site does not have beside others, and are replayed in those")
	}
	if len(j.Partitions) == 1 {
		j.Partitions = nil
	}
	return names[0]
}

// anyQOS returns the list of QOS that a job asked for, if it is one of several: of a job that has started, sacct has the QOS
// alone under which it ran, and of one that waits the first. It is "" where the job is of another one than these now.
func (x *Job) anyQOS(asked string) string {
	if names := strings.Split(asked, ","); len(names) > 1 && slices.Contains(names, x.QOS) {
		return asked
	}
	return ""
}

// licences finds the licences that a job asked for: those that ReqTRES counts, or where the site does not
// count them there, those of the column Licenses or of its submission.
func (r *reader) licences(x *Job, row *sacct.Row, options []sched.Option) {
	var list []sched.Licence
	for name, n := range x.TRES {
		if licence, ok := strings.CutPrefix(name, "license/"); ok {
			list = append(list, sched.Licence{Name: licence, Total: int64(min(n, math.MaxInt32))})
		}
	}
	text := strings.TrimPrefix(string(row.Text(sacct.Licenses)), "(null)")
	for _, o := range options {
		if text == "" && (o.Name == "L" || o.Name == "licenses") {
			text = o.Value
		}
	}
	if list == nil {
		var ok bool
		if list, ok = sched.ParseLicences(text); !ok {
			x.Notes = append(x.Notes, "asked for licences in a way that is not modelled, and are replayed without them")
		}
	}
	var others []string
	if x.Licences, others = r.setup.Licensed(list); len(others) > 0 {
		x.Notes = append(x.Notes, "asked for licences that the site does not have, and are replayed without them")
	}
}
