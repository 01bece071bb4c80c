package cluster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/report"
)

// VnodeLimits are how many jobs a vnode takes at a time: in all, of one user and of one group. A negative number is no
// limit.
type VnodeLimits struct{ Jobs, PerUser, PerGroup int }

// Owner is whose job asks for vnodes, by the numbers of names.
type Owner struct{ User, Group int32 }

// limits returns those of a vnode, nil for none.
func (a attributes) limits() *VnodeLimits {
	l := VnodeLimits{a.integer("max_running", -1), a.integer("max_user_run", -1), a.integer("max_group_run", -1)}
	if l.Jobs < 0 && l.PerUser < 0 && l.PerGroup < 0 {
		return nil
	}
	return &l
}

// integers are the attributes of a vnode that are whole numbers.
var integers = []string{"Priority", "max_running", "max_user_run", "max_group_run"}

// integer returns an attribute that is a whole number, or what stands for one that is not set or cannot be read.
func (a attributes) integer(name string, missing int) int {
	if n, err := strconv.Atoi(strings.TrimSpace(a[name])); err == nil {
		return n
	}
	return missing
}

// oddIntegers returns the attributes that are to be whole numbers and are none, as they stand.
func (a attributes) oddIntegers() (odd []string) {
	for _, name := range integers {
		if text := strings.TrimSpace(a[name]); text != "" {
			if _, err := strconv.Atoi(text); err != nil {
				odd = append(odd, fmt.Sprintf("%s of %s is %.60q", name, a[""], text))
			}
		}
	}
	return odd
}

// isLimited reports whether a vnode bounds how many jobs it takes.
func (c *Cluster) isLimited() bool {
	return slices.ContainsFunc(c.Vnodes, func(v Vnode) bool { return v.Limits != nil })
}

// guests counts the jobs on a vnode that has limits.
type guests struct {
	jobs          int
	users, groups map[int32]int
}

// welcome reports whether a vnode takes one more job of somebody, as PBS's is_vnode_eligible. Chunks of nobody are no
// job's.
func (s *State) welcome(v int32, owner *Owner) bool {
	limit, _, _ := s.reached(v, owner)
	return limit == ""
}

// reached returns the limit of a vnode that keeps one more job of somebody from it, "" for none, with how many jobs it counts
// of how many.
func (s *State) reached(v int32, owner *Owner) (limit string, n, most int) {
	limits := s.Vnodes[v].Limits
	if limits == nil || owner == nil {
		return "", 0, 0
	}
	is := &s.guests[v]
	isReached := func(n, most int) bool { return most >= 0 && n >= most }
	switch users, groups := is.users[owner.User], is.groups[owner.Group]; {
	case isReached(is.jobs, limits.Jobs):
		return "max_running", is.jobs, limits.Jobs
	case isReached(users, limits.PerUser):
		return "max_user_run", users, limits.PerUser
	case owner.Group != 0 && isReached(groups, limits.PerGroup): // else nothing tells of which it is
		return "max_group_run", groups, limits.PerGroup
	}
	return "", 0, 0
}

// countGuests counts a job that comes to its vnodes, with sign 1, or leaves them, with -1.
func (s *State) countGuests(a Allocation, sign int) {
	if s.guests == nil {
		return
	}
	for i, p := range a.Parts {
		owner := p.Chunk.owner
		if owner == nil || slices.ContainsFunc(a.Parts[:i], func(before Part) bool { return before.Vnode == p.Vnode }) {
			continue
		}
		is := &s.guests[p.Vnode]
		if is.users == nil {
			is.users, is.groups = map[int32]int{}, map[int32]int{}
		}
		is.jobs += sign
		is.users[owner.User] += sign
		is.groups[owner.Group] += sign
	}
}

// IsFullOfJobs reports whether a request would fit if no vnode bounded how many jobs it takes.
func (s *State) IsFullOfJobs(r *Request) bool {
	if s.guests == nil || s.Fits(r) {
		return false
	}
	s.placer.ignoresLimits = true
	defer func() { s.placer.ignoresLimits = false }()
	return s.Fits(r)
}

// jobsText says which limits of vnodes keep jobs of those who ask from how many of them: "max_running of n1: 1 of 1 jobs".
func (s *State) jobsText(r *Request) string {
	first, more := "", 0
	for v := range s.Vnodes {
		chunk := &r.Chunks[0] // all are of one owner
		limit, n, most := s.reached(int32(v), chunk.owner)
		if limit == "" || s.away[v] || !slices.ContainsFunc(r.Chunks, func(c Chunk) bool { return s.matches(&s.Vnodes[v], r, &c) }) {
			continue
		}
		if first == "" {
			first = fmt.Sprintf("%s of %s: %d of %d jobs", limit, s.Vnodes[v].Name, n, most)
		} else {
			more++
		}
	}
	if more > 0 {
		first += fmt.Sprintf("; likewise %s more", report.Count(more, "vnode"))
	}
	return first
}

// avoidsSingles lets the placer find a place for a job that took vnodes of several hosts, without those that take no
// part of such a job.
func (p *placer) avoidsSingles() bool {
	isSingle := func(part Part) bool { return p.s.Vnodes[part.Vnode].NoMultinode }
	first := p.s.hostOf[p.parts[0].Vnode]
	isOfOthers := func(part Part) bool { return p.s.hostOf[part.Vnode] != first }
	if !slices.ContainsFunc(p.parts, isSingle) || !slices.ContainsFunc(p.parts, isOfOthers) {
		return true
	}
	p.isMultinode = true
	defer func() { p.isMultinode = false }()
	return p.place()
}

// belongsTo says whose job asks.
func (r *Request) belongsTo(owner Owner) {
	for i := range r.Chunks {
		r.Chunks[i].owner = &owner
	}
}
