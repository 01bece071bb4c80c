package sched

import (
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/slurm"
)

// Omission is something that a site has and that is not modelled.
type Omission struct {
	What string        // in words, such as "maxsubmit (20) of high"
	On   slurm.Answers // which answers depend on it, beside those on when jobs start, but for OnArrivals alone
	Scope
}

// Matters reports whether any of some answers depends on it.
func (o *Omission) Matters(on slurm.Answers) bool {
	if o.On == slurm.OnArrivals {
		return on&o.On != 0
	}
	return (o.On|slurm.OnStarts)&on != 0
}

// NewOmissions says what is not modelled of what a setup has otherwise than it was.
func (s *Setup) NewOmissions(before *Setup) (remarks []diag.Remark) {
	for i := range s.Partitions {
		if p := &s.Partitions[i]; p.MinNodes > 1 && p.MinNodes != before.Partitions[i].MinNodes {
			remarks = append(remarks, diag.Warningf("MinNodes (%d) of partition %s is modelled in part: it keeps out jobs that ask for fewer nodes, and those that do not say how many may have fewer here", p.MinNodes, p.Name))
		}
	}
	unknown := func(of string, is, was *Limits, used Usage) {
		if key := is.OfUse(); key != "" && was.OfUse() == "" && used.TRES == nil {
			remarks = append(remarks, diag.Warningf("what has been used of %s of %s is not known (scontrol show assoc_mgr tells it), and counts from 0", key, of).OfPeople())
		}
	}
	for i := range s.QOS {
		unknown("QOS "+s.QOS[i].Name, &s.QOS[i].Limits, &before.QOS[i].Limits, s.QOS[i].Used)
	}
	for i := range s.Accounts {
		unknown(s.Names[i].String(), &s.Accounts[i].Limits, &before.Accounts[i].Limits, s.Accounts[i].Used)
	}
	return remarks
}

// Scope says whose jobs something concerns, by places in Partitions, QOS and Accounts; -1 is for all.
type Scope struct {
	Partition, QOS, Account int
	IsLicensed              bool // of those alone that ask for licences
}

// Everybody is what concerns all jobs.
var Everybody = Scope{-1, -1, -1, false}

// Has reports whether something concerns a job: that of a QOS does where it is the job's or its
// partition's, that of an account where it is above the job's association.
func (w Scope) Has(s *Setup, j *Job) bool {
	if w.IsLicensed && j.Licences == nil {
		return false
	}
	if j.hasPlaces() && j.Start == 0 {
		return slices.ContainsFunc(s.Entries(j), func(in *Job) bool {
			in.Partitions, in.AnyQOS = nil, nil
			return w.Has(s, in)
		})
	}
	if w.Partition >= 0 && w.Partition != j.Partition {
		return false
	}
	if w.QOS >= 0 && w.QOS != j.QOS && (s.PartitionQOS == nil || s.PartitionQOS[j.Partition] != w.QOS) {
		return false
	}
	for i := j.Association; w.Account >= 0 && i != w.Account; i = s.Accounts[i].Parent {
		if i < 0 {
			return false
		}
	}
	return true
}
