package trace

// OfSlurm returns a trace without jobs, for those of a Slurm site: their queue is the partition,
// and their project the QOS.
func OfSlurm() *Trace {
	t := newTrace(Keep{})
	t.isSlurm, t.Naming = true, ofReplays
	return t
}

// Number returns the number of a name in Names, a new one if it has none.
func (t *Trace) Number(name string) int32 { return t.Names.number([]byte(name)) }
