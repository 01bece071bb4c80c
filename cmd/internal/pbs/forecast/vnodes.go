package forecast

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
	"fairshare/formula"
)

// takeVnodes holds what vnodes say of themselves against the list of jobs. What they say is taken that the list lacks is
// taken, and a vnode in a state other than free that no job and no reservation explains gets no job. The remarks say
// which.
func (s *Site) takeVnodes() []diag.Remark {
	kept, ids := s.kept()
	closed, remarks := s.compareVnodes(kept)
	if len(closed) > 0 {
		remarks = slices.Concat([]diag.Remark{diag.Notef("no job starts on %s", describe(closed))}, remarks)
	}
	if ids != nil {
		remarks = append(remarks, diag.Notef("what jobs have that somebody has suspended stays in use, but for what restrict_res_to_release_on_suspend names: %s (%s)", report.Count(len(ids), "job"), report.First(ids)).OfPeople())
	}
	return remarks
}

// kept returns what jobs that somebody has suspended keep of vnodes, by vnode and consumable, and the IDs of those that keep something.
func (s *Site) kept() (amounts map[string]map[int]float64, ids []string) {
	released := s.Site.Sched.ReleasedOnSuspend(s.Cluster.Consumables)
	if released == nil {
		return nil, nil
	}
	amounts = map[string]map[int]float64{}
	for _, n := range s.Now {
		if !n.IsStopped {
			continue
		}
		own := s.keeps(n, released)
		if own != nil {
			ids = append(ids, n.ID)
		}
		for name, by := range own {
			if amounts[name] == nil {
				amounts[name] = map[int]float64{}
			}
			for k, amount := range by {
				amounts[name][k] += amount
			}
		}
	}
	return amounts, ids
}

// keeps returns what a suspended job that gives back some consumables keeps of each of its vnodes, by consumable; nil for nothing.
func (s *Site) keeps(n trace.ListedJob, released []bool) map[string]map[int]float64 {
	if n.Vnodes() == "" {
		return nil
	}
	var all map[string]map[int]float64
	for name, resources := range cluster.Vnodes(n.Vnodes()) {
		for part := range strings.SplitSeq(resources, ":") {
			resource, value, _ := strings.Cut(part, "=")
			k, amount := slices.Index(s.Cluster.Consumables, resource), amountOf(value)
			if k < 0 || released[k] || amount == 0 {
				continue
			}
			if all == nil {
				all = map[string]map[int]float64{}
			}
			if all[name] == nil {
				all[name] = map[int]float64{}
			}
			all[name][k] += amount
		}
	}
	return all
}

// Unlisted takes what vnodes say of themselves as takeVnodes does, and says what of it the list of jobs lacks.
func (s *Site) Unlisted() []diag.Remark {
	kept, _ := s.kept()
	_, remarks := s.compareVnodes(kept)
	return remarks
}

