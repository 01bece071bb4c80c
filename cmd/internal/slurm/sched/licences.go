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
		list = append(list, Licence{name, n})
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
		if n > 0 && l.licensed[i]+n > l.licences[i].Total {
			return true
		}
	}
	return false
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
