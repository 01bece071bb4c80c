package dump

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
)

// StrangersError says that prints are not of one cluster: each gives its jobs numbers of its own, and a job never changes its user.
type StrangersError struct {
	First, Second string   // the prints, which are the same for one that several were pasted into
	Jobs          []string // that have other users in the second one
	Places        string   // where else its jobs are, or what else tells it
	OrMoment      bool     // whether they may as well be of two moments
}

func (e *StrangersError) Error() string {
	const most = 3 // jobs that are named
	which := e.First + " and " + e.Second + " are not"
	if e.First == e.Second {
		which = e.First + " has several prints that are not"
	}
	if e.OrMoment {
		return which + " of one cluster, or not of one moment: " + e.Places + ": give what one cluster prints at one time"
	}
	if e.Places != "" {
		return which + " of one cluster: " + e.Places + ": give what one cluster prints"
	}
	return fmt.Sprintf("%s of one cluster, as the users of %s tell (%s): give what one cluster prints", which, report.Count(len(e.Jobs), "job number"), report.Some(e.Jobs, most))
}

// owner is the user of a job as a print has it.
type owner struct{ id, user string }

// isOther reports whether two names are not of one user: what the width of a column cut off is not told, and a number is that of a user
// whose name was not found.
func (o owner) isOther(user string) bool {
	isNumber := func(name string) bool { return strings.Trim(name, "0123456789") == "" }
	return !isNumber(o.user) && !isNumber(user) && !strings.HasPrefix(o.user, user) && !strings.HasPrefix(user, o.user)
}

// ownersIn returns whose jobs a list has, by the numbers of jobs or of their arrays.
func (d *Dump) ownersIn(p Part) (list []owner) {
	add := func(id, user string) {
		number, _, _ := strings.Cut(id, "_")
		number, _, _ = strings.Cut(number, "+")
		if number != "" && user != "" {
			list = append(list, owner{number, user})
		}
	}
	switch isJSON := slurm.IsJSON(p.Text); {
	case isJSON && p.Kind == KindQueue:
		if q, err := d.parseQueueJSON(p.Text); err == nil {
			for i := range q.jobs {
				add(q.jobs[i].ID, q.jobs[i].User)
			}
		}
	case isJSON:
		jobs, _, _ := d.parseListed(p.Text)
		for i := range jobs {
			add(jobs[i].ID, jobs[i].User)
		}
	case p.Kind == KindJobs:
		jobOwners(p.Text, add)
	default:
		lines := linesOf(p.Text)
		l, ok := layoutOf(lines)
		if !ok {
			return nil
		}
		id, user := slices.Index(l.Names, "jobid"), slices.Index(l.Names, "user")
		if id < 0 || user < 0 {
			return nil
		}
		l.each(slices.Values(lines[1:]), func(cells []string) { add(strings.TrimSpace(cells[id]), strings.TrimSpace(cells[user])) })
	}
	return list
}

// jobOwners gives the jobs in what scontrol show job prints, and their users, which stand in the same line or in the next one.
func jobOwners(text string, add func(id, user string)) {
	id := ""
	for line := range strings.Lines(text) {
		isFirst := strings.HasPrefix(line, "JobId=")
		if isFirst {
			id, _, _ = strings.Cut(strings.TrimSpace(line[len("JobId="):]), " ")
		}
		if id == "" {
			continue
		}
		if _, user, isTold := strings.Cut(line, " UserId="); isTold {
			add(id, user[:max(0, strings.IndexAny(user, "( \t\r\n"))])
		} else if isFirst {
			continue
		}
		id = ""
	}
}

// findStrangers returns a *StrangersError if two lists of jobs, or rows of one, tell that half of the jobs of both or more have other
// users: fewer may have been edited.
func (d *Dump) findStrangers() error {
	type print struct {
		name   string
		owners map[string]string
	}
	var prints []print
	for _, p := range d.Parts {
		if p.Kind != KindJobs && p.Kind != KindQueue && p.Kind != KindPriorities {
			continue
		}
		of := print{p.Name, map[string]string{}}
		both := make([]int, len(prints)+1) // how many jobs another print has as well, and at last this one
		others := make([][]string, len(prints)+1)
		compare := func(at int, o owner, user string) {
			if both[at]++; o.isOther(user) {
				others[at] = append(others[at], fmt.Sprintf("%s of %s and of %s", report.Printable(o.id), report.Printable(user), report.Printable(o.user)))
			}
		}
		for _, o := range d.ownersIn(p) {
			if user, isThere := of.owners[o.id]; isThere {
				if o.isOther(user) { // which no edit of a list makes
					compare(len(prints), o, user)
				}
				continue
			}
			of.owners[o.id] = o.user
			for i, before := range prints {
				if user, isThere := before.owners[o.id]; isThere {
					compare(i, o, user)
				}
			}
		}
		prints = append(prints, of)
		for i, list := range others {
			if len(list) > 0 && 2*len(list) >= both[i] {
				slices.Sort(list)
				return &StrangersError{First: prints[i].name, Second: p.Name, Jobs: slices.Compact(list)}
			}
		}
	}
	return nil
}
