package replay

// failures are the classes of which a job could not start in a cycle, with the shortest walltime with which that was so. Each class
// has its own, and the number that failures had then: all are forgotten once they have another one.
type failures struct{ number, ofGains uint64 }

// newFailures returns failures of which no class has any, for a cycle that begins.
func (e *engine) newFailures() failures {
	var f failures
	f.forget(&e.failures, true)
	e.refused.clear()
	return f
}

// forget forgets those of all classes, or of those alone whose jobs may find their place because others have started. last is the
// number that was used last.
func (f *failures) forget(last *uint64, isAll bool) {
	*last++
	if f.ofGains = *last; isAll {
		f.number = *last
	}
}

// numberOf returns which number the failures of a class have.
func (f *failures) numberOf(c *class) uint64 {
	if c.gains {
		return f.ofGains
	}
	return f.number
}

// of returns the shortest walltime with which a job of a class could not start. ok is false where none could not.
func (f *failures) of(c *class) (shortest float64, ok bool) {
	return c.failedFor, c.failedAt == f.numberOf(c)
}

// add notes that a job of a class could not start.
func (f *failures) add(c *class, length float64) { c.failedAt, c.failedFor = f.numberOf(c), length }
