package main

import (
	"cmp"
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/associations"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/fstree"
)

type priorityCmd struct {
	SlurmConf string `placeholder:"FILE" required:"" help:"slurm.conf: weights, flags, nodes and partitions."`
	Jobs      string `placeholder:"FILE" help:"scontrol show job (else standard input)."`
	Shares    string `placeholder:"FILE" help:"sshare -a -l -P; fairshare is computed from its shares and usage."`
	QOS       string `name:"qos" placeholder:"FILE" help:"sacctmgr -P show qos format=name,priority."`
	At        *int64 `placeholder:"TIME" help:"The time to compute age for, in seconds since 1970; else now."`
	Output    string `short:"o" enum:"table,json,csv" default:"table" placeholder:"FORM" help:"What to print (${enum})."`
	AsFormula bool   `help:"Print the policy as a job_sort_formula for PBS, and name what has no counterpart."`
}

func (c *priorityCmd) Run(s *session) error {
	text, err := readLimited(c.SlurmConf, maxSiteFile)
	if err != nil {
		return err
	}
	conf, problems, err := slurm.ParseConf(text)
	for _, problem := range problems {
		s.diag.Warning("%s: %s", c.SlurmConf, problem)
	}
	if err != nil {
		return fail(exitUnreadable, "%s: %w", c.SlurmConf, err)
	}
	if c.AsFormula {
		s.printAsFormula(conf)
		return nil
	}
	cluster := &slurm.Cluster{Conf: conf, Now: time.Now()}
	if c.At != nil {
		cluster.Now = time.Unix(*c.At, 0)
	}
	if cluster.QOS, err = c.qos(s, conf); err != nil {
		return err
	}
	if cluster.Fairshare, err = c.fairshare(s, conf); err != nil {
		return err
	}
	jobs, err := c.jobs(s)
	if err != nil {
		return err
	}
	cluster.Prepare()
	rows := s.priorities(cluster, jobs)
	if c.QOS != "" && c.Shares != "" && !s.partly {
		s.noteUnexplained(cluster, rows)
	}
	switch c.Output {
	case "json":
		err = printArray(s, rows, func(f slurm.Factors) any { return newPriorityLine(f) })
	default:
		s.printPriorities(rows, c.Output == "csv")
	}
	if err == nil && s.partly {
		err = failure{code: exitPartly}
	}
	return err
}

func (c *priorityCmd) jobs(s *session) ([]slurm.Job, error) {
	const most = 2 << 30
	name, in := "standard input", s.in
	if c.Jobs != "" && c.Jobs != "-" {
		f, err := os.Open(c.Jobs)
		if err != nil {
			return nil, failure{exitUnreadable, err}
		}
		defer f.Close()
		name, in = c.Jobs, f
	}
	text, err := readAll(in, name, most)
	if err != nil {
		return nil, err
	}
	jobs, problems, err := slurm.ParseJobs(text, time.Local)
	if err != nil {
		return nil, fail(exitUnreadable, "%s: %w", name, err)
	}
	for i, problem := range problems {
		s.partly = true
		if i == 10 {
			s.diag.Warning("%s: %d more like this", name, len(problems)-i)
			break
		}
		s.diag.Warning("%s: %v, left out", name, problem)
	}
	if len(jobs) == 0 {
		s.diag.Warning("%s has no job", name)
	}
	return jobs, nil
}

func (c *priorityCmd) qos(s *session, conf *slurm.Conf) (map[string]float64, error) {
	if c.QOS == "" {
		if conf.Weights.QOS > 0 {
			s.diag.Warning("without --qos FILE the QOS factor is 0")
		}
		return nil, nil
	}
	text, err := readLimited(c.QOS, maxSiteFile)
	if err != nil {
		return nil, err
	}
	qos, err := slurm.ParseQOS(text)
	if err != nil {
		return nil, fail(exitUnreadable, "%s: %w", c.QOS, err)
	}
	return qos, nil
}

// fairshare computes the fairshare factors with the algorithm that the
// configuration selects.
func (c *priorityCmd) fairshare(s *session, conf *slurm.Conf) (func(account, user string) float64, error) {
	if c.Shares == "" {
		if conf.Weights.Fairshare > 0 {
			s.diag.Warning("without --shares FILE the fairshare factor is 0")
		}
		return func(string, string) float64 { return 0 }, nil
	}
	text, err := readLimited(c.Shares, maxTree)
	if err != nil {
		return nil, err
	}
	tree, _, err := associations.Parse(text, associations.Auto)
	if err != nil {
		return nil, fail(exitUnreadable, "%s: %w", c.Shares, err)
	}
	algorithm := fstree.FairTreeSlurm
	switch {
	case conf.DepthOblivious:
		algorithm = fstree.DepthOblivious
	case conf.NoFairTree:
		algorithm = fstree.Classic
	}
	standing := algorithm(tree, fstree.Options{DampFactor: conf.DampFactor})
	places := map[[2]string]int{}
	for i := range tree.Len() {
		if x := tree.At(i); x.User {
			places[[2]string{tree.At(int(x.Parent)).Name, x.Name}] = i
		}
	}
	return func(account, user string) float64 {
		i, ok := places[[2]string{account, user}]
		if !ok {
			s.partly = true
			s.diag.Warning("%s has no association of %s/%s, its fairshare factor is 0", c.Shares, account, user)
			return 0
		}
		if tree.At(i).FromParent && (conf.DepthOblivious || conf.NoFairTree) {
			i = tree.Competes(i) // as Slurm's _get_fairshare_priority, also where that is the root
		}
		return standing.Fairshare[i]
	}, nil
}

