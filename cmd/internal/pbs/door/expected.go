package door

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	pbsforecast "fairshare/cmd/internal/pbs/forecast"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
)

// lacksError is what a forecast needs and prints of PBS's commands do not tell.
type lacksError struct {
	lacks []string
	how   string // to add the prints, in words
}

func (e *lacksError) Error() string { return report.Listed(e.lacks) + ": " + e.how }

// lacksPrints returns what prints of an ordinary user lack without which nothing is forecast, with the commands that print it; nil where
// they have that, and for a site that is named otherwise, whose parts are told one by one.
func (s *Site) lacksPrints(q site.Forecasting) error {
	p := s.Place
	hasNodes := p.HasVnodes() || q.Nodes != ""
	if q.OnlyPast || !p.IsPrinted() || p.Files.SchedPriv.Name != "" || hasNodes && !p.OnlyTables() {
		return nil
	}
	at, err := s.quiet().asTold()
	if err != nil {
		return nil // which is told by who needs it
	}
	var lacks, add []string
	if p.OnlyTables() {
		lacks, add = append(lacks, "all that jobs ask for is not known, but the part that is in "+p.TablesNamed()), append(add, "qstat -f")
	}
	if !hasNodes {
		why := "the vnodes are not known"
		if cut := p.CutVnodes(); cut != nil {
			why = cut.Error()
		}
		lacks, add = append(lacks, why), append(add, "pbsnodes -av")
	}
	if !at.Sched.OfServer && !tries(q.Policy) {
		lacks, add = append(lacks, "the formula is not known"), append(add, "qstat -Bf")
	}
	how := "put what " + report.Having(add, "prints", "print") + " into "
	if p.Name != "" {
		how += p.Name
	} else {
		how += "one folder with the list of jobs and name that, or give it with --nodes and --sched"
	}
	how += ", as any user may" + p.Failed()
	if p.Name != "" {
		how += "; formula explain JOB " + p.Name + " says what is known of a job now"
		if hasNodes {
			how += ", and formula nodes " + p.Name + " --submit RESOURCES where there is room for one"
		}
	}
	return &lacksError{lacks, how}
}

// Expected implements site.Expecter.
func (s *Site) Expected(_ context.Context, zone *time.Location, why error) (*forecast.Expected, error) {
	var lacks *lacksError
	if !errors.As(why, &lacks) {
		return nil, why
	}
	e, remarks, err := pbsforecast.Expected(s.Place, zone)
	if errors.Is(err, pbsforecast.ErrNoneExpected) {
		s.to.Say(remarks...)
		return nil, fmt.Errorf("%w; nor does PBS itself say when: %w", why, err)
	}
	if err != nil {
		return nil, err
	}
	if cut := s.Place.CutVnodes(); cut != nil {
		s.to.Say(diag.Damagef("%v, so that none of it counts", cut).OfAsked())
	}
	s.to.Say(append(remarks, diag.Lackf("%v. So nothing is forecast: PBS SAYS is PBS's own estimated start, by which it expects to start a job if all others run to their walltimes and none comes before", why).
		Briefly("nothing is forecast: PBS SAYS is PBS's own estimated start, which takes all to run to their walltimes and none to come (--notes: what is lacking)").OfAsked())...)
	return e, nil
}
