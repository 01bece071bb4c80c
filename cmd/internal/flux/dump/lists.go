package dump

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/flux"
	"fairshare/cmd/internal/report"
)

// Jobs returns the jobs of the list that has most, the first of several.
func (d *Dump) Jobs() (jobs []flux.Job, from string, err error) {
	parts := d.All(KindJobs)
	if len(parts) == 0 {
		return nil, "", d.Lacks("a list of jobs: flux jobs -a -A --json prints it")
	}
	for i, p := range parts {
		list, err := flux.ParseJobs(p.Text)
		if err != nil {
			return nil, p.Name, fmt.Errorf("%s: %w", p.Name, err)
		}
		if i == 0 || len(list) > len(jobs) {
			jobs, from = list, p.Name
		}
	}
	return jobs, from, nil
}

// NotRead says which texts of a kind are not read beside the one of a name.
func (d *Dump) NotRead(k Kind, read string) (remarks []diag.Remark) {
	all := d.All(k)
	at := slices.IndexFunc(all, func(p Part) bool { return p.Name == read })
	if at < 0 {
		return nil
	}
	isJSON := func(p Part) bool { return strings.HasPrefix(p.Text, "{") || strings.HasPrefix(p.Text, "[") }
	for i, p := range all {
		if i == at {
			continue
		}
		how := file.OtherForm
		if isJSON(p) == isJSON(all[at]) {
			how = file.LikenessOf(p.Text, all[at].Text)
		}
		remarks = append(remarks, file.NotRead([]string{p.Name}, read, words[k], how, ""))
	}
	return remarks
}

// Lacking says which fields jobs of a list lack that flux prints of each, and of how many. Banks and queues are among them where
// others have one: not every site has those.
func Lacking(list string, jobs []flux.Job) []diag.Remark {
	count := map[string]int{}
	for i := range jobs {
		j := &jobs[i]
		for _, name := range j.Lacks {
			count[name]++
		}
		if j.Bank == "" {
			count["bank"]++
		}
		if j.Queue == "" {
			count["queue"]++
		}
	}
	for _, name := range []string{"bank", "queue"} {
		if count[name] == len(jobs) {
			delete(count, name)
		}
	}
	var told []string
	for _, name := range slices.Sorted(maps.Keys(count)) {
		told = append(told, fmt.Sprintf("%s (%d of %d)", name, count[name], len(jobs)))
	}
	if told == nil {
		return nil
	}
	return []diag.Remark{diag.Warningf("%s lacks fields that flux prints of each job, and they are taken to say nothing: %s", list, strings.Join(told, ", "))}
}

// Largest returns the file with the list of jobs that has most in it, the first of several.
func (d *Dump) Largest() file.Source {
	parts := d.All(KindJobs)
	return slices.MaxFunc(parts, func(a, b Part) int { return cmp.Compare(len(a.Text), len(b.Text)) }).Source
}

// rows returns the rows of the part of a kind that has most, the first of several; none where there is no part.
func (d *Dump) rows(k Kind) (best []row, from string) {
	for _, p := range d.All(k) {
		rows, odd, err := []row(nil), 0, error(nil)
		switch {
		case k == KindBankInfo:
			rows, odd = rowsOfInfo(p.Text)
		case k == KindTree && !strings.Contains(p.Text, "|"):
			rows, odd = rowsOfTree(p.Text)
		default:
			rows, odd, err = rowsOf(p.Text)
		}
		if err != nil {
			d.Remarks = append(d.Remarks, diag.Damagef("%s: %v", p.Name, err))
			continue
		}
		if odd > 0 {
			d.Remarks = append(d.Remarks, diag.Damagef("%s: %d lines have another number of columns than the first, and are left out", p.Name, odd))
		}
		if len(rows) > len(best) {
			best, from = rows, p.Name
		}
	}
	d.Remarks = append(d.Remarks, d.NotRead(k, from)...)
	return best, from
}

// exported returns a member of export-json as rows.
func (d *Dump) exported(member string) []row {
	for _, p := range d.All(KindExport) {
		var whole map[string]json.RawMessage
		if json.Unmarshal([]byte(p.Text), &whole) != nil || whole[member] == nil {
			continue
		}
		if rows, err := rowsOfJSON(whole[member]); err == nil {
			return rows
		}
	}
	return nil
}

// number returns a number of a row, NaN where there is none or no finite one.
func (r row) number(column string) float64 {
	x, err := strconv.ParseFloat(r[column], 64)
	if err != nil || math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}

// amount returns a number of 0 or more that no tree is too large for, else 0.
func (r row) amount(columns ...string) float64 {
	const most = 1e300
	for _, column := range columns {
		if x := r.number(column); x >= 0 && x <= most {
			return x
		}
	}
	return 0
}

// checkShares says of shares that are no whole number of 0 or more in 32 bits what counts for them.
func (d *Dump) checkShares(of string, r row) {
	if x := r.number("shares"); x < 0 || x > math.MaxInt32 {
		d.Remarks = append(d.Remarks, diag.Warningf("the shares %s of %s are below 0 or beyond 32 bits: %s count here, and what flux makes of them is not known", r["shares"], of, report.Plain(r.amount("shares"))))
	}
}

// isActive reports whether a row is not of somebody disabled; what does not tell it counts as active.
func (r row) isActive() bool { return r["active"] != "0" && !strings.EqualFold(r["active"], "false") }

