package forecast

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/pbs"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/trace"
)

// Whatever comes later than the moment of a forecast changes none of it: the logs of a recorded
// run are read to their end, and all that they tell of later times is moved and dropped.
func TestNothingLater(t *testing.T) {
	const dir = "../../../../testdata/replay/P1x/snapshot"
	open := func(change func(*trace.Trace, int64)) []*forecast.Job {
		s := open(t, dir, false)
		s.At = s.Past.First + 8*hour
		s.Now = nil
		for _, j := range s.Past.Jobs {
			n := trace.ListedJob{Job: j, Letter: 'Q', Eligible: trace.Unknown, Used: trace.Unknown}
			switch {
			case j.Arrival == trace.Unknown || j.Arrival > s.At || j.End != trace.Unknown && j.End <= s.At:
				continue
			case j.Start != trace.Unknown && j.Start <= s.At:
				n.Letter = 'R'
			}
			of := *j
			if of.End = trace.Unknown; n.Letter == 'Q' {
				of.Start = trace.Unknown
			}
			n.Job = &of
			s.Now = append(s.Now, n)
		}
		change(s.Past, s.At)
		f, err := forecastOf(s, forecast.Options{Runs: 5, Seed: 1, Horizon: 4 * day})
		if err != nil {
			t.Fatal(err)
		}
		return f.Jobs
	}
	was := open(func(*trace.Trace, int64) {})
	if len(was) < 5 {
		t.Fatalf("%d jobs wait", len(was))
	}
	random := rand.New(rand.NewPCG(1, 2))
	is := open(func(past *trace.Trace, at int64) {
		past.Jobs = slices.DeleteFunc(past.Jobs, func(j *trace.Job) bool { return j.Arrival > at && j.Queued > at && random.IntN(2) == 0 })
		past.Last += 100 * day
		for _, j := range past.Jobs {
			for _, when := range []*int64{&j.Start, &j.End} {
				if *when != trace.Unknown && *when > at {
					*when += random.Int64N(day)
				}
			}
			j.End = max(j.End, j.Start)
		}
	})
	for i, j := range was {
		if !slices.Equal(j.Starts, is[i].Starts) || j.Requested != is[i].Requested || j.Place != is[i].Place {
			t.Fatalf("%s: %v, once later times were moved %v", j.ID, j.Starts, is[i].Starts)
		}
	}
}

// The backtest reads nothing later either: once all lines of the logs that are later than a moment
// are changed or dropped, its forecast and what earlier ones have taught by then are the same.
func TestNothingLaterInCheck(t *testing.T) {
	const dir = "../../../../testdata/replay/P1x/snapshot"
	s := open(t, dir, false)
	at := s.Past.Begin() + 9*hour
	logs, err := filepath.Glob(filepath.Join(dir, "server_priv/accounting/*"))
	if err != nil || len(logs) == 0 {
		t.Fatal(err, logs)
	}
	var changed strings.Builder
	dropped, moved := 0, 0
	random := rand.New(rand.NewPCG(1, 3))
	for _, log := range logs {
		err := file.EachLine(file.At(log), func(_ int, line []byte) error {
			when, err := time.Parse("01/02/2006 15:04:05", string(line[:19]))
			if err != nil {
				return err
			}
			if when.Unix() <= at {
				fmt.Fprintf(&changed, "%s\n", line)
				return nil
			}
			if random.IntN(2) == 0 {
				dropped++
				return nil
			}
			moved++
			later := regexp.MustCompile(`(\W(?:start|end|etime)=)\d+`).ReplaceAll(line[19:], []byte("${1}1772599999"))
			fmt.Fprintf(&changed, "%s%s\n", when.Add(9*time.Hour).Format("01/02/2006 15:04:05"), regexp.MustCompile(`ncpus=\d+`).ReplaceAll(later, []byte("ncpus=1")))
			return nil
		}, func(int, string) {})
		if err != nil {
			t.Fatal(err)
		}
	}
	if dropped < 100 || moved < 100 {
		t.Fatalf("%d lines dropped, %d moved", dropped, moved)
	}
	name := filepath.Join(t.TempDir(), "20260302")
	if err := os.WriteFile(name, []byte(changed.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	made := func(s *Site) (*forecast.Forecast, *forecast.Backtest) {
		h, _, err := s.History("")
		if err != nil {
			t.Fatal(err)
		}
		o := forecast.Options{Runs: 4, Seed: 1, Horizon: 4 * day}
		st, scheduler, err := h.Then(context.Background(), at)
		if err != nil || st == nil {
			t.Fatal(st, err)
		}
		f, err := forecast.MakeOf(context.Background(), st, scheduler, o)
		if err != nil {
			t.Fatal(err)
		}
		b, err := forecast.Check(context.Background(), upTo{h, at}, forecast.Past{Options: o})
		if err != nil {
			t.Fatal(err)
		}
		return f, b
	}
	of := *s
	found, _, err := pbssite.FindLogs([]string{name}, "UTC", site.NewInput(nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := of.readLogs(found, []*pbs.Site{s.Site}); err != nil {
		t.Fatal(err)
	}
	was, taught := made(s)
	is, taughtToo := made(&of)
	if len(was.Jobs) < 5 || taught.Calibration.Forecasts < 5 {
		t.Fatalf("%d jobs wait, %d forecasts before", len(was.Jobs), taught.Calibration.Forecasts)
	}
	if diff := cmp.Diff(was, is, cmp.AllowUnexported(forecast.Forecast{}), cmpopts.IgnoreUnexported(forecast.Job{})); diff != "" {
		t.Errorf("the forecast is another: %s", diff)
	}
	ofAll := cmp.Exporter(func(of reflect.Type) bool { return of != reflect.TypeFor[forecast.Job]() })
	if diff := cmp.Diff(taught, taughtToo, ofAll, cmpopts.IgnoreUnexported(forecast.Job{}), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("the past teaches something else: %s", diff)
	}
}

// upTo is a past of which nothing is known that is later than a time.
type upTo struct {
	forecast.History
	at int64
}

func (h upTo) Recorded() *trace.Trace {
	past := *h.History.Recorded()
	past.Last = h.at
	return &past
}
