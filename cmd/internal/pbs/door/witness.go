package door

import (
	"context"

	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/pbs/study"
	pbswitness "fairshare/cmd/internal/pbs/witness"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/witness"
)

// Witness implements site.Witnesser.
func (s *Site) Witness(_ context.Context, q site.Replaying) (witness.Record, error) {
	logs, in, policies, err := s.recorded(q)
	if err != nil {
		return nil, err
	}
	judging := policies[len(policies)-1] // that with the settings, if there are any
	s.to.Say(pbssite.SayChanges(judging.Site)...)
	on, remarks, err := in.Load(logs, judging.Site)
	s.to.Say(remarks...)
	if err != nil {
		return nil, err
	}
	remarks, err = on.Use([]*study.Policy{judging})
	s.to.Say(remarks...)
	if err != nil {
		return nil, err
	}
	shown := s.to.Progress("events of the record")
	on.Progress = shown.Steps
	return witness.Ending(pbswitness.New(on), shown.End), nil
}

// Past implements site.PastJudge, by the logs that the last forecast has read.
func (s *Site) Past(_ context.Context, q site.Forecasting, usage string) (witness.Record, error) {
	quiet := s.quiet()
	at, _, err := quiet.beside(q.Policy)
	if err != nil {
		return nil, err
	}
	logs := s.logs
	if s.read == nil { // there was no forecast
		if logs, err = quiet.logsOf(q); err != nil {
			return nil, err
		}
	}
	if logs == nil {
		return nil, nil
	}
	record, err := pbswitness.Beside(s.Place, at, s.read, logs, usage, q.Zone)
	if err != nil {
		return nil, err
	}
	return record, nil
}
