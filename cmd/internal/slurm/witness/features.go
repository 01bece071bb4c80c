package witness

import (
	"slices"
	"strconv"

	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/sched"
)

// asked returns what a job asks for besides CPUs, memory and time.
func (r *Record) asked(x *record.Job) []string {
	q := x.Request
	asks, isKnown := r.asks[q]
	if !isKnown {
		for i, kind := range r.setup.GRES {
			if q.AllGRES(i, 1) > 0 {
				asks = append(asks, "gres/"+kind)
			}
		}
		if text := q.Features.String(); text != "" {
			asks = append(asks, "feature "+text)
		}
		if q.Exclusive {
			asks = append(asks, "--exclusive")
		}
		if q.Named {
			asks = append(asks, "--nodelist")
		}
		if q.AllMemory {
			asks = append(asks, "--mem=0")
		}
		slices.Sort(asks)
		r.asks[q] = asks
	}
	if x.Licences == nil && x.Reservation == 0 && x.Array == 0 && len(x.Partitions) == 0 {
		return asks
	}
	asks = slices.Clone(asks)
	for i, n := range x.Licences {
		if n > 0 {
			asks = append(asks, "license/"+r.setup.Licences[i].Name)
		}
	}
	for i := range r.setup.Reservations {
		if k := &r.setup.Reservations[i]; x.Reservation != 0 && k.ID == x.Reservation {
			asks = append(asks, "reservation "+k.Name)
		}
	}
	if x.Array != 0 {
		asks = append(asks, "--array")
	}
	if x.Throttle != 0 {
		asks = append(asks, "--array=…%N")
	}
	if len(x.Partitions) > 1 {
		asks = append(asks, "several partitions")
	}
	slices.Sort(asks)
	return slices.Compact(asks)
}

// commonOf returns what a node has in common with others, as far as several have it and not all: features, GRES, its
// partitions, its size and its weight.
func commonOf(s *sched.Setup) func(node string) []string {
	words := func(i int) (list []string) {
		n := &s.Nodes[i]
		for _, feature := range n.Features {
			list = append(list, "feature "+feature)
		}
		for k, kind := range s.GRES {
			if n.GRES[k] > 0 {
				list = append(list, "gres/"+kind+"="+strconv.Itoa(int(n.GRES[k])))
			}
		}
		for _, p := range s.Partitions {
			if p.Nodes.Has(i) {
				list = append(list, "partition "+p.Name)
			}
		}
		if n.Weight != 1 {
			list = append(list, "weight "+strconv.FormatFloat(n.Weight, 'g', -1, 64))
		}
		return append(list, strconv.Itoa(int(n.CPUs))+" CPUs")
	}
	counts, places := map[string]int{}, map[string]int{}
	for i := range s.Nodes {
		places[s.Nodes[i].Name] = i
		for _, word := range words(i) {
			counts[word]++
		}
	}
	return func(name string) []string {
		i, isKnown := places[name]
		if !isKnown {
			return nil
		}
		return slices.DeleteFunc(words(i), func(word string) bool { return counts[word] < 2 || counts[word] == len(s.Nodes) })
	}
}
