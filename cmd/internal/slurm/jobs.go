package slurm

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
)

// Job is a waiting job, as scontrol show job prints it.
type Job struct {
	ID, User, Account, QOS string
	Task                   string // such as 20_4 of an array's task, "" for others
	Array, Indices         string // the number of its array, and those of its tasks which the job stands for, such as 5-20
	Partitions             []string
	State, Reason          string  // the reason why it waits
	Reservation            string  // in which it is to run, "" for none
	Priority               float64 // as Slurm had computed or an administrator had set it
	Nice                   float64
	Site                   float64   // what a site's plugin or an administrator adds to its priority
	Submitted, Eligible    time.Time // zero when unknown
	Accrued                time.Time // since when age counts
	TimeLimit              float64   // minutes, NaN for the partition's
	Exclusive              bool
	TRES                   map[string]float64
	CountedCPUs            float64 // where Slurm's last try counted others than those requested, 0 for them
}

// QOSNames returns the QOS under which a job may start: Slurm takes several from version 24.11 on.
func (j *Job) QOSNames() []string { return strings.Split(j.QOS, ",") }

// QOSBy adds the same to an empty list by some priorities of QOS: those of a higher one first, under which slurmctld tries it first.
func (j *Job) QOSBy(list []string, priorities map[string]float64) []string {
	for name := range strings.SplitSeq(j.QOS, ",") {
		list = append(list, name)
	}
	if len(list) > 1 {
		slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(priorities[b], priorities[a]) })
	}
	return list
}

// HasSeveralQOS reports whether these are several.
func (j *Job) HasSeveralQOS() bool { return strings.Contains(j.QOS, ",") }

// maxPartitions bounds the partitions of a job.
const maxPartitions = 1000

// ParseJobs reads scontrol show job, also with -o and as JSON. Times have no zone in it:
// they are local. A job that cannot be read, or whose ID another job before has,
// is left out and stands among the problems; the error is for a text that is
// something else.
func ParseJobs(text string, local *time.Location) (jobs []Job, problems []*file.Problem, err error) {
	problems, err = eachJob(text, local, func(fields map[string]string) error {
		j, err := newJob(fields, local)
		if err == nil {
			jobs = append(jobs, j)
		}
		return err
	})
	return jobs, problems, err
}

// eachJob gives the fields of each job to a function, but not those of a job whose ID another one
// before has, and returns what was wrong with jobs. The times of JSON are those of a zone.
func eachJob(text string, zone *time.Location, add func(fields map[string]string) error) (problems []*file.Problem, err error) {
	if IsJSON(text) {
		return EachFields(text, zone, add)
	}
	var lines []string
	begin := 0
	seen := map[string]bool{}
	finish := func() {
		if len(lines) == 0 {
			return
		}
		fields, err := recordFields(lines)
		id := fields["JobId"]
		if err == nil && seen[id] { // a line break in a comment can begin a job
			err = fmt.Errorf("job %s occurs earlier, and only the first one counts", id)
		}
		if err == nil {
			err = add(fields)
		}
		if err != nil {
			problems = append(problems, &file.Problem{Line: begin, Message: err.Error()})
			return
		}
		seen[id] = true
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "JobId="):
			finish()
			lines, begin = lines[:0], number
			lines = append(lines, line)
		case line == "" || strings.HasPrefix(line, "No jobs"):
		case begin == 0:
			return nil, &file.Problem{Line: number, Message: "this is not output of scontrol show job, whose records begin with JobId="}
		case tailOfJob().MatchString(line): // of Slurm 20.11 to 21.08
		case !strings.Contains(line, "="):
			problems = append(problems, &file.Problem{Line: number, Message: "this belongs to no job: " + line})
		default:
			lines = append(lines, line)
		}
	}
	finish()
	return problems, nil
}

// tailOfJob is the line behind each job that has a colon in place of =.
var tailOfJob = pattern.Of(`^(NtasksPerTRES|TresBind|TresFreq):\S*$`)

// oneLine is how scontrol -o goes on behind the job's name.
var oneLine = pattern.Of(` UserId=\S+ GroupId=\S+ MCS_label=\S+ Priority=\d+ Nice=-?\d+ Account=\S+ QOS=`)

// recordFields are a record's KEY=VALUE words, each key's first only: what a
// user wrote, such as a comment, stands behind what Slurm says. But the job's
// name stands before it: in a record of several lines it ends the first, in
// one of a single line (scontrol -o) it ends where the fields go on; where a
// name or a comment looks like those, nobody can tell.
func recordFields(lines []string) (map[string]string, error) {
	before, name, named := strings.Cut(lines[0], " JobName=")
	words := strings.Fields(before)
	if named && len(lines) == 1 {
		switch at := oneLine().FindAllStringIndex(name, 2); len(at) {
		case 0:
		case 1:
			words = append(words, strings.Fields(name[at[0][0]:])...)
			name = name[:at[0][0]]
		default:
			return nil, errors.New("the job's name or comment looks like its fields: use scontrol show job without -o")
		}
	}
	for _, line := range lines[1:] {
		words = append(words, wordsOf(line)...)
	}
	fields := make(map[string]string, len(words))
	for _, word := range words {
		key, value, ok := strings.Cut(word, "=")
		if ok && IsPerNode(key) {
			fields[ofEachNode] = strings.TrimPrefix(fields[ofEachNode]+" "+word, " ")
			continue
		}
		_, known := fields[key]
		if key == "JobState" && known && len(lines) > 1 {
			return nil, fmt.Errorf("%s has JobState twice: the line lacks with which the next job begins", lines[0])
		}
		if ok && !known && isOfUse(key) {
			fields[key] = value
		}
	}
	if named {
		fields["JobName"] = name
	}
	return fields, nil
}

