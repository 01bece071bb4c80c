package slurmsite

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurmsched"
)

// Limit is a limit that keeps a job from starting now.
type Limit struct {
	Reason string // as Slurm calls it, such as QOSMaxCpuPerUserLimit
	Detail string
}

// String returns the limit in words.
func (l *Limit) String() string {
	if l == nil {
		return ""
	}
	return l.Reason + ": " + l.Detail
}

// limitSet are the limits of a QOS or of an association. Those of jobs are NaN where there is none.
type limitSet struct {
	name                                string // in words
	grp, perJob, perUser, perAccount    map[string]float64
	grpJobs, userJobs, accountJobs, max float64 // max is MaxWall, in minutes
	isOver                              bool    // OverPartQOS: it comes before the partition's QOS
}

// running is what running jobs have.
type running struct {
	jobs float64
	tres map[string]float64
}

// holders are the limits of a site and what is in use of them.
type holders struct {
	site        *Site
	qos         map[string]*limitSet
	partitions  map[string]string // the QOS of each partition
	association map[slurmsched.AccountName]*limitSet
	parent      map[string]string // of accounts
	used        map[string]*running
}

// readLimits reads the limits that sacctmgr prints, where the site enforces any.
func (s *Site) readLimits(f *folder) {
	h := &holders{site: s, qos: map[string]*limitSet{}, partitions: map[string]string{}, association: map[slurmsched.AccountName]*limitSet{}, parent: map[string]string{}, used: map[string]*running{}}
	if !isEnforced(f) || len(s.Jobs) == 0 || s.Jobs[0].TRES == nil {
		return
	}
	limits := 0
	for _, x := range []struct {
		kind kind
		add  func(record) error
	}{{isQOS, h.addQOS}, {isAssociations, h.addAssociation}} {
		p := f.table(x.kind)
		for _, row := range s.tableOf(f, p) {
			limits++
			if err := x.add(row); err != nil {
				s.say(diag.Damagef("%s: %s%s %s: %v: its limits are not known", p.Name, row["name"], row["account"], row["user"], err))
			}
		}
	}
	if len(h.association) == 0 {
		s.say(diag.Notef("%s has no sacctmgr -P show assoc: whether limits of associations keep jobs from starting is not known", s.Name))
	}
	if limits == 0 {
		return
	}
	for _, p := range records(f.all(isPartitions), "PartitionName") {
		if name := p["qos"]; name != "" && name != "N/A" {
			h.partitions[p["partitionname"]] = name
		}
	}
	if s.Tree != nil {
		for i := 1; i < s.Tree.Len(); i++ {
			if x := s.Tree.At(i); !x.User {
				h.parent[x.Name] = s.Tree.At(int(x.Parent)).Name
			}
		}
	}
	for i := range s.Jobs {
		if j := &s.Jobs[i]; slices.Contains(holding, j.State) {
			for _, key := range h.keys(j, j.Partitions[0]) {
				h.charge(key, j)
			}
		}
	}
	s.limits = h
}

// holding are the states of jobs that have resources.
var holding = []string{"RUNNING", "CONFIGURING", "SUSPENDED"}

// isEnforced reports whether slurmctld enforces limits.
func isEnforced(f *folder) bool {
	value := strings.ToLower(f.config("accountingstorageenforce"))
	return strings.Contains(value, "limits") || strings.Contains(value, "safe") || value == "all"
}

// newLimits reads what a QOS and an association have in common.
func newLimits(row record, name, userTRES, userJobs string) (*limitSet, error) {
	l := &limitSet{name: name, grpJobs: number(row["grpjobs"], math.NaN()), userJobs: number(row[userJobs], math.NaN()), accountJobs: number(row["maxjobspa"], math.NaN()), max: math.NaN()}
	for _, x := range []struct {
		text string
		into *map[string]float64
	}{{row["grptres"], &l.grp}, {row["maxtres"], &l.perJob}, {row[userTRES], &l.perUser}, {row["maxtrespa"], &l.perAccount}} {
		list, err := slurm.ParseAmounts(x.text)
		if err != nil {
			return nil, err
		}
		*x.into = slurm.AmountsByName(list)
	}
	if row["maxwall"] != "" {
		seconds, err := slurm.Duration(row["maxwall"])
		if err != nil {
			return nil, err
		}
		l.max = seconds / 60
	}
	return l, nil
}