// limitsOf returns the limits that a row sets.
func limitsOf(r row) (list []flux.Limit) {
	const none = 2147483647
	for name, value := range r {
		if x := r.number(name); strings.HasPrefix(name, "max_") && x >= 0 && x < none {
			list = append(list, flux.Limit{Name: name, Most: value})
		}
	}
	slices.SortFunc(list, func(a, b flux.Limit) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Accounts are the banks of a site with their associations.
type Accounts struct {
	Banks        []flux.Bank
	Associations []flux.Association
	From         string // the file with the associations
	TellsActive  bool   // whether it is told who is disabled
	HasShares    bool   // whether shares and usage are told, and not fairshare alone
	HasPriority  bool   // whether the priorities of banks are told
}

// Accounts returns the banks and the associations, as the lists of flux account have them, or else a tree of view-bank
// or bank-info, or else an export. names are of users by their numbers, which an export has alone.
func (d *Dump) Accounts(names map[string]string) Accounts {
	users, from := d.rows(KindUsers)
	banks, _ := d.rows(KindBanks)
	a := Accounts{From: from, TellsActive: true, HasShares: true}
	for _, b := range banks {
		a.HasPriority = a.HasPriority || b["priority"] != ""
		d.checkShares("bank "+b["bank"], b)
		a.Banks = append(a.Banks, flux.Bank{Name: b["bank"], Parent: b["parent_bank"], Shares: b.amount("shares"), Usage: b.amount("job_usage"), Priority: b.number("priority"), IsActive: b.isActive()})
	}
	for _, u := range users {
		d.checkShares(u["username"]+" in bank "+u["bank"], u)
		a.add(u)
	}
	if len(users) == 0 || len(banks) == 0 {
		d.addTree(&a)
	}
	if len(a.Associations) == 0 {
		a.HasShares = false
		for _, u := range d.exported("associations") {
			u["username"], u["default_bank"] = names[u["userid"]], u["def_bank"]
			a.add(u)
		}
	}
	if !a.HasPriority {
		d.addPriorities(&a)
	}
	return a
}

// add adds the association of a row.
func (a *Accounts) add(u row) {
	name := u["username"]
	if name == "" {
		name = u["userid"]
	}
	if name == "" || u["bank"] == "" {
		return
	}
	a.Associations = append(a.Associations, flux.Association{
		User: name, Bank: u["bank"], UserID: u["userid"], DefaultBank: u["default_bank"], Shares: u.amount("shares", "rawshares"), Usage: u.amount("job_usage", "rawusage"),
		Fairshare: u.number("fairshare"), IsActive: u.isActive(), Limits: limitsOf(u),
	})
}

// addTree adds what a tree tells that no list does.
func (d *Dump) addTree(a *Accounts) {
	rows, from := d.rows(KindTree)
	if len(rows) == 0 {
		rows, from = d.rows(KindBankInfo)
		a.TellsActive = a.TellsActive && len(rows) == 0
	}
	isWithout, hasBanks := len(a.Associations) == 0, len(a.Banks) > 0
	if isWithout && len(rows) > 0 {
		a.From = from
	}
	var above []string // the banks on the way to a row, by their indents
	for _, r := range rows {
		if r["username"] != "" {
			if isWithout {
				a.add(r)
			}
			continue
		}
		depth := min(len(r["indent"]), len(above))
		parent := ""
		if depth > 0 {
			parent = above[depth-1]
		}
		above = append(above[:depth], r["bank"])
		if !hasBanks {
			a.Banks = append(a.Banks, flux.Bank{Name: r["bank"], Parent: parent, Shares: r.amount("rawshares"), Usage: r.amount("rawusage"), Priority: math.NaN(), IsActive: r.isActive()})
		}
	}
}

// addPriorities adds the priorities of banks that an export tells.
func (d *Dump) addPriorities(a *Accounts) {
	for _, r := range d.exported("banks") {
		a.HasPriority = true
		if i := slices.IndexFunc(a.Banks, func(b flux.Bank) bool { return b.Name == r["bank"] }); i >= 0 {
			a.Banks[i].Priority = r.number("priority")
		} else {
			a.Banks = append(a.Banks, flux.Bank{Name: r["bank"], Priority: r.number("priority"), IsActive: true})
		}
	}
}

// Queue is a queue with its priority and its limits.
type Queue struct {
	Name     string
	Priority float64
	Limits   []flux.Limit
}

// Queues returns the queues, none where nothing tells them.
func (d *Dump) Queues() (list []Queue) {
	rows, _ := d.rows(KindQueues)
	if len(rows) == 0 {
		rows = d.exported("queues")
	}
	for _, r := range rows {
		if x := r.number("priority"); r["queue"] != "" && !math.IsNaN(x) {
			list = append(list, Queue{r["queue"], x, limitsOf(r)})
		}
	}
	return list
}

// Weights returns the weights of the factors. isTold reports whether the site tells them; they are the defaults else.
func (d *Dump) Weights() (w flux.Weights, isTold bool) {
	w = flux.DefaultWeights
	rows, _ := d.rows(KindFactors)
	if len(rows) == 0 {
		rows = d.exported("priority_factors")
	}
	for _, r := range rows {
		if of, x := w.Named("weight."+r["factor"]), r.number("weight"); of != nil && !math.IsNaN(x) {
			*of, isTold = x, true
		}
	}
	return w, isTold
}

// IsUnderFluxion reports whether a list of modules has Fluxion's.
func (d *Dump) IsUnderFluxion() bool {
	return slices.ContainsFunc(d.All(KindModules), func(p Part) bool { return strings.Contains(p.Text, "sched-fluxion-qmanager") })
}