// wordsOf returns the words of a line of a record that has several: those behind the key of a text are the user's.
func wordsOf(line string) []string {
	words := strings.Fields(line)
	for i, word := range words {
		key, _, _ := strings.Cut(word, "=")
		if of := jobAttributes[key]; of != nil && of.Idle == ofTexts {
			return words[:i+1]
		}
	}
	return words
}

func newJob(fields map[string]string, local *time.Location) (Job, error) {
	user, _, _ := strings.Cut(fields["UserId"], "(")
	j := Job{
		ID: fields["JobId"], User: user, Account: fields["Account"], QOS: fields["QOS"], State: fields["JobState"],
		Reason: strings.ReplaceAll(fields["Reason"], "_", " "), Reservation: strings.Trim(fields["Reservation"], "()"),
		Exclusive: fields["OverSubscribe"] == "NO" || fields["OverSubscribe"] == "EXCLUSIVE",
	}
	if array := fields["ArrayJobId"]; array != "(null)" && array != "N/A" {
		j.Array, j.Indices = fields["ArrayJobId"], fields["ArrayTaskId"]
	}
	if _, err := strconv.ParseUint(fields["ArrayTaskId"], 10, 32); err == nil {
		j.Task = fields["ArrayJobId"] + "_" + fields["ArrayTaskId"]
	}
	for _, x := range [][2]string{{"JobId", j.ID}, {"UserId", j.User}, {"Partition", fields["Partition"]}} {
		if x[1] == "" {
			return j, lacksError(j.ID, x[0])
		}
	}
	if j.State != "" && StateNamed(j.State).Fate == 0 {
		return j, fmt.Errorf("JobState %q of job %s is none that Slurm has", j.State, j.ID)
	}
	for name := range strings.SplitSeq(fields["Partition"], ",") {
		if name != "" && !slices.Contains(j.Partitions, name) {
			if len(j.Partitions) == maxPartitions {
				return j, fmt.Errorf("job %s names more than %d partitions", j.ID, maxPartitions)
			}
			j.Partitions = append(j.Partitions, name)
		}
	}
	if j.Reservation == "null" {
		j.Reservation = ""
	}
	var err error
	const offset = 1 << 31 // NICE_OFFSET, by which Slurm keeps what may be negative
	for _, f := range []struct {
		key         string
		into        *float64
		least, most float64
	}{{"Priority", &j.Priority, 0, maxPriority}, {"Nice", &j.Nice, -offset, offset}, {"SiteFactor", &j.Site, -offset, offset}} {
		if text := fields[f.key]; text != "" {
			if *f.into, err = strconv.ParseFloat(text, 64); err != nil || !(*f.into >= f.least && *f.into <= f.most) {
				return j, fmt.Errorf("%s %q of job %s is not a number from %.0f to %.0f", f.key, text, j.ID, f.least, f.most)
			}
		}
	}
	for _, f := range []struct {
		key  string
		into *time.Time
	}{{"SubmitTime", &j.Submitted}, {"EligibleTime", &j.Eligible}, {"AccrueTime", &j.Accrued}} {
		if text := fields[f.key]; text != "" && text != "Unknown" && text != "None" {
			if *f.into, err = time.ParseInLocation("2006-01-02T15:04:05", text, local); err != nil {
				return j, fmt.Errorf("%s %q of job %s is not a time", f.key, text, j.ID)
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
	amounts, err := ParseAmounts(tres)
	if err != nil {
		return j, fmt.Errorf("TRES of job %s: %w", j.ID, err)
	}
	if name, _ := missing(fields); name != "" {
		return j, lacksError(j.ID, name)
	}
	if len(amounts) == 0 {
		return j, fmt.Errorf("job %s has no TRES, which say its size", j.ID)
	}
	j.TRES = AmountsByName(amounts)
	return j, nil
}

func lacksError(id, field string) error {
	return fmt.Errorf("job %s has no %s, which Slurm prints of every job", id, field)
}

// ParseQOS reads the table of sacctmgr -P show qos format=name,priority. A priority that is no number counts as 0, unless all
// have to be some.
func ParseQOS(text string, mustBeNumbers bool) (map[string]float64, error) {
	qos := map[string]float64{}
	number, nameAt, priorityAt, width := 0, -1, -1, 0
	for line := range strings.Lines(text) {
		number++
		cells := strings.Split(strings.TrimSpace(line), "|")
		if nameAt < 0 {
			width = len(cells)
			for i, cell := range cells {
				switch strings.ToLower(cell) {
				case "name":
					nameAt = i
				case "priority":
					priorityAt = i
				}
			}
			if nameAt < 0 || priorityAt < 0 {
				return nil, &file.Problem{Line: number, Message: "the table begins with Name|Priority"}
			}
			continue
		}
		if len(cells) == 1 && cells[0] == "" {
			continue
		}
		if len(cells) < width {
			return nil, &file.Problem{Line: number, Message: "a line has fewer columns than the header"}
		}
		x, err := count(cells[priorityAt])
		if err != nil && mustBeNumbers {
			return nil, &file.Problem{Line: number, Message: fmt.Sprintf("priority of %s: %v", cells[nameAt], err)}
		}
		qos[cells[nameAt]] = x
	}
	return qos, nil
}
