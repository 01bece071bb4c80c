package slurmsite

import (
	"context"
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/fstree"
)

// Site is a Slurm site at one moment.
type Site struct {
	Name    string
	Remarks []diag.Remark

	Conf   *slurm.Conf
	Jobs   []slurm.Job
	Stored []Stored             // what sprio lists, nil where there is none
	Tree   *fstree.Associations // nil where it is not known
	QOS    map[string]float64   // priorities by name, nil where they are not known
	Taken  time.Time            // when the site was asked

	printed map[[2]string]float64 // FairShare by account and user, as sshare or sprio prints it
	factors map[string]float64    // QOS factors as sprio prints them, where QOS are not known
	swept   time.Time

	limits *limits // nil where they are not known or not enforced
}

// MissingError is what a site lacks and cannot do without.
type MissingError struct{ Name, What string }

func (e *MissingError) Error() string { return e.Name + " lacks " + e.What }

// Describe says where the site comes from, and of when it is.
func (s *Site) Describe() string {
	if s.Taken.IsZero() {
		return s.Name
	}
	return s.Name + ", of " + s.Taken.Format(timeLayout)
}

func (s *Site) say(r diag.Remark) { s.Remarks = append(s.Remarks, r) }

// Open returns the site that a folder or an archive holds.
func Open(name string) (*Site, error) {
	o, err := OpenOrigin(name)
	if err != nil {
		return &Site{Name: name, Remarks: o.Remarks}, err
	}
	return o.Site(context.Background())
}

// read returns the site that a folder holds.
func read(name string, f *folder, remarks []diag.Remark) (*Site, error) {
	s := &Site{Name: name, Remarks: remarks}
	s.sayDenied(f)
	s.sayCut(f)
	if err := s.readConf(f); err != nil {
		return s, err
	}
	s.Taken = s.taken(f)
	listed, isListed := s.readJobs(f)
	isPrinted := s.readStored(f)
	switch {
	case len(s.Jobs) == 0 && s.Stored == nil:
		return s, &MissingError{name, "the jobs: scontrol show job, and sprio -l"}
	case !isListed:
		s.say(diag.Warningf("%s has no scontrol show job: only what sprio prints is known of the jobs", s.Name))
	case !isPrinted:
		s.say(diag.Warningf("%s has no sprio -l: priorities are those that scontrol shows, and which jobs Slurm considers is computed", s.Name))
	}
	if s.Stored == nil && slices.ContainsFunc(s.Jobs, func(j slurm.Job) bool { return math.IsNaN(j.Priority) }) {
		return s, &MissingError{name, "the priorities: sprio -l, scontrol show job, or squeue -o with %Q"}
	}
	s.sayTree(s.readTree(f))
	s.readQOS(f)
	s.readFactors()
	s.findSweep()
	s.readLimits(f, listed)
	s.countThreads()
	s.sayPartitions()
	s.sayApart(f)
	s.sayTables(f)
	s.sayUnknown()
	return s, nil
}

// sayDenied says what Slurm refused to print.
func (s *Site) sayDenied(f *folder) {
	for _, p := range f.all(isDenied) {
		s.say(diag.Warningf("%s: Slurm refused this (PrivateData), so that what it would say is not known", p.Name))
	}
}

// Conf returns the configuration that a slurm.conf or a site has, with warnings about it, and how
// many associations of users there are, 0 where that is not known.
func (o *Origin) Conf() (conf *slurm.Conf, associations int, remarks []diag.Remark, err error) {
	s, f := &Site{Name: o.Name, Remarks: o.Remarks}, o.folder
	if err := s.readConf(f); err != nil {
		return nil, 0, s.Remarks, err
	}
	_ = s.readTree(f) // what it lacks is of factors, and not of the configuration
	warnings := slices.DeleteFunc(s.Remarks, func(r diag.Remark) bool { return r.Kind != diag.Warning })
	return s.Conf, s.associations(f), warnings, nil
}

// associations returns how many associations of users there are, as the tree, sacctmgr show assoc or
// sacctmgr dump tells, 0 where nothing does.
func (s *Site) associations(f *folder) (n int) {
	if s.Tree != nil {
		return s.Tree.Users()
	}
	for _, p := range f.all(isAssociations) {
		of := 0
		at := -1
		for line := range strings.Lines(p.text) {
			cells := strings.Split(strings.TrimSpace(line), "|")
			switch {
			case at < 0:
				at = slices.Index(columnsOf(line), "user")
			case at < len(cells) && cells[at] != "":
				of++
			}
		}
		n = max(n, of)
	}
	for _, p := range f.all(isDump) {
		n = max(n, strings.Count(p.text, "\nUser - '"))
	}
	return n
}

// readJobs reads the list of jobs: that with the most of them, with what it says beside what orders them. It reports
// whether there is one.
func (s *Site) readJobs(f *folder) (listed []slurm.Now, isListed bool) {
	var best string
	var wrong []diag.Remark
	for _, p := range f.all(isJobs) {
		jobs, problems, err := slurm.ParseListed(p.text, time.UTC)
		if err != nil {
			s.say(diag.Damagef("%s: %v", p.Name, err))
			continue
		}
		if best != "" && len(jobs) <= len(listed) {
			continue
		}
		best, listed, wrong = p.Name, jobs, leftOut(p.Name, problems)
	}
	s.Remarks = append(s.Remarks, wrong...)
	s.Jobs = make([]slurm.Job, 0, len(listed))
	for i := range listed {
		s.Jobs = append(s.Jobs, listed[i].Job)
	}
	q := s.readQueue(f)
	switch {
	case best == "" && q != nil:
		s.takeQueue(q)
		for _, j := range s.Jobs {
			listed = append(listed, slurm.Now{Job: j})
		}
	case q != nil:
		s.sayQueue(q, best)
	}
	return listed, best != "" || q != nil
}

