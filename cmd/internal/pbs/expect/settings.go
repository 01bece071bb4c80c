package expect

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/snapshot"
)

// set follows a setting.
func (c *checker) set(line Line, rest []Line) error {
	path := line.rest
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.dir, path)
	}
	if line.word != "job" { // all jobs of a test are read together
		c.site, c.order, c.plain = nil, nil, nil
	}
	var err error
	switch line.word {
	case "test":
		c.title = line.rest
		c.lines, c.jobs = nil, nil
	case "formula":
		c.formula, c.formulaLine = line.rest, line.Number
	case "formula-file":
		c.formulaLine = line.Number
		c.formula, err = pbs.ReadFormula(file.At(path))
	case "sched-priv":
		c.files.SchedPriv = file.DirAt(path)
	case "jobs":
		c.listFile = file.At(path)
	case "snapshot":
		err = c.openSnapshot(path)
	case "queues":
		c.files.Queues = []file.Source{file.At(path)}
	case "resources":
		c.files.Resources = file.At(path)
	case "sched":
		c.files.Override = []file.Source{file.At(path)}
	case "static":
		c.static = true
	case "non-prime":
		c.nonPrime = true
	case "threshold":
		var threshold float64
		if threshold, err = strconv.ParseFloat(line.rest, 64); err != nil || math.IsNaN(threshold) {
			err = fmt.Errorf("%q is not a number", line.rest)
		}
		c.threshold = &threshold
	case "job":
		if c.lines == nil {
			err = c.readJobs(append([]Line{line}, rest...))
		}
	}
	return err
}

// openSnapshot takes all that a snapshot has for the site and the jobs.
func (c *checker) openSnapshot(path string) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	snap, err := snapshot.Open(path)
	if err != nil {
		return err
	}
	if snap.IsFile() {
		return fmt.Errorf("%s is no snapshot: a list of jobs is named with jobs FILE", path)
	}
	c.report.Remarks = append(c.report.Remarks, snap.Remarks...)
	c.files, c.listFile = snap.Files(), file.Source{}
	if lists := snap.Jobs(); len(lists) > 0 {
		c.listFile = lists[0]
	}
	return nil
}

// readJobs reads the job lines of a test, up to the next one.
func (c *checker) readJobs(lines []Line) error {
	if err := c.readSite(); err != nil {
		return err
	}
	c.jobs = map[string]bool{}
	for _, line := range lines {
		if line.word == "test" {
			break
		}
		if line.word != "job" {
			continue
		}
		words := strings.Fields(line.rest)
		if c.jobs[words[0]] {
			return &file.Problem{Line: line.Number, Message: "a second job " + words[0]}
		}
		c.jobs[words[0]] = true
		text, err := jobLine(words, c.symbols)
		if err != nil {
			return &file.Problem{Line: line.Number, Message: err.Error()}
		}
		c.lines = append(c.lines, append(text, '\n'))
	}
	return nil
}

// readSite reads the site that the settings describe.
func (c *checker) readSite() error {
	if c.site != nil {
		return nil
	}
	site, remarks, err := c.files.Read()
	if err != nil {
		return err
	}
	c.report.Remarks = append(c.report.Remarks, remarks...)
	site.NonPrime = c.nonPrime
	if c.threshold != nil {
		site.Sched.Threshold = *c.threshold
	}
	if _, _, err := site.SetFormula(c.formula); err != nil {
		return err
	}
	if site, err = site.WithReplayed(nil); err != nil {
		return err
	}
	c.site, c.symbols = site, order.Symbols(site.Resources)
	return nil
}
