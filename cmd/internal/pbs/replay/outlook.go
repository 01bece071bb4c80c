package replay

// outlook is how much is free in all at each step of a simulation, whatever the vnodes, as far as anybody has asked. Jobs find no place
// where that does not suffice, so that the steps themselves need not be done.
type outlook struct {
	points []point
	totals []float64 // free in all at each of them, one after the other
	width  int
}

// point is a step of a simulation.
type point struct {
	step
	takes float64 // when the last top job starts of those that do, 0 for none; what ends in the step has been added by then
}

// begin forgets all but what is free now.
func (o *outlook) begin(s *simulation) {
	now := s.c.at.state.FreeTotal()
	o.points, o.totals, o.width = o.points[:0], append(o.totals[:0], now...), len(now)
}

// total returns what is free in all at a point.
func (o *outlook) total(k int) []float64 { return o.totals[(k+1)*o.width : (k+2)*o.width] }

// cut forgets what comes from a time on.
func (o *outlook) cut(from float64) {
	n := len(o.points)
	for n > 0 && o.points[n-1].at >= from {
		n--
	}
	o.points, o.totals = o.points[:n], o.totals[:(n+1)*o.width]
}

// see looks at one step more. It reports whether there is one.
func (s *simulation) see() bool {
	o, n := &s.outlook, len(s.outlook.points)
	var last step
	if n > 0 {
		last = o.points[n-1].step
	}
	next, more := s.after(last)
	if !more {
		return false
	}
	o.totals = append(o.totals, o.totals[n*o.width:(n+1)*o.width]...)
	o.points = append(o.points, point{step: next})
	total := o.total(n)
	for _, job := range s.ends[last.ended:next.ended] {
		addTotal(total, s.c.at.jobs[job].place, 1)
	}
	for _, ch := range s.changes[last.passed:next.passed] {
		if ch.isEnd || int(ch.top) >= s.c.fixed { // a reservation takes less where others are too
			addTotal(total, s.c.tops[ch.top].place, ch.sign())
			if !ch.isEnd {
				o.points[n].takes = ch.at
			}
		}
	}
	return true
}

// firstWithEnough returns the first step, from one on, at which enough is free in all for a job, and stays so whenever a top job starts
// while it runs. It is negative where there is none.
func (s *simulation) firstWithEnough(from int, need []float64, length float64) int {
	o, first := &s.outlook, -1
	for k := from; ; k++ {
		if first >= 0 && o.points[k-1].at >= s.lastStart {
			return first
		}
		isKnown := k < len(o.points) || s.see()
		switch {
		case s.c.at.isPlain && isKnown:
			return k
		case !isKnown, first >= 0 && o.points[k].at >= o.points[first].at+length:
			return first
		case !suffices(o.total(k), need):
			if first >= 0 && o.points[k].takes > 0 && o.points[k].takes < o.points[first].at+length {
				first = -1
			}
		case first < 0:
			first = k
		}
	}
}