// compareVnodes holds what vnodes say of themselves against the list of jobs, as takeVnodes says, where suspended jobs have kept some
// of them. It returns the vnodes that get no job by their state, and says what the list lacks.
func (s *Site) compareVnodes(kept map[string]map[int]float64) (closed []closedVnode, remarks []diag.Remark) {
	listed := s.listedOn()
	var full []closedVnode
	known := map[string]bool{}
	for _, n := range s.Now {
		known[n.ID] = true
	}
	missing, later := map[string]bool{}, map[string]bool{}
	var short, less []string  // vnodes of which more is assigned than the list says, and less
	var beyond, inUse float64 // cpus of vnodes that are assigned and the list does not have, and all that are
	for a := range s.Listing.Vnodes() {
		name := a[""]
		number, isKnown := s.Cluster.Number(name)
		if !isKnown {
			continue
		}
		on := listed[name]
		lacks, waits := 0, 0
		for _, id := range cluster.JobsOn(a["jobs"]) {
			switch {
			case on.ids[id]:
			case known[id]:
				waits, later[id] = waits+1, true
			default:
				lacks, missing[id] = lacks+1, true
			}
		}
		if slices.Contains(s.Away, name) { // nothing starts there in any case
			continue
		}
		var taken map[int]float64
		if waits == 0 { // else it is a vnode of another time
			taken = s.takenBeyond(a, on)
			inUse += amountOf(a["resources_assigned.ncpus"])
			if k := slices.Index(s.Cluster.Consumables, "ncpus"); k >= 0 {
				beyond += taken[k]
			}
			if text := s.takenShort(a, on); text != "" && !s.released[name] { // else it is known of which time it is
				less = append(less, text)
			}
		}
		switch why := s.whyClosed(name, a["state"], len(on.ids)+waits, lacks); {
		case len(cluster.StatesNow(a["state"])) > 0:
			closed = append(closed, closedVnode{name, why, s.cpusOf(number)})
			s.shown = append(s.shown, world.VnodeEvent{At: s.At, Vnode: name, Kind: world.Offline})
		case why != "":
			full = append(full, closedVnode{name, why, s.cpusOf(number)})
			s.shown = append(s.shown, world.VnodeEvent{At: s.At, Vnode: name, Kind: world.Offline})
		case len(taken) > 0 || len(kept[name]) > 0:
			if len(taken) > 0 {
				short = append(short, name)
				s.shown = append(s.shown, world.VnodeEvent{At: s.At, Vnode: name, Kind: world.InUse})
			}
			for k := range s.Cluster.Consumables {
				if taken[k]+kept[name][k] == 0 {
					continue
				}
				left := max(0, s.Cluster.Vnodes[number].Amounts[k]-taken[k]-kept[name][k])
				s.shown = append(s.shown, world.VnodeEvent{At: s.At, Vnode: name, Kind: world.Resized, Resource: s.Cluster.Consumables[k], Amount: left})
			}
		}
	}
	s.isFreeUnknown = s.isFreeUnknown || diag.LacksMuch(beyond, inUse, 1)
	if len(later) > 0 {
		remarks = append(remarks, sayOtherTime(slices.Sorted(maps.Keys(later))))
	}
	if len(missing) > 0 || len(full) > 0 || len(short) > 0 {
		remarks = append(remarks, sayUnlisted(slices.Sorted(maps.Keys(missing)), full, short))
	}
	if len(less) > 0 && len(later) == 0 { // of which it is known why
		remarks = append(remarks, diag.Warningf("less is in use of %s than the list of jobs says: %s. Are they of another time? The list counts", report.Count(len(less), "vnode"), report.First(less)))
	}
	return closed, remarks
}

// sayOtherTime says which jobs vnodes run that wait by the list of jobs.
func sayOtherTime(ids []string) diag.Remark {
	return diag.Notef("the vnodes are of another time than the list of jobs: they run %s that it has not running (%s); the list counts", report.Count(len(ids), "job"), report.First(ids)).OfPeople()
}

// closedVnode is a vnode that takes no job now.
type closedVnode struct {
	name, why string
	cpus      float64
}

// describe names vnodes that take no job, with why.
func describe(list []closedVnode) string {
	const most = 5
	cpus := 0.
	var names []string
	for i, v := range list {
		if cpus += v.cpus; i < most {
			names = append(names, fmt.Sprintf("%s (%s)", v.name, v.why))
		}
	}
	if len(list) > most {
		names = append(names, "...")
	}
	return fmt.Sprintf("%s (%g cpus) as long as their state lasts: %s", report.Count(len(list), "vnode"), cpus, strings.Join(names, ", "))
}

// sayUnlisted says what vnodes have and the list of jobs lacks.
func sayUnlisted(jobs []string, full []closedVnode, short []string) diag.Remark {
	var parts []string
	if len(jobs) > 0 {
		parts = append(parts, fmt.Sprintf("they run %s that it does not have as running (%s)", report.Count(len(jobs), "job"), report.First(jobs)))
	}
	for _, v := range full {
		short = append(short, v.name+" "+v.why)
	}
	if len(short) > 0 {
		parts = append(parts, fmt.Sprintf("more is in use of %s than it says (%s)", report.Count(len(short), "vnode"), report.First(short)))
	}
	return diag.Warningf("the list of jobs lacks what vnodes tell: %s. Is it that of one user, or of another time? What is in use by that stays so, since nothing tells until when", strings.Join(parts, ", and ")).
		Briefly("the list of jobs lacks what vnodes tell: %s; what is in use by that stays so", strings.Join(parts, ", and "))
}