func (h *holders) addQOS(row record) error {
	l, err := newLimits(row, "QOS "+row["name"], "maxtrespu", "maxjobspu")
	if err == nil {
		l.isOver = strings.Contains(row["flags"], "OverPartQOS")
		h.qos[row["name"]] = l
	}
	return err
}

func (h *holders) addAssociation(row record) error {
	if row["partition"] != "" {
		return nil // of one partition alone, which is not modelled
	}
	of := rowName(row)
	name := of.String()
	if of.User == "" {
		name = "account " + name
	}
	l, err := newLimits(row, name, "", "maxjobs")
	if err == nil {
		h.association[of] = l
	}
	return err
}

// qosOf returns the limits of the QOS that hold for a job in a partition, those that come first first.
func (h *holders) qosOf(j *slurm.Job, partition string) (list []string) {
	own, part := j.QOS, h.partitions[partition]
	switch {
	case part == "" || part == own:
		return []string{own}
	case h.qos[own] != nil && h.qos[own].isOver:
		return []string{own, part}
	}
	return []string{part, own}
}

// accountsOf returns the accounts of a job from its own to the root.
func (h *holders) accountsOf(j *slurm.Job) (list []string) {
	for at := j.Account; at != "" && !slices.Contains(list, at); at = h.parent[at] {
		list = append(list, at)
	}
	return list
}

// keys are what a running job counts for.
func (h *holders) keys(j *slurm.Job, partition string) (keys []string) {
	for _, qos := range h.qosOf(j, partition) {
		keys = append(keys, "qos "+qos, "qos "+qos+" user "+j.User, "qos "+qos+" account "+j.Account)
	}
	keys = append(keys, "user "+j.Account+"/"+j.User)
	for _, account := range h.accountsOf(j) {
		keys = append(keys, "account "+account)
	}
	return keys
}

func (h *holders) charge(key string, j *slurm.Job) {
	r := h.used[key]
	if r == nil {
		r = &running{tres: map[string]float64{}}
		h.used[key] = r
	}
	r.jobs++
	for name, x := range j.TRES {
		r.tres[name] += x
	}
}

// inUse returns what is in use of a key.
func (h *holders) inUse(key string) running {
	if r := h.used[key]; r != nil {
		return *r
	}
	return running{}
}

