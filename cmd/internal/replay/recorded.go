package replay

// RecordedCycle is a cycle of a real scheduler.
type RecordedCycle struct {
	At       float64
	Reported map[string]float64 // by job that ran, its usage as reported
	Gone     map[string]bool
}

func (e *engine) admitRecorded(c RecordedCycle)            {}
func (u *usage) accrueRecorded(e *engine, c RecordedCycle) {}
