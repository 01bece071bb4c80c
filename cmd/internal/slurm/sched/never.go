package sched

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
)

// Barrier tells of many jobs which never start as the site is.
type Barrier struct {
	setup  *Setup
	ledger *Ledger // in which nothing is used
	empty  *Machine
	known  map[string]*Limit // by what jobs ask for
	fits   map[string]*Limit // and what Setup.Unplaceable says of them
	key    []byte
}

// Barrier returns a barrier of a site.
func (s *Setup) Barrier() *Barrier {
	of := *s
	of.Accounts, of.QOS = slices.Clone(s.Accounts), slices.Clone(s.QOS)
	for i := range of.Accounts {
		of.Accounts[i].Used = Usage{}
	}
	for i := range of.QOS {
		of.QOS[i].Used = Usage{}
	}
	return &Barrier{setup: s, ledger: NewLedger(&of), empty: NewMachine(s.Cluster), known: map[string]*Limit{}, fits: map[string]*Limit{}}
}

// Knows reports whether it tells of the jobs of all users of a site.
func (b *Barrier) Knows(s *Setup) bool { return len(b.ledger.accounts) == len(s.Accounts) }

// Never returns what keeps a job from starting in all partitions and under all QOS that it names, whatever else runs or has run: a
// limit of its own, licences, or a partition that does not let it in or starts none as it is now; nil for nothing. It is for ever, unless it is of now of one of them.
func (b *Barrier) Never(j *Job) (limit *Limit) {
	if !b.setup.IsLicensed(j) {
		return tooManyLicences()
	}
	for _, in := range b.setup.Entries(j) {
		of := b.In(in)
		if of == nil {
			return nil
		}
		if limit == nil || of.IsOfNow && !limit.IsOfNow {
			limit = of
		}
	}
	return limit
}

// Unplaceable returns what Setup.Unplaceable does, nil for a job of a reservation or of a partition whose nodes are not known.
func (b *Barrier) Unplaceable(j *Job) *Limit {
	if j.Reservation > 0 {
		return nil
	}
	places := j.places()
	b.key = binary.AppendUvarint(b.key[:0], uint64(len(places)))
	for _, at := range places {
		if b.setup.extentOf(at.Partition).nodes == 0 {
			return nil
		}
		b.key = binary.AppendVarint(b.key, int64(at.Partition))
	}
	b.key = j.appendAsked(b.key)
	limit, isKnown := b.fits[string(b.key)]
	if !isKnown {
		limit = b.setup.Unplaceable(j)
		b.fits[string(b.key)] = limit
	}
	return limit
}

// In returns what keeps an entry of a job from starting in its partition whatever else runs, first what does so for ever; nil for nothing.
func (b *Barrier) In(j *Job) *Limit {
	b.key = j.appendAsked(b.key[:0])
	limit, isKnown := b.known[string(b.key)]
	if isKnown {
		return limit
	}
	if rule := b.setup.keptOutForEverBy(j); rule != nil {
		limit = rule.limit(b.setup, j)
	} else if limit = b.setup.exceeds(j); limit == nil {
		limit = cmp.Or(b.over(j), b.setup.KeepsOut(j))
	}
	b.known[string(b.key)] = limit
	return limit
}

// over returns the limit that a job is over though no other one runs, nil for none.
func (b *Barrier) over(j *Job) *Limit {
	if h, a := b.ledger.holding(j, b.empty, b.setup.Partitions[j.Partition].Nodes); h.kind != noLimit {
		const refusal = "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)"
		limit := b.ledger.limit(j, h, a)
		limit.Refusal = refusal
		return limit
	}
	return nil
}

// IsSet reports whether a limit that squeue calls by a reason is set of a QOS or an association that counts for a job.
func (b *Barrier) IsSet(j *Job, reason string) bool {
	return slices.ContainsFunc(b.setup.Entries(j), func(in *Job) bool { return b.ledger.isSet(in, reason) })
}

// tooManyLicences is what keeps a job from starting that asks for more licences than there are.
func tooManyLicences() *Limit {
	return &Limit{Name: "Licenses", Reason: "Licenses", Detail: "it asks for more licences than there are", Refusal: "Invalid license specification"}
}

// appendAsked appends all of a job on which it depends whether it ever starts in its partition.
func (j *Job) appendAsked(key []byte) []byte {
	r := j.Request
	for _, n := range []int64{int64(j.Partition), int64(j.Association), int64(j.QOS), j.Limit, int64(j.Throttle), int64(j.Reservation), int64(r.MinNodes), int64(r.MaxNodes), int64(r.CPUs), int64(r.Tasks), int64(r.CPUsPerTask),
		int64(r.TasksPerNode), int64(r.TasksPerSocket), r.NodeMemory, r.CPUMemory, int64(r.Threads), int64(math.Float64bits(j.Billing))} {
		key = binary.AppendVarint(key, n)
	}
	for _, is := range []bool{r.AllMemory, r.Exclusive, r.Named, r.Alike, r.Counted, r.NoRange, j.IsFree, j.IsLetIn, j.NoLimit, j.isSeveral()} {
		key = strconv.AppendBool(key, is)
	}
	for _, list := range [][]int32{r.GRES, r.JobGRES, r.TaskGRES} {
		key = appendList(key, list)
	}
	key = appendList(appendList(appendList(appendList(key, r.Others), j.Licences), r.On), r.With)
	return append(key, r.Features.String()...)
}

// appendList appends numbers, and how many they are.
func appendList[N int32 | int64 | uint64](key []byte, list []N) []byte {
	key = binary.AppendUvarint(key, uint64(len(list)))
	for _, n := range list {
		key = binary.AppendVarint(key, int64(n))
	}
	return key
}
