package site

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/report"
)

// checkVnodes warns of vnodes on which no job can run by what they have set, and of chunks that PBS gives jobs and no vnode has.
func (p *Place) checkVnodes(s *pbs.Site) (remarks []diag.Remark) {
	if !p.Nodes.IsGiven() {
		return nil
	}
	listing, err := p.Vnodes()
	if err != nil {
		return []diag.Remark{diag.Damagef("%v", err).At(p.Nodes.Name, 0)}
	}
	all, err := listing.Cluster(cluster.ChecksOf(s, nil), true)
	if err != nil {
		return []diag.Remark{diag.Damagef("%s: %v", p.Nodes.Name, err).At(p.Nodes.Name, 0)}
	}
	for _, r := range all.Damage() {
		if r.IsDamage {
			remarks = append(remarks, r.Of(p.Nodes.Name+": ").At(p.Nodes.Name, 0))
		}
	}
	say := func(format string, args ...any) {
		remarks = append(remarks, diag.Warningf("%s: %s", p.Nodes.Name, fmt.Sprintf(format, args...)).At(p.Nodes.Name, 0))
	}
	if text := out(all, listing.Away()); text != "" {
		say("%s", text)
	}
	sayStrayed(s, all, say)
	sayEmpty(all, say)
	sayChunks(s, all, say)
	return remarks
}

// out says how much of a site is away, where that is all of it or most.
func out(all *cluster.Cluster, away []string) string {
	var cpus, ofAll float64
	for _, v := range all.Vnodes {
		n, err := strconv.ParseFloat(v.Words["ncpus"], 64)
		if err != nil {
			continue
		}
		if ofAll += n; slices.Contains(away, v.Name) {
			cpus += n
		}
	}
	return nodes.Out("vnode", away, len(all.Vnodes), cpus, ofAll)
}

// sayStrayed says which vnodes are of a queue that there is not, or in a partition that no scheduler has.
func sayStrayed(s *pbs.Site, all *cluster.Cluster, say func(format string, args ...any)) {
	ofQueue, ofPartition := map[string][]string{}, map[string][]string{}
	var queues, partitions []string // in their order
	isQueue := func(name string) bool {
		return slices.ContainsFunc(s.Queues, func(q pbs.Queue) bool { return q.Name == name })
	}
	for _, v := range all.Vnodes {
		if v.Queue != "" && len(s.Queues) > 0 && !isQueue(v.Queue) {
			if ofQueue[v.Queue] == nil {
				queues = append(queues, v.Queue)
			}
			ofQueue[v.Queue] = append(ofQueue[v.Queue], v.Name)
		}
		if v.Partition != "" && s.Sched.OfSched && !s.IsPlaced(v.Partition) {
			if ofPartition[v.Partition] == nil {
				partitions = append(partitions, v.Partition)
			}
			ofPartition[v.Partition] = append(ofPartition[v.Partition], v.Name)
		}
	}
	for _, name := range queues {
		say("%s of queue %s (%s), and there is no such queue%s: no job runs on them; set another queue, or none", report.Count(len(ofQueue[name]), "vnode"), name, report.First(ofQueue[name]), meantQueue(s, name))
	}
	for _, name := range partitions {
		say("%s in partition %s (%s), which no scheduler has: no job runs on them; give a scheduler the partition, or unset it", report.Count(len(ofPartition[name]), "vnode"), name, report.First(ofPartition[name]))
	}
}

// sayEmpty says which hosts have no cpu. One vnode of several that a mom has may well have none, beside others that have all.
func sayEmpty(all *cluster.Cluster, say func(format string, args ...any)) {
	hasSome := map[string]bool{}
	isEmpty := func(v cluster.Vnode) bool {
		text, isSet := v.Words["ncpus"]
		return isSet && strings.Trim(text, "0") == ""
	}
	mom := func(v cluster.Vnode) string { return cmp.Or(v.Mom, v.Host) }
	for _, v := range all.Vnodes {
		hasSome[mom(v)] = hasSome[mom(v)] || !isEmpty(v)
	}
	var empty []string
	for _, v := range all.Vnodes {
		if !hasSome[mom(v)] {
			empty = append(empty, v.Name)
		}
	}
	if empty != nil {
		say("%s with resources_available.ncpus = 0 (%s): no job runs there but those that ask for no cpu; unset it, so that the host tells how many it has, or set how many jobs may use", report.Count(len(empty), "vnode"), report.First(empty))
	}
}

// sayChunks says which default_chunk of a queue or of the server no vnode has that takes jobs of the queue.
func sayChunks(s *pbs.Site, all *cluster.Cluster, say func(format string, args ...any)) {
	isSaid := map[string]bool{}
	for _, q := range s.Queues {
		if q.Routes || q.Deleted {
			continue
		}
		of := s
		for _, other := range s.Others {
			if other.Places(q.Name) {
				of = other
			}
		}
		for _, given := range cluster.ChunkDefaults(of, q.Name) {
			lacks := all.Of(&of.Scheduler).LacksChunk(given.Name, given.Value, q.Name)
			if lacks == "" {
				continue
			}
			text := fmt.Sprintf("default_chunk.%s of %s is %s, and %s: no job of queue %s starts that does not ask for %[1]s itself; set what vnodes have, or unset it", given.Name, given.From, given.Value, lacks, q.Name)
			if !isSaid[text] {
				say("%s", text)
			}
			isSaid[text] = true
		}
	}
}