// onVnode is what the list of jobs says of a vnode.
type onVnode struct {
	ids  map[string]bool    // of the jobs that run there
	used map[string]float64 // by resource
	runs map[string]float64 // likewise, without what jobs have that are suspended
}

// listedOn returns what the list of jobs says of each vnode.
func (s *Site) listedOn() map[string]onVnode {
	all := map[string]onVnode{}
	for _, n := range s.Now {
		if n.Vnodes() == "" || !strings.ContainsRune("REBSU", rune(n.Letter)) {
			continue
		}
		for name, resources := range cluster.Vnodes(n.Vnodes()) {
			on, isKnown := all[name]
			if !isKnown {
				on = onVnode{map[string]bool{}, map[string]float64{}, map[string]float64{}}
				all[name] = on
			}
			on.ids[n.ID] = true
			for part := range strings.SplitSeq(resources, ":") {
				resource, value, _ := strings.Cut(part, "=")
				on.used[resource] += amountOf(value)
				if n.Letter == 'R' || n.Letter == 'E' {
					on.runs[resource] += amountOf(value)
				}
			}
		}
	}
	return all
}

// amountOf returns an amount, 0 for what is none.
func amountOf(text string) float64 {
	value, _ := formula.ParseAmount(strings.TrimSpace(text), "")
	x, _ := value.Number()
	return x
}

// takenBeyond returns what is assigned of a vnode beyond what the list of jobs says, by consumable.
func (s *Site) takenBeyond(a map[string]string, on onVnode) map[int]float64 {
	beyond := map[int]float64{}
	for k, name := range s.Cluster.Consumables {
		if more := amountOf(a["resources_assigned."+name]) - on.used[name]; more > 0 {
			beyond[k] = more
		}
	}
	return beyond
}

// takenShort says of which consumable less is assigned of a vnode than running jobs of the list have there, "" for none.
func (s *Site) takenShort(a map[string]string, on onVnode) string {
	for _, name := range s.Cluster.Consumables {
		if text, isTold := a["resources_assigned."+name]; isTold && amountOf(text) < on.runs[name] {
			if name == "ncpus" {
				return fmt.Sprintf("%s of %s ncpus of %s", report.Plain(amountOf(text)), report.Plain(on.runs[name]), a[""])
			}
			return name + " of " + a[""]
		}
	}
	return ""
}

// whyClosed says what of its state keeps jobs away from a vnode on which the list has some jobs and lacks others, "" for
// nothing: what jobs and reservations that are known make of it is found without it.
func (s *Site) whyClosed(vnode, state string, listed, lacks int) string {
	if words := cluster.StatesNow(state); len(words) > 0 {
		return strings.Join(words, ",")
	}
	for word := range strings.SplitSeq(state, ",") {
		word = strings.TrimSpace(word)
		isOfJobs := word == "job-busy" || word == "job-exclusive"
		if isOfJobs && (listed == 0 || lacks > 0) || word == "resv-exclusive" && !s.isReserved(vnode) {
			return word
		}
	}
	return ""
}

// isReserved reports whether a reservation that is known has a vnode now.
func (s *Site) isReserved(vnode string) bool {
	for _, r := range s.Reservations {
		for _, h := range r.Holds {
			if !h.Lasts(s.At) {
				continue
			}
			for name := range cluster.Vnodes(h.Nodes) {
				if name == vnode {
					return true
				}
			}
		}
	}
	return false
}

// cpusOf returns how many cpus a vnode has.
func (s *Site) cpusOf(number int32) float64 {
	if k := slices.Index(s.Cluster.Consumables, "ncpus"); k >= 0 {
		return s.Cluster.Vnodes[number].Amounts[k]
	}
	return 0
}
