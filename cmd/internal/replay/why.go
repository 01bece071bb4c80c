package replay

type Step struct{}
type Waiting struct{}

func (e *engine) watch(a *attempt)  {}
func (e *engine) stopAt(at float64) {}
