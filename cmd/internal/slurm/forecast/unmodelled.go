package forecast

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
)

// omission is something that a job which waits asks for, or that Slurm says it waits for, and that is not modelled. The row of
// the job names it, and a remark says of how many jobs it is.
type omission struct {
	field string                   // as scontrol show job has it, with its value
	kind  int                      // by which remarks are in order
	what  string                   // said behind "2 waiting jobs: "
	brief func(jobs string) string // as a list of all that is not modelled has it; nil where the remark stands for itself
}

// omissions returns those of a job, none for one that does not wait.
func (s *Site) omissions(n *slurm.ListedJob) (list []omission) {
	if n.State != "PENDING" {
		return nil
	}
	licences, isRead := sched.ParseLicences(n.Licenses)
	_, others := s.Setup.Licensed(licences)
	q, lacks := s.maker.Request(n, max(0, s.Setup.PartitionNamed(n.Partitions[0])))
	features, reason := "Features="+n.Features, "Reason="+n.Reason
	isReserved := slices.ContainsFunc(s.Reservations, func(r dump.Reservation) bool { return r.End > s.At })
	for kind, x := range []struct {
		is          bool
		field, what string
	}{
		{!isRead || len(others) > 0, "Licenses=" + n.Licenses, "they ask for licences that the site does not have, or for one of several, and are taken to need none: they may start later"},
		{lacks.Names, "ReqNodeList=" + report.First(n.Wanted), "they want nodes by name (-w) in a way that is not modelled, and may start later"},
		{lacks.Features, features, "they ask for features in a way that cannot be read, and may start later"},
		{lacks.Together, features, "they ask for features of their nodes together (a*2), which is not modelled, and may start later"},
		{lacks.NodeCPUs, fmt.Sprintf("MinCPUsNode=%d", n.NodeCPUs), "they want so many CPUs of each of their nodes (--mincpus), which is not modelled, and may start later"},
		{q.Counted, features, "they ask for some nodes with one feature and others with another ([a*2&b*1]), as none was seen to start under Slurm 24.11: taken never to start"},
		{n.Reservation == "" && isOfReservation(n.Reason) && !isReserved, reason, "Slurm says that they wait for " + n.Reason + ", and no reservation is known here that keeps nodes from them: they may start later (scontrol show reservation tells it)"},
	} {
		if x.is {
			list = append(list, omission{field: x.field, kind: kind, what: x.what})
		}
	}
	const ofFields, ofReasons = 100, 101
	for _, lack := range n.Lacks {
		list = append(list, omission{lack.String(), ofFields, "they " + lack.What + ": that is not modelled", func(jobs string) string {
			if option := lack.Option(); option != "" {
				return option + " (" + jobs + ")"
			}
			what, _, _ := strings.Cut(lack.What, ", ")
			return fmt.Sprintf("%s, that they %s", jobs, what)
		}})
	}
	if slurm.ReasonNamed(n.Reason).Fate == slurm.ReasonUnmodelled {
		list = append(list, omission{reason, ofReasons, "Slurm says that they wait for " + n.Reason + ", which is not modelled: they may start later", func(jobs string) string {
			return n.Reason + ", for which " + jobs + " may start later"
		}})
	}
	return list
}

// fieldsOf names omissions as the row of their job does.
func fieldsOf(list []omission) (fields []string) {
	for _, x := range list {
		fields = append(fields, x.field)
	}
	return fields
}

// unmodelled says what of a site matters to the waiting jobs and is not modelled, and to how many.
func (s *Site) unmodelled() (remarks []diag.Remark) {
	counts, first := map[string]int{}, map[string]omission{}
	several, underSeveral := 0, 0
	for i := range s.Queue {
		n := &s.Queue[i]
		said := map[string]bool{}
		for _, x := range s.omissions(n) {
			if !said[x.what] {
				said[x.what], first[x.what] = true, x
				counts[x.what]++
			}
		}
		if n.State == "PENDING" && len(n.Partitions) > 1 {
			several++
		}
		if n.State == "PENDING" && n.HasSeveralQOS() {
			underSeveral++
		}
	}
	jobs := func(n int) string { return report.Count(n, "waiting job") }
	if several > 0 {
		remarks = append(remarks, diag.Generalf("several partitions are named by %s: each starts where it can first, and the one that is shown is where it does so in most runs", jobs(several)))
	}
	if underSeveral > 0 {
		remarks = append(remarks, diag.Generalf("several QOS are named by %s: each starts under the one that lets it start first", jobs(underSeveral)))
	}
	remarks = slices.Concat(remarks, areKeptOut(s.keptOut(s.Queue)), s.ofUnknownLimits(), s.ofDependencies())
	all := slices.SortedFunc(maps.Values(first), func(a, b omission) int { return cmp.Or(cmp.Compare(a.kind, b.kind), strings.Compare(a.what, b.what)) })
	for _, x := range all {
		remark := diag.Warningf("%s: %s", jobs(counts[x.what]), x.what)
		if x.brief != nil {
			remark = remark.Joined(diag.NotModelled, "%s", x.brief(jobs(counts[x.what])))
		}
		remarks = append(remarks, remark)
	}
	return remarks
}

// isOfReservation reports whether a job waits, as Slurm says, since nodes are kept for a reservation.
func isOfReservation(reason string) bool {
	return strings.HasPrefix(reason, "Reservation") && slurm.ReasonNamed(reason).Fate == slurm.ReasonDecided || strings.HasPrefix(reason, "ReqNodeNotAvail") && strings.Contains(reason, "Reserved")
}
