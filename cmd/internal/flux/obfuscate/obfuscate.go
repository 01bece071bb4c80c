// Package obfuscate copies what a site of flux prints without the names of people, projects and the like.
package obfuscate

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/flux"
	"fairshare/cmd/internal/flux/dump"
	"fairshare/cmd/internal/flux/order"
	"fairshare/cmd/internal/obfuscate"
)

// Copy returns a copy in which users, banks, queues and projects have other names, the same ones throughout. Only what
// orders, priorities, fairshare and history depend on is kept: no names of jobs and hosts, and no paths. Times and numbers of
// jobs are moved by a shift.
func Copy(d *dump.Dump, shift obfuscate.Shift) (*dump.Dump, error) {
	jobs, _, err := d.Jobs()
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, j := range jobs {
		names[j.UserID] = j.User
	}
	h := hider{names: obfuscate.NewNames(), shift: shift, numbers: map[string]int{}, amounts: map[string]bool{}}
	accounts := d.Accounts(names)
	hidden := &dump.Dump{Name: d.Name, Asked: shift.Move(d.Moment())}
	write := func(name string, list any) {
		if text, fails := json.Marshal(list); fails == nil {
			hidden.Set(name, string(text)+"\n")
		} else if err == nil {
			err = fails
		}
	}
	if len(accounts.Banks) > 0 {
		write("banks.json", h.banks(accounts))
	}
	if len(accounts.Associations) > 0 {
		write("users.json", h.users(accounts))
	}
	if queues := d.Queues(); len(queues) > 0 {
		write("queues.json", h.queues(queues))
	}
	if w, isTold := d.Weights(); isTold {
		write("factors.json", []map[string]any{{"factor": "fairshare", "weight": w.Fairshare}, {"factor": "queue", "weight": w.Queue}, {"factor": "bank", "weight": w.Bank}, {"factor": "urgency", "weight": w.Urgency}})
	}
	if d.IsUnderFluxion() {
		hidden.Set("modules.txt", "Module                   Idle  S Sendq Recvq Service\njob-manager              idle  S     0     0 \nsched-fluxion-qmanager   idle  S     0     0 \n")
	}
	write("jobs.json", map[string]any{"jobs": h.jobs(jobs)})
	if err == nil {
		err = shift.Check("the list of jobs", hidden.Parts[len(hidden.Parts)-1].Text, d.Moment(), h.amounts)
	}
	hidden.Remarks = append(slices.Clone(d.Remarks), hidden.Remarks...)
	return hidden, err
}

// hider gives names other names.
type hider struct {
	names   *obfuscate.Names
	shift   obfuscate.Shift
	numbers map[string]int  // of users
	amounts map[string]bool // numbers of the list of jobs that may be as large as a time, and are none
}

func (h *hider) user(name string) string { return h.names.Name("user", name) }
func (h *hider) bank(name string) string { return h.names.Name("bank", name) }

// number returns the number that a user has instead, which begins at 5001.
func (h *hider) number(id string) int {
	if h.numbers[id] == 0 {
		const first = 5001
		h.numbers[id] = first + len(h.numbers)
	}
	return h.numbers[id]
}

// object is one in JSON, without what is not known.
type object map[string]any

// set adds a number if it is known.
func (o object) set(name string, x float64) {
	if !math.IsNaN(x) {
		o[name] = x
	}
}

// limit adds limits.
func (o object) limit(list []flux.Limit) {
	for _, l := range list {
		if n, err := strconv.ParseFloat(l.Most, 64); err == nil {
			o[l.Name] = n
		}
	}
}

func isOne(is bool) int {
	if is {
		return 1
	}
	return 0
}

func (h *hider) banks(a dump.Accounts) (list []object) {
	for _, b := range a.Banks {
		o := object{"bank": h.bank(b.Name), "parent_bank": h.bank(b.Parent), "shares": b.Shares, "job_usage": b.Usage, "active": isOne(b.IsActive)}
		o.set("priority", b.Priority)
		list = append(list, o)
	}
	return list
}