// leftOut says which jobs of a list are left out.
func leftOut(name string, problems []*file.Problem) (remarks []diag.Remark) {
	for _, problem := range problems[:min(len(problems), mostTold)] {
		remarks = append(remarks, diag.Damagef("%s: left out: %v", name, problem))
	}
	if more := len(problems) - mostTold; more > 0 {
		remarks = append(remarks, diag.Damagef("%s: left out: %d more that cannot be read", name, more))
	}
	return remarks
}

// mostTold is how many problems of a kind are told one by one.
const mostTold = 10

// readStored reads what sprio lists, from the table that says most. It reports whether there is one.
func (s *Site) readStored(f *folder) bool {
	var best string
	var others []string // columns of the best one that are not known
	for _, p := range f.all(isPriorities) {
		list, unknown, err := parsePriorities(p.text)
		switch {
		case err != nil && strings.Contains(err.Error(), "sprio -n"): // of no use here
		case err != nil:
			s.say(diag.Damagef("%s: left out: %v", p.Name, err))
		case len(list) == 0: // the weights
		case best == "" || completeness(list) > completeness(s.Stored):
			best, s.Stored, others = p.Name, list, unknown
		}
	}
	if best == "" {
		return false
	}
	for _, name := range others {
		s.say(diag.Warningf("%s: the column %s is not known: if it is a term of the priorities, those computed here lack it", best, name))
	}
	s.findPartitions()
	cut := 0
	for _, stored := range s.Stored {
		if stored.IsTRESCut {
			cut++
		}
	}
	if cut > 0 {
		s.say(diag.Notef("%s: the column TRES was too narrow for %s: what it cut off is not compared (sprio -o '%%i|%%r|%%Y|…' is not cut)", best, report.Count(cut, "job")))
	}
	return true
}

// findPartitions finds the partitions whose names the width of sprio's table has cut off.
func (s *Site) findPartitions() {
	jobs := map[string]*slurm.Job{}
	for i := range s.Jobs {
		jobs[s.Jobs[i].ID] = &s.Jobs[i]
	}
	lost := 0
	for i := range s.Stored {
		p := &s.Stored[i]
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
		if len(like) == 1 {
			p.Partition = like[0]
		} else {
			lost++
		}
	}
	if lost > 0 {
		s.say(diag.Damagef("the partitions of %s of sprio are cut off or not those of the jobs: sprio -o '%%i|%%r|%%Y|…' does not cut them", report.Count(lost, "row")))
	}
}

// readQOS reads the priorities of the QOS.
func (s *Site) readQOS(f *folder) {
	if p := f.table(isQOS); p.text != "" {
		qos, err := slurm.ParseQOS(p.text)
		if err == nil {
			s.QOS = qos
			return
		}
		s.say(diag.Damagef("%s: %v", p.Name, err))
	}
	switch {
	case s.Conf.Weights.QOS == 0:
	case s.Stored != nil:
		s.say(diag.Warningf("%s has no sacctmgr -P show qos: the QOS factors are those that sprio prints", s.Name))
	default:
		s.say(diag.Warningf("%s has no sacctmgr -P show qos and no sprio -l: the QOS factors are not known and count as 0 in the priorities that are computed", s.Name))
	}
}

// readFactors takes factors from the terms that sprio prints, where nothing else tells them. Those
// are whole numbers, so that a priority may differ by one or two.
func (s *Site) readFactors() {
	if s.Tree != nil && s.QOS != nil {
		return
	}
	terms := map[string]map[string]float64{}
	for _, p := range s.Stored {
		terms[p.ID] = p.Terms
	}
	s.factors = map[string]float64{"": 1} // the largest one
	for _, j := range s.Jobs {
		if x, ok := terms[j.ID]["fairshare"]; ok && s.Tree == nil && s.Conf.Weights.Fairshare > 0 {
			if _, isPrinted := s.printed[[2]string{j.Account, j.User}]; !isPrinted {
				s.printed[[2]string{j.Account, j.User}] = x / s.Conf.Weights.Fairshare
			}
		}
		if x, ok := terms[j.ID]["qos"]; ok && s.QOS == nil && s.Conf.Weights.QOS > 0 {
			s.factors[j.QOS] = x / s.Conf.Weights.QOS
		}
	}
}

// asOf is what says when scontrol show config was asked.
var asOf = regexp.MustCompile(`^Configuration data as of (\S+)`)

// taken returns when the site was asked: as scontrol show config says, or else the last time that
// the jobs tell of.
func (s *Site) taken(f *folder) time.Time {
	for _, p := range f.all(isConfig) {
		if m := asOf.FindStringSubmatch(p.text); m != nil {
			if t, err := time.Parse(timeLayout, m[1]); err == nil {
				return t
			}
		}
	}
	var last time.Time
	for _, p := range f.all(isJobs) {
		for _, m := range lastTime.FindAllStringSubmatch(p.text, -1) {
			if t, err := time.Parse(timeLayout, m[1]); err == nil && t.After(last) {
				last = t
			}
		}
	}
	return last
}

const timeLayout = "2006-01-02T15:04:05"

// lastTime is when the scheduler looked at a job last.
var lastTime = regexp.MustCompile(`(?:LastSchedEval|SubmitTime)=(\S+)`)

// IsMissing reports whether an error says that there is nothing of a Slurm site.
func IsMissing(err error) bool {
	var none *NotSiteError
	return errors.As(err, &none)
}

// number returns a number that a text holds, or what stands for one that is missing.
func number(text string, missing float64) float64 {
	if x, err := strconv.ParseFloat(text, 64); err == nil && x >= 0 {
		return x
	}
	return missing
}
