package work

// Part returns the work of some jobs of this one, which begins and ends as it does. Nobody waits for others in it: all
// come when the record has it. Origin tells their numbers in this work.
func (w *Work) Part(numbers []int32) *Work {
	part := *w
	part.origin, part.bonds, part.links = numbers, nil, nil
	part.Jobs = make([]*Job, len(numbers))
	own := make([]Job, len(numbers))
	for i, number := range numbers {
		own[i] = *w.Jobs[number]
		own[i].Number = int32(i)
		part.Jobs[i] = &own[i]
	}
	return &part
}
