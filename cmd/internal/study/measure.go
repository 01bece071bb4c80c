package study

// Measured is what all runs of a policy come to, or what was observed.
type Measured struct {
	Policy  *Policy     // nil for what was observed
	First   *Outcome    // of the work as it was recorded
	Figures [][]float64 // by figure and run
	Longer  []bool      // by figure, whether one is only known to be longer in a run
	Runs    int         // how many are complete
	IsCut   bool        // whether runs are missing since the study was interrupted

	waits []float64              // by job, the sum of its waits in all runs
	means []map[string][]float64 // by kind and name, the mean wait of each run
}

// nothing returns what a policy comes to before any run.
func (s *Study) nothing(p *Policy) *Measured {
	m := &Measured{Policy: p, Figures: make([][]float64, len(s.Figures)), Longer: make([]bool, len(s.Figures)), waits: make([]float64, len(s.Work.Jobs)), means: make([]map[string][]float64, len(s.kinds))}
	for k := range m.means {
		m.means[k] = map[string][]float64{}
	}
	return m
}

// measure is what is kept of a single run.
type measure struct {
	first   *Outcome // nil but for the first run
	figures []float64
	longer  []bool
	waits   []float64            // by job
	means   []map[string]float64 // by kind and name
	isCut   bool
}

// measure returns what is kept of an outcome.
func (s *Study) measure(o *Outcome, isFirst bool) *measure {
	m := &measure{isCut: o.Result != nil && o.Result.IsCut}
	if isFirst {
		m.first = o
	}
	if s.NoFigures {
		return m
	}
	m.waits = make([]float64, len(o.Jobs))
	for _, f := range s.Figures {
		x, isLonger := o.figure(f)
		m.figures, m.longer = append(m.figures, x), append(m.longer, isLonger)
	}
	for i := range o.Jobs {
		if s.counted[i] {
			w, _ := o.wait(i)
			m.waits[i] = float64(w.Seconds)
		}
	}
	for _, kind := range s.kinds {
		sums, counts := map[string]float64{}, map[string]int{}
		for _, w := range o.Counted {
			name := kind.Of(w.Job)
			sums[name] += float64(w.Seconds)
			counts[name]++
		}
		for name, n := range counts {
			sums[name] /= float64(n)
		}
		m.means = append(m.means, sums)
	}
	return m
}

// add adds what is kept of a run.
func (m *Measured) add(s *Study, run *measure) {
	for i, x := range run.figures {
		m.Figures[i] = append(m.Figures[i], x)
		m.Longer[i] = m.Longer[i] || run.longer[i]
	}
	for i, wait := range run.waits {
		m.waits[i] += wait
	}
	for k, means := range run.means {
		for name, mean := range means {
			m.means[k][name] = append(m.means[k][name], mean)
		}
	}
	if m.Runs == 0 {
		m.First = run.first
	}
	m.Runs++
}

// Wait returns how long a job has waited, in seconds, as the mean of all runs.
func (m *Measured) Wait(job int) float64 { return m.waits[job] / float64(max(1, m.Runs)) }

// Text returns what a figure has come to in all runs, as people read it.
func (m *Measured) Text(s *Study, figure int) string {
	return MarkLonger(IntervalOf(m.Figures[figure]).Text(s.Figures[figure].Unit()), m.Longer[figure])
}

// FirstText returns what a figure has come to in the first run, as people read it.
func (m *Measured) FirstText(s *Study, figure int) string {
	return MarkLonger(s.Figures[figure].Unit().Text(m.Figures[figure][0]), m.Longer[figure])
}

// Against returns by how much a figure differs from that of another policy: at least so much where it is only known to
// be longer, and nothing is known of it where the other one is.
func (m *Measured) Against(base *Measured, figure int) Difference {
	if base.Longer[figure] {
		return DifferenceOf(nil, nil)
	}
	d := DifferenceOf(m.Figures[figure], base.Figures[figure])
	d.IsLonger = m.Longer[figure]
	return d
}

// MarkLonger returns the text of a figure with a mark if it is only known to be longer.
func MarkLonger(text string, isLonger bool) string {
	if isLonger {
		return ">" + text
	}
	return text
}
