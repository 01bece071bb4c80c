package calibrate

import (
	"slices"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/record"
)

// Delay is how long starts come after something that lets them, as sacct tells by whole seconds.
type Delay struct {
	Starts int   // within a minute of it
	Half   int64 // of them come within so many seconds
	Most   int64 // nine of ten of them do
}

const minute = 60 // a start that comes later waited for something else

// delays returns how long jobs start after they have come, and after the end of the last job on one of
// their nodes, where they waited for that.
func delays(recorded *record.Record) (submitted, freed Delay) {
	ends := map[string][]int64{} // by node
	nodes := map[*record.Job][]string{}
	for _, x := range recorded.Jobs {
		if x.Start == 0 {
			continue
		}
		names, err := slurm.Hostlist(x.NodeList)
		if err != nil {
			continue
		}
		nodes[x] = names
		if x.End == 0 {
			continue
		}
		for _, name := range names {
			ends[name] = append(ends[name], x.End)
		}
	}
	for _, list := range ends {
		slices.Sort(list)
	}
	var came, free []int64
	for _, x := range recorded.Jobs {
		if x.Start == 0 {
			continue
		}
		since := x.Start - max(x.Submit, x.Eligible)
		if since >= 0 && since <= minute {
			came = append(came, since)
			continue
		}
		last := int64(0)
		for _, name := range nodes[x] {
			list := ends[name]
			at, isThen := slices.BinarySearch(list, x.Start)
			if isThen {
				last = x.Start
			} else if at > 0 {
				last = max(last, list[at-1])
			}
		}
		if last > 0 && x.Start-last <= minute {
			free = append(free, x.Start-last)
		}
	}
	return delay(came), delay(free)
}

func delay(list []int64) Delay {
	if len(list) == 0 {
		return Delay{}
	}
	slices.Sort(list)
	return Delay{len(list), list[len(list)/2], list[len(list)*9/10]}
}
