package forecast

import "context"

// Standing is what one cycle of the scheduler makes of a job right now.
type Standing struct {
	ID     string
	Starts bool
	Reason string // what it waits for if it does not start
}

// Now returns what one cycle of the scheduler would make of each job that waits, held ones too.
func Now(ctx context.Context, s *Site) ([]Standing, error) {
	st := newState(s)
	st.settle()
	judged, err := newPBS(s, st).judge(ctx, st.now())
	if err != nil {
		return nil, err
	}
	list := judged[:st.waiting]
	for _, j := range st.jobs {
		if j.standing == held {
			list = append(list, Standing{j.ID, false, j.why})
		}
	}
	return list, nil
}

// place gives each job of a forecast its place in the order of the scheduler now, and says what
// keeps it from starting.
func (f *forecaster) place(ctx context.Context, jobs []*Job) error {
	places, reasons, err := f.scheduler.Place(ctx, f.now(), f.awaited)
	if err != nil {
		return err
	}
	for i, j := range jobs {
		j.Place, j.Reason = places[i], reasons[i]
	}
	return nil
}
