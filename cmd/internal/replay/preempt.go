package replay

func (e *engine) mayPreempt(c *class) bool     { return false }
func (a *attempt) preempt(c *candidate) bool   { return false }
func (a *attempt) resume()                     {}
func (e *engine) preemptLevel(queue int32) int { return 0 }