func (h *hider) users(a dump.Accounts) (list []object) {
	for _, u := range a.Associations {
		o := object{
			"username": h.user(u.User), "bank": h.bank(u.Bank), "default_bank": h.bank(u.DefaultBank),
			"shares": u.Shares, "job_usage": u.Usage, "fairshare": nil,
		}
		if a.TellsActive {
			o["active"] = isOne(u.IsActive)
		}
		if u.UserID != "" {
			o["userid"] = h.number(u.UserID)
		}
		o.set("fairshare", u.Fairshare)
		o.limit(u.Limits)
		list = append(list, o)
	}
	return list
}

func (h *hider) queues(queues []dump.Queue) (list []object) {
	for _, q := range queues {
		o := object{"queue": h.names.Name("queue", q.Name), "min_nodes_per_job": 1, "priority": q.Priority}
		o.limit(q.Limits)
		list = append(list, o)
	}
	return list
}

func (h *hider) jobs(jobs []flux.Job) []object {
	list := []object{}
	for _, j := range jobs {
		number := j.Number + uint64(h.shift.Numbers)<<timeBits
		h.amounts[strconv.FormatUint(number, 10)], h.amounts[strconv.FormatFloat(j.Priority, 'f', -1, 64)] = true, true
		o := object{
			"id": number, "username": h.user(j.User), "bank": h.bank(j.Bank), "queue": h.names.Name("queue", j.Queue), "project": h.names.Name("project", j.Project),
			"urgency": j.Urgency, "state": state(j.State), "dependencies": dependencies(j.Dependencies),
		}
		if n, isNumber := flux.ParseID(j.ID); isNumber && n == j.Number && h.shift.Numbers == 0 {
			o["jobid"] = j.ID
		}
		if j.UserID != "" {
			o["userid"] = h.number(j.UserID)
		}
		for _, x := range []struct {
			name  string
			value float64
		}{{"priority", j.Priority}, {"t_submit", h.at(j.Submit)}, {"t_priority", h.at(j.Eligible)}, {"t_run", h.at(j.Start)}, {"t_inactive", h.at(j.End)}, {"duration", j.Duration}, {"runtime", j.RunTime}} {
			o.set(x.name, x.value)
		}
		for name, n := range map[string]int64{"ncores": j.Cores, "nnodes": j.Nodes} {
			if n >= 0 {
				o[name] = n
			}
		}
		if j.Exit != nil {
			o["returncode"] = *j.Exit
		}
		user, sched := object{}, object{}
		user.set("fairshare", j.Fairshare)
		sched.set("t_estimate", h.at(j.Estimate))
		if j.IsOfFluxion {
			sched["selection_type"] = "reserved"
		}
		o["annotations"] = object{"user": user, "sched": sched}
		list = append(list, o)
	}
	return list
}

// timeBits are the bits of the number of a job that stand below its time.
const timeBits = 24

// at returns a time, in seconds since 1970, by as much later as times are moved.
func (h *hider) at(seconds float64) float64 {
	if obfuscate.UnitOf(seconds) != 1 {
		return seconds
	}
	return seconds + float64(h.shift.Seconds())
}

// state returns a state that flux knows, and of another one that it is one.
func state(name string) string {
	if !slices.Contains([]string{"", "NEW", "DEPEND", "PRIORITY", "SCHED", "RUN", "CLEANUP", "INACTIVE"}, name) {
		return "Other"
	}
	return name
}

// dependencies returns those that are limits, and of others that they are there.
func dependencies(names []string) []string {
	list := []string{}
	for _, name := range names {
		kind, _, _ := strings.Cut(name, ":")
		switch {
		case order.IsLimit(name):
			list = append(list, name)
		case slices.Contains([]string{"after", "afterok", "afterany", "afternotok", "begin-time"}, kind):
			list = append(list, kind)
		default:
			list = append(list, "Other")
		}
	}
	return list
}
