package record

import (
	"math"
	"slices"
)

// lengths are which parts of their time limits the jobs of a record used that are over, by whether they asked for none.
type lengths map[bool]*parts

// parts are the shortest first, and of each how much it and those behind it come to.
type parts struct{ used, sum []float64 }

// lengthsOf returns what the jobs of a record used.
func lengthsOf(jobs []*Job) lengths {
	l := lengths{false: {}, true: {}}
	for _, x := range jobs {
		if !x.isUnknown() && x.Limit > 0 {
			of := l[x.NoLimit]
			of.used = append(of.used, min(1, float64(x.Run)/float64(x.Limit)))
		}
	}
	for _, of := range l {
		slices.Sort(of.used)
		of.sum = make([]float64, len(of.used)+1)
		for i, used := range slices.Backward(of.used) {
			of.sum[i] = of.sum[i+1] + used
		}
	}
	return l
}

// isUnknown reports whether nobody knows how long a job runs.
func (x *Job) isUnknown() bool { return x.Start == 0 || x.End == 0 }

// beyond returns which part jobs used on average that used more than some part, 1 where there are none.
func (p *parts) beyond(used float64) float64 {
	at, _ := slices.BinarySearch(p.used, math.Nextafter(used, 2))
	if at == len(p.used) {
		return 1
	}
	return p.sum[at] / float64(len(p.used)-at)
}

// assume gives the jobs of which nobody knows how long they run a length: the part of their time limits that others used on
// average that used more than they have. It returns the part of those that wait with a time limit.
func (r *Record) assume() float64 {
	l := lengthsOf(r.Jobs)
	for _, x := range r.Jobs {
		if !x.isUnknown() {
			continue
		}
		elapsed := int64(0)
		if x.Start > 0 {
			elapsed = max(0, r.Last-x.Start-x.Suspended)
		}
		part := l[x.NoLimit].beyond(float64(elapsed) / float64(max(1, x.Limit)))
		x.Run = max(elapsed+1, int64(math.Round(part*float64(x.Limit))))
	}
	return l[false].beyond(0)
}