// holds returns the limit that keeps a job of a partition from starting now, nil for none. The order
// is that in which slurmctld asks: first how many jobs there are and how long they run, QOS before
// associations, then what they ask for.
func (h *holders) holds(j *slurm.Job, partition string) *Limit {
	if h == nil || j.State != "PENDING" || j.TRES == nil {
		return nil
	}
	type asked struct {
		*limitSet
		prefix, all, user, account string // the word in reasons, and keys of what is in use
	}
	var list []asked
	for _, qos := range h.qosOf(j, partition) {
		if l := h.qos[qos]; l != nil {
			list = append(list, asked{l, "QOS", "qos " + qos, "qos " + qos + " user " + j.User, "qos " + qos + " account " + j.Account})
		}
	}
	if l := h.association[slurmsched.AccountName{Account: j.Account, User: j.User}]; l != nil {
		key := "user " + j.Account + "/" + j.User
		list = append(list, asked{l, "Assoc", key, key, ""})
	}
	for _, account := range h.accountsOf(j) {
		if l := h.association[slurmsched.AccountName{Account: account}]; l != nil {
			above := *l // what jobs of an account may ask for each, its users have themselves
			above.perJob, above.userJobs, above.max = nil, math.NaN(), math.NaN()
			list = append(list, asked{&above, "Assoc", "account " + account, "", ""})
		}
	}
	minutes := j.TimeLimit
	if part := h.site.Conf.Partitions[partition]; math.IsNaN(minutes) && part != nil {
		minutes = part.MaxTime
	}
	isSet := map[string]bool{} // limits of QOS that the one before has: they replace those of the next
	first := func(x asked, what string) bool {
		if x.prefix != "QOS" {
			return true
		}
		was := isSet[what]
		isSet[what] = true
		return !was
	}
	for _, x := range list {
		for _, limit := range []struct {
			most   float64
			key    string
			reason string
			name   string
		}{
			{x.grpJobs, x.all, x.prefix + "GrpJobsLimit", "GrpJobs"},
			{x.userJobs, x.user, map[string]string{"QOS": "QOSMaxJobsPerUserLimit", "Assoc": "AssocMaxJobsLimit"}[x.prefix], map[string]string{"QOS": "MaxJobsPU", "Assoc": "MaxJobs"}[x.prefix]},
			{x.accountJobs, x.account, "MaxJobsPerAccount", "MaxJobsPA"},
		} {
			if math.IsNaN(limit.most) || limit.key == "" || !first(x, limit.name) {
				continue
			}
			if n := h.inUse(limit.key).jobs; n >= limit.most {
				return &Limit{limit.reason, fmt.Sprintf("%s of %s jobs run (%s of %s)", report.Plain(n), report.Plain(limit.most), limit.name, x.name)}
			}
		}
		if !math.IsNaN(x.max) && first(x, "MaxWall") && minutes > x.max {
			return &Limit{x.prefix + "MaxWallDurationPerJobLimit", fmt.Sprintf("it asks for %s minutes of at most %s (MaxWall of %s)", report.Plain(minutes), report.Plain(x.max), x.name)}
		}
	}
	for _, x := range list {
		for _, limit := range []struct {
			most map[string]float64
			key  string
			name string
			of   func(tres string) string
		}{
			{x.grp, x.all, "GrpTRES", func(tres string) string { return x.prefix + "Grp" + limitWord(tres, "Limit") }},
			{x.perJob, "", "MaxTRES", func(tres string) string {
				if x.prefix == "Assoc" && tres == "mem" {
					return "AssocMaxMemPerJob"
				}
				return x.prefix + "Max" + limitWord(tres, "PerJobLimit")
			}},
			{x.perUser, x.user, "MaxTRESPU", func(tres string) string { return x.prefix + "Max" + limitWord(tres, "PerUserLimit") }},
			{x.perAccount, x.account, "MaxTRESPA", func(tres string) string {
				return "Max" + strings.TrimSuffix(limitWord(tres, "PerAccountLimit"), "Limit")
			}},
		} {
			for _, tres := range slices.Sorted(maps.Keys(limit.most)) {
				most, asks := limit.most[tres], j.TRES[tres]
				used := h.inUse(limit.key).tres[tres]
				if asks > 0 && first(x, limit.name+" "+tres) && used+asks > most {
					return &Limit{limit.of(tres), fmt.Sprintf("%s %s in use and %s asked for, of %s (%s of %s)", report.Plain(used), tres, report.Plain(asks), report.Plain(most), limit.name, x.name)}
				}
			}
		}
	}
	return nil
}

// limitWord returns what the limit of a resource is called in reasons: CpuLimit, GRES,
// MemoryPerUser, NodePerJobLimit.
func limitWord(tres, what string) string {
	bare := strings.TrimSuffix(what, "Limit")
	switch {
	case tres == "cpu":
		return "Cpu" + what
	case tres == "node":
		return "Node" + what
	case tres == "mem" && bare == "":
		return "Mem" + what
	case tres == "mem":
		return "Memory" + bare
	case strings.HasPrefix(tres, "gres/"):
		return "GRES" + bare
	case strings.HasPrefix(tres, "license/"):
		return "License" + bare
	}
	for _, x := range [][2]string{{"billing", "Billing"}, {"energy", "Energy"}, {"bb/", "BB"}} {
		if strings.HasPrefix(tres, x[0]) {
			return x[1] + bare
		}
	}
	return "Unknown" + bare // slurmctld's own word
}
