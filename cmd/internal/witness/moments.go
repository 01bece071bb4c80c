package witness

import "fairshare/cmd/internal/report"

// Moments are the seconds in which jobs started, and in how many of them the rules start others: what the first cycle of a
// forecast comes to that begins in the state that the record has then.
type Moments struct {
	Judged, Differ int

	at               int64 // the one that is looked at, 0 for none
	differs, isKnown bool
}

// add adds a start, after those before it.
func (m *Moments) add(s *Start) {
	if s.At == 0 {
		return
	}
	if s.At != m.at {
		m.settle()
		m.at, m.differs, m.isKnown = s.At, false, true
	}
	m.differs = m.differs || s.May.Finding == Differs || s.Others
	m.isKnown = m.isKnown && s.May.Finding != Unjudged
}

// settle counts the moment that is looked at.
func (m *Moments) settle() {
	if m.at == 0 || !m.isKnown && !m.differs {
		return
	}
	if m.Judged++; m.differs {
		m.Differ++
	}
}

// close counts the last moment. Where nothing tells who goes first, nothing tells who starts.
func (m *Moments) close(f Facts) {
	m.settle()
	if m.at = 0; f.NoOrder != "" {
		*m = Moments{}
	}
}

// Share returns the part of the moments at which the rules start those who started, NaN for none.
func (m Moments) Share() float64 { return share(m.Judged-m.Differ, m.Judged) }

// MomentsLine is moments in JSON.
type MomentsLine struct {
	Judged int            `json:"judged"`
	Differ int            `json:"differ"`
	Share  *report.Number `json:"share"` // at which the rules start those who started, null for none
}

// Line returns moments in JSON.
func (m Moments) Line() MomentsLine {
	return MomentsLine{m.Judged, m.Differ, report.Optional(m.Share())}
}
