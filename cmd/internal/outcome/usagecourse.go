package outcome

// UsageCourse is how usage grows and decays in a replay, for those who follow it over
// time.
type UsageCourse struct {
	Rates       []float64 // by job, usage a second
	EntityOf    []int32   // by job, a number in those below
	Begin       []float64 // by entity, its usage when the record begins
	Percentages []float64 // by entity, its part of all shares; NaN for one that has none to be measured by
	Groups      []string  // by entity, the child of the root that it is or belongs to
	DecayTime   int64     // seconds
	DecayFactor float64
	LastDecay   int64   // before the record begins
	Least       float64 // below which no usage decays
}
