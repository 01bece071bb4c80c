package sched

import (
	"slices"
	"strconv"
	"strings"
)

// Licence is a kind of licences of the cluster. A job that asks for more than are free waits and holds nobody
// up, and gets no plan (Slurm's licenses.c, license_job_test).
type Licence struct {
	Name  string
	Total int64

	InUse     int64 // as slurmctld and the server of licences say, 0 where they do not
	Elsewhere int64 // of these, what none of the jobs has that are known, for as long as nobody knows; see Setup.LicencesElsewhere
}

// ParseLicences reads what a site has or a job asks for, such as matlab:4,ansys. It is not ok for what is no
// such list, as one of several (matlab|octave).
func ParseLicences(text string) (list []Licence, ok bool) {
	const most, longest = 1000, 1 << 31
	if text == "" || text == "(null)" {
		return nil, true
	}
	for part := range strings.SplitSeq(text, ",") {
		name, count, n := part, "", int64(1)
		if at := strings.IndexAny(part, ":="); at >= 0 {
			name, count = part[:at], part[at+1:]
			var err error
			if n, err = strconv.ParseInt(count, 10, 64); err != nil || n < 0 || n > longest {
				return nil, false
			}
		}
		if name == "" || strings.ContainsAny(name, "|()") || len(list) == most {
			return nil, false
		}
		list = append(list, Licence{Name: name, Total: n})
	}
	return list, true
}

// Licensed returns how many of each of the site's licences are asked for, nil for none, and the names of those
// that the site does not have.
func (s *Setup) Licensed(list []Licence) (asked []int64, others []string) {
	for _, x := range list {
		at := slices.IndexFunc(s.Licences, func(l Licence) bool { return strings.EqualFold(l.Name, x.Name) })
		switch {
		case at < 0:
			others = append(others, x.Name)
		case x.Total > 0:
			if asked == nil {
				asked = make([]int64, len(s.Licences))
			}
			asked[at] += x.Total
		}
	}
	return asked, others
}

// lacks reports whether a job asks for more licences than are free.
func (l *Ledger) lacks(j *Job) bool {
	for i, n := range j.Licences {
		if n > 0 && l.licensed[i]+n > l.licences[i].Total-l.licences[i].Elsewhere {
			return true
		}
	}
	return false
}

// LicencesElsewhere keeps those licences from jobs that are in use and that none of the jobs has which hold any now.
func (s *Setup) LicencesElsewhere(holding []*Job) {
	held := make([]int64, len(s.Licences))
	for _, j := range holding {
		for i, n := range j.Licences {
			held[i] += n
		}
	}
	for i := range s.Licences {
		s.Licences[i].Elsewhere = max(0, min(s.Licences[i].InUse, s.Licences[i].Total)-held[i])
	}
}

// IsLicensed reports whether the site has as many licences as a job asks for, once all others have ended.
func (s *Setup) IsLicensed(j *Job) bool {
	for i, n := range j.Licences {
		if n > s.Licences[i].Total {
			return false
		}
	}
	return true
}