// priorities computes a row for each job and partition, the highest first.
func (s *session) priorities(c *slurm.Cluster, jobs []slurm.Job) []slurm.Factors {
	var rows []slurm.Factors
	left := map[string]int{}
	unknown := map[string]int{}
	for i := range jobs {
		j := &jobs[i]
		if why := c.LeavesOut(j); why != "" {
			left[why]++
			continue
		}
		if _, ok := c.QOS[j.QOS]; !ok && c.QOS != nil && c.Weights.QOS > 0 {
			unknown["the priority of QOS "+j.QOS]++
		}
		for _, partition := range j.Partitions {
			if c.Partitions[partition] == nil {
				unknown["partition "+partition]++
			}
			rows = append(rows, c.Factors(j, partition))
		}
	}
	for _, why := range sortedKeys(left) {
		s.diag.Note("%s %s, which sprio leaves out", count(left[why], "job"), why)
	}
	if len(rows) == 0 && left[slurm.NotEligible] > 0 {
		s.diag.Hint("--at gives the time, and TZ the zone of the times in the list")
	}
	if c.Weights.Assoc > 0 {
		s.diag.Note("the associations' own priorities are in none of the files: that factor is 0 here")
	}
	for _, what := range sortedKeys(unknown) {
		s.diag.Warning("%s is unknown, its factor is 0 (%s)", what, count(unknown[what], "row"))
		s.partly = true
	}
	slices.SortStableFunc(rows, func(a, b slurm.Factors) int { return cmp.Compare(b.Priority, a.Priority) })
	return rows
}

// noteUnexplained tells of priorities that these factors cannot be all of.
func (s *session) noteUnexplained(c *slurm.Cluster, rows []slurm.Factors) {
	for _, f := range unexplained(c, rows) {
		s.diag.Note("job %s: Slurm has priority %s, %s is computed: set by an administrator, or a site factor is in it", f.Job.ID, whole(f.Job.Priority), whole(f.Priority))
	}
}

// unexplained are jobs whose priority in Slurm differs by more than age may
// have grown and the unknown association can add, in every partition. Only
// some are told.
func unexplained(c *slurm.Cluster, rows []slurm.Factors) []slurm.Factors {
	const most = 10
	explained := map[*slurm.Job]bool{}
	for _, f := range rows {
		gap := f.Job.Priority - f.Priority
		slack := 1 + 0.01*c.Weights.Age
		explained[f.Job] = explained[f.Job] || gap >= -slack && (gap <= slack+c.Weights.Assoc || c.NoNormal["ASSOC"])
	}
	var odd []slurm.Factors
	for _, f := range rows {
		if !explained[f.Job] && len(odd) < most {
			explained[f.Job] = true // once
			odd = append(odd, f)
		}
	}
	return odd
}

// priorityLine is a job in a partition, in JSON: weighted factors, and the
// factors themselves beside them.
type priorityLine struct {
	Job             string        `json:"job"`
	Partition       string        `json:"partition"`
	User            string        `json:"user"`
	Priority        report.Number `json:"priority"`
	Age             float64       `json:"age"`
	Assoc           float64       `json:"assoc"`
	Fairshare       float64       `json:"fairshare"`
	JobSize         float64       `json:"jobsize"`
	PartitionFactor float64       `json:"partition_factor"`
	QOS             float64       `json:"qos"`
	Nice            float64       `json:"nice"`
	TRES            tresJSON      `json:"tres"`
	NormAge         float64       `json:"norm_age"`
	NormAssoc       float64       `json:"norm_assoc"`
	NormFairshare   float64       `json:"norm_fairshare"`
	NormJobSize     float64       `json:"norm_jobsize"`
	NormPartition   float64       `json:"norm_partition_factor"`
	NormQOS         float64       `json:"norm_qos"`
	NormTRES        tresJSON      `json:"norm_tres"`
	AssocKnown      bool          `json:"assoc_known"`
	SlurmPriority   report.Number `json:"slurm_priority"` // what scontrol showed
}

type tresJSON map[string]float64

func newTRES(list []slurm.Amount) tresJSON {
	m := tresJSON{}
	for _, a := range list {
		m[a.Name] = a.Count
	}
	return m
}

func newPriorityLine(f slurm.Factors) priorityLine {
	w, n := f.Weighted, f.Norm
	return priorityLine{
		f.Job.ID, f.Partition, f.Job.User, report.Number(f.Priority),
		w.Age, w.Assoc, w.Fairshare, w.JobSize, w.Partition, w.QOS, f.Job.Nice, newTRES(w.TRES),
		n.Age, n.Assoc, n.Fairshare, n.JobSize, n.Partition, n.QOS, newTRES(n.TRES),
		false, report.Number(f.Job.Priority),
	}
}

func (s *session) printPriorities(rows []slurm.Factors, asCSV bool) {
	header := []string{"JOB", "PARTITION", "USER", "PRIORITY", "AGE", "ASSOC", "FAIRSHARE", "JOBSIZE", "PART FACTOR", "QOS", "NICE", "TRES"}
	table := [][]string{header}
	for _, f := range rows {
		w := f.Weighted
		cells := []string{f.Job.ID, f.Partition, f.Job.User, whole(f.Priority), whole(w.Age), whole(w.Assoc), whole(w.Fairshare),
			whole(w.JobSize), whole(w.Partition), whole(w.QOS), whole(f.Job.Nice)}
		var tres []string
		for _, a := range w.TRES {
			tres = append(tres, a.Name+"="+whole(a.Count))
		}
		table = append(table, append(cells, strings.Join(tres, ",")))
	}
	if !asCSV {
		s.printCells(table, func(column int) bool { return column >= 3 && column <= 10 })
		return
	}
	table[0] = []string{"job", "partition", "user", "priority", "age", "assoc", "fairshare", "jobsize", "partition_factor", "qos", "nice", "tres"}
	csv.NewWriter(s.out).WriteAll(table)
}
