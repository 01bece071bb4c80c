package slurm

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
)

// Files are the names of the files that priorities are computed from, "" for one that is not given.
type Files struct {
	Conf   string // slurm.conf
	QOS    string // as sacctmgr -P show qos prints them
	Shares string // as sshare -a -l -P prints them
}

// ErrBasic says that there are no terms to compute.
var ErrBasic = errors.New("PriorityType is priority/basic, under which priorities have no terms: formula sort shows those that Slurm gave its jobs, and their order")

// mostBytes bounds a configuration and a list of QOS.
const mostBytes = 64 << 20

// ReadConf returns the configuration, with remarks on the lines that cannot be read.
func (f Files) ReadConf() (*Conf, []diag.Remark, error) {
	text, err := file.ReadText(f.Conf, mostBytes)
	if err != nil {
		return nil, nil, err
	}
	conf, problems, err := ParseConf(text, Beside{Dir: file.DirAt(filepath.Dir(f.Conf)), Self: filepath.Base(f.Conf)})
	var remarks []diag.Remark
	if conf != nil {
		problems = append(conf.Missing, problems...)
	}
	if err == nil {
		problems = slices.Concat(problems, conf.Unknown, conf.Passed)
	}
	for _, problem := range problems {
		remarks = append(remarks, diag.Warningf("%s: %s", f.Conf, problem))
	}
	if err != nil {
		return nil, remarks, fmt.Errorf("%s: %w", f.Conf, err)
	}
	return conf, remarks, nil
}

// Cluster returns what the priorities of a configuration are computed with at a time, and which
// factors are 0 because a file is not given.
func (f Files) Cluster(conf *Conf, now time.Time) (*Cluster, []diag.Remark, error) {
	if conf.Basic {
		return nil, nil, fmt.Errorf("%s: %w", f.Conf, ErrBasic)
	}
	c := &Cluster{Conf: conf, Now: now}
	var remarks []diag.Remark
	if f.QOS != "" {
		text, err := file.ReadText(f.QOS, mostBytes)
		if err != nil {
			return nil, nil, err
		}
		if c.QOS, err = ParseQOS(text, true); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.QOS, err)
		}
	} else if conf.Weights.QOS > 0 {
		remarks = append(remarks, diag.Warningf("without --qos FILE the QOS factor is 0"))
	}
	if f.Shares != "" {
		tree, _, err := accounts.ReadTree(file.At(f.Shares), accounts.Auto)
		if err != nil {
			return nil, remarks, err
		}
		c.Fairshare = conf.Fairshare(tree)
	} else if conf.Weights.Fairshare > 0 {
		remarks = append(remarks, diag.Warningf("without --shares FILE the fairshare factor is 0"))
	}
	return c, remarks, nil
}
