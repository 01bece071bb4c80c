package fstree

import (
	"slices"
	"strconv"
	"strings"
)

// HourSettings are what sched_config says of prime, non-prime and dedicated time besides
// the policies that hold then.
type HourSettings struct {
	Prime, NonPrime Boundary // what holds in prime time, and in non-prime time

	ExemptsAnytime  bool   // prime_exempt_anytime_queues
	PrimePrefix     string // primetime_prefix: of the queues that start in prime time only; "" for none
	NonPrimePrefix  string // nonprimetime_prefix, likewise
	DedicatedPrefix string // dedicated_prefix, likewise
}

// Boundary is how jobs may reach over the end of prime or of non-prime time.
type Boundary struct {
	Backfill bool  // backfill_prime: whether they have to end before
	Spill    int64 // prime_spill: by how many seconds later at most
}

func (p *configParser) backfillPrime(name, value, period string) {
	on := p.boolean(name, value)
	for _, b := range p.boundaries(period) {
		b.Backfill = on
	}
}

func (p *configParser) primeSpill(name, value, period string) {
	if seconds, ok := p.seconds(name, value); ok {
		for _, b := range p.boundaries(period) {
			b.Spill = seconds
		}
	}
}

// boundaries returns those that a word for prime or non-prime time means.
func (p *configParser) boundaries(period string) []*Boundary {
	return ofPeriod(p, period, &p.config.Hours.Prime, &p.config.Hours.NonPrime)
}

// Seconds reads a time of sched_config: HH:MM:SS, MM:SS or seconds.
func Seconds(value string) (seconds int64, ok bool) {
	parts := strings.Split(value, ":")
	for _, part := range parts {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil || len(parts) > 3 {
			return 0, false
		}
		seconds = seconds*60 + int64(n)
	}
	return seconds, true
}

// HourKind is when jobs of a queue may start.
type HourKind byte

// When jobs of a queue may start. HourKinds is how many kinds there are.
const (
	Anytime HourKind = iota
	PrimeOnly
	NonPrimeOnly
	DedicatedOnly
	HourKinds = iota
)

// KindOf returns when jobs of a queue may start, by the beginning of its name.
func (s HourSettings) KindOf(queue string) HourKind {
	has := func(prefix string) bool { return prefix != "" && strings.HasPrefix(queue, prefix) }
	switch {
	case has(s.DedicatedPrefix):
		return DedicatedOnly
	case has(s.PrimePrefix):
		return PrimeOnly
	case has(s.NonPrimePrefix):
		return NonPrimeOnly
	}
	return Anytime
}

// Equal reports whether two policies have the same settings.
func (p Policy) Equal(q Policy) bool {
	isSame := slices.Equal(p.NodeSortKeys, q.NodeSortKeys) && slices.Equal(p.SortKeys, q.SortKeys)
	return isSame && p.FairShare == q.FairShare && p.ByQueue == q.ByQueue && p.RoundRobin == q.RoundRobin && p.Preemptive == q.Preemptive &&
		p.HelpStarving == q.HelpStarving && p.StrictOrdering == q.StrictOrdering
}
