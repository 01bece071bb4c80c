package order

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/flux"
	"fairshare/cmd/internal/report"
)

// changed is what settings have changed of a site so far.
type changed struct {
	*Site
	isTree bool            // whether the tree has other shares, usage or members
	banks  map[string]bool // whose priority is another one
}

// With returns a site with settings such as weight.queue=0, queue.debug=5, bank.physics=20, physics.shares=40,
// physics/ann.usage=0, physics/ann.active=false and job.ƒ4wye5Ry1.urgency=20. Its errors are *diag.SettingError.
func (s *Site) With(settings []string) (*Site, error) {
	of := *s
	of.Jobs, of.Queues, of.kept = slices.Clone(s.Jobs), slices.Clone(s.Queues), slices.Clone(s.kept)
	of.Banks, of.Associations = slices.Clone(s.Banks), slices.Clone(s.Associations)
	of.index()
	c := changed{Site: &of, banks: map[string]bool{}}
	for _, setting := range settings {
		if err := c.set(setting); err != nil {
			return nil, &diag.SettingError{Setting: "--set " + setting, Err: err}
		}
	}
	for i := range of.Jobs {
		if bank := of.Jobs[i].Bank; c.banks[bank] {
			of.kept[i].bank = of.bankPriority(bank)
		}
	}
	if c.isTree {
		tree, _, err := of.Tree()
		if err != nil {
			return nil, err
		}
		if tree == nil {
			return nil, diag.Requestf("--set: the site has no tree whose shares could be changed: flux account list-users --json and list-banks --json print it")
		}
		of.fair = fairshareOf(tree)
	}
	return &of, nil
}

// set makes one change.
func (c *changed) set(setting string) error {
	name, text, _ := strings.Cut(setting, "=")
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return fmt.Errorf("settings of flux are such as weight.queue=0, queue.debug=5, bank.physics=20, physics.shares=40, physics/ann.usage=0, job.ID.urgency=20")
	}
	if weight := c.Weights.Named(name); weight != nil {
		return number(text, math.Inf(-1), weight)
	}
	switch kind, of, _ := strings.Cut(strings.TrimSuffix(name, ".priority"), "."); {
	case kind == "queue" && of != "":
		q := c.queues[of]
		if q == nil {
			return unknown("queue", of, keys(c.queues))
		}
		return number(text, 0, &q.Priority)
	case kind == "bank" && of != "":
		b := c.Site.banks[of]
		if b == nil {
			return unknown("bank", of, keys(c.Site.banks))
		}
		c.banks[of] = true
		return number(text, math.Inf(-1), &b.Priority)
	case kind == "job" && strings.HasSuffix(of, ".urgency"):
		return c.setUrgency(strings.TrimSuffix(of, ".urgency"), text)
	case kind == "weight":
		return unknown("weight", of, []string{"fairshare", "queue", "bank", "urgency"})
	}
	return c.setTree(name[:dot], name[dot+1:], text)
}

// setUrgency changes the urgency of a job.
func (c *changed) setUrgency(id, text string) error {
	want, ok := flux.ParseID(id)
	i := slices.IndexFunc(c.Jobs, func(j flux.Job) bool { return ok && j.Number == want && j.Waits() })
	if i < 0 {
		return &diag.NoJobError{Name: id, OfWaiting: true}
	}
	urgency, err := strconv.Atoi(text)
	if err != nil || urgency < flux.Held || urgency > flux.Expedited {
		return fmt.Errorf("%q is not from 0 to 31", text)
	}
	c.Jobs[i].Urgency = urgency
	return nil
}

// setTree changes shares, usage or membership of a bank, or of a user in one.
func (c *changed) setTree(of, key, text string) error {
	c.isTree = true
	var shares, usage *float64
	var active *bool
	bank, user, isUser := strings.Cut(of, "/")
	if !isUser && c.Site.banks[of] == nil { // a user of one bank alone
		user = of
		for _, a := range c.Associations {
			if a.User == of {
				if isUser {
					return fmt.Errorf("%s is in several banks: name one, as in %s/%s", of, a.Bank, of)
				}
				bank, isUser = a.Bank, true
			}
		}
	}
	if isUser {
		a := c.users[Member{user, bank}]
		if a == nil {
			return fmt.Errorf("there is no user %s in a bank %s", user, bank)
		}
		shares, usage, active = &a.Shares, &a.Usage, &a.IsActive
	} else {
		b := c.Site.banks[of]
		if b == nil {
			return unknown("bank or user", of, keys(c.Site.banks))
		}
		shares, active = &b.Shares, &b.IsActive
	}
	switch {
	case key == "shares":
		return number(text, 0, shares)
	case key == "usage" && usage != nil:
		return number(text, 0, usage)
	case key == "usage":
		return fmt.Errorf("the usage of a bank is that of its users: change theirs")
	case key == "active":
		is, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", text)
		}
		*active = is
		return nil
	}
	return fmt.Errorf("%s", report.NoSuch("setting", key, []string{"shares", "usage", "active"}))
}

// number sets a number from least on.
func number(text string, least float64, to *float64) error {
	const most = 1e9
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= least) || math.Abs(x) > most {
		return fmt.Errorf("%q is no number that is possible there", text)
	}
	*to = x
	return nil
}

func unknown(kind, name string, there []string) error {
	return fmt.Errorf("%s", report.NoSuch(kind, name, there))
}

func keys[V any](m map[string]V) (list []string) {
	for name := range m {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// After returns the jobs in the order that flux would have at a changed site, once it has computed all priorities
// again, with remarks on settings that change nothing. now are the Rows of the site as it is. The new priority of a job
// is flux's and the difference of the two that are computed.
func (s *Site) After(now []Row, under *Site, settings []string) (after []Row, remarks []diag.Remark) {
	stored := map[uint64]*Row{}
	for i := range now {
		stored[now[i].Job.Number] = &now[i]
	}
	after = under.Rows()
	for i := range after {
		r := &after[i]
		old := stored[r.Job.Number]
		r.Was = old
		isFixed := r.Job.Urgency == flux.Held || r.Job.Urgency == flux.Expedited || old.Job.Urgency != r.Job.Urgency
		switch {
		case old.Rank == 0:
		case isFixed || old.Value == old.Computed:
			r.Value = r.Computed
		default:
			r.Value = max(0, old.Value+r.Computed-old.Computed)
		}
		if r.Rank > 0 && r.Job.Urgency != flux.Held {
			r.Reason = ""
			if r.Value == 0 {
				r.Reason = "priority-hold"
			}
		}
	}
	Sort(after)
	for _, setting := range settings {
		if !s.changesAny(setting, now) {
			remarks = append(remarks, diag.Warningf("%s changes the priority of no job that flux considers", setting))
		}
		if strings.HasPrefix(setting, "bank.") {
			remarks = append(remarks, diag.Notef("%s: flux reads the priority of a bank when a user submits there; jobs that wait have it only after their user submits again, and here at once", setting))
		}
	}
	return after, remarks
}

// changesAny reports whether a setting by itself changes a priority of the rows of now.
func (s *Site) changesAny(setting string, now []Row) bool {
	under, err := s.With([]string{setting})
	if err != nil {
		return true // it goes with another one only
	}
	computed := map[uint64]float64{}
	for _, r := range now {
		computed[r.Job.Number] = r.Computed
	}
	return slices.ContainsFunc(under.Rows(), func(r Row) bool { return r.Rank > 0 && r.Computed != computed[r.Job.Number] })
}
