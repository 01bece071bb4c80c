package witness

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
)

// list is a record of some starts.
type list []Start

func (l list) Facts() Facts {
	return Facts{Uncertainty: 10, Words: Words{Queue: "queue", Node: "vnode"}}
}

func (l list) Starts(_ context.Context, yield func(*Start)) error {
	for i := range l {
		yield(&l[i])
	}
	return nil
}

// days returns a thousand starts of which some of queue gpu and of user ann differ.
func days(differs func(i int, s *Start)) list {
	var l list
	for i := range 1000 {
		s := Start{Job: fmt.Sprint(i), Queue: "workq", User: fmt.Sprintf("u%d", i%7), At: int64(1000 + 60*i), May: Verdict{Finding: Agrees}, Where: Verdict{Finding: Agrees}, Who: Verdict{Finding: Agrees}}
		if i%20 == 0 {
			s.Queue = "gpu"
		}
		differs(i, &s)
		l = append(l, s)
	}
	return l
}

// A queue whose starts are elsewhere than the rules would have them is told, and a chance among others is not.
func TestSummary(t *testing.T) {
	l := days(func(i int, s *Start) {
		if s.Queue == "gpu" && i%40 == 0 {
			s.Where.Finding = Differs
		}
		if i == 501 || i == 707 {
			s.May.Finding = Differs
		}
		if i == 17 { // for having passed others a start is no other one
			s.Who.Finding = Differs
		}
	})
	s, err := Summarize(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	const want = "97.3% of 1000 recorded starts are what the present rules give, and at 99.8% of 1000 moments they start the same jobs first: the record cannot tell whether they hold, since what differs may be chance; queue gpu: 50% (formula witness says what differs)"
	if got := s.Sentence(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if d := s.Doubt(OfQueue, "gpu"); d == nil || d.Share() != .5 {
		t.Errorf("queue gpu: %v", d)
	}
	if d := s.Doubt(OfUser, "u3"); d != nil {
		t.Errorf("user u3: %v", *d)
	}
	j, err := Judge(context.Background(), l)
	if err != nil || j.Summary.Sentence() != want {
		t.Errorf("a judgement has %q, %v", j.Summary.Sentence(), err)
	}
}

// Jobs that wait on at one moment are one finding, however many they are.
func TestSummaryMoments(t *testing.T) {
	for _, test := range []struct {
		apart  int64
		doubts int
	}{{0, 0}, {3600, 1}} {
		n := int64(0)
		s, err := Summarize(context.Background(), days(func(_ int, s *Start) {
			if s.Queue == "gpu" {
				s.Waited, s.Since = 600, 500+n*test.apart
				n++
			}
		}))
		if err != nil || len(s.Doubts) != test.doubts || s.Agree != 950 {
			t.Errorf("%d s apart: %+v, %v", test.apart, s, err)
		}
	}
}

// Where nothing is judged, that is said.
func TestSummaryOfNothing(t *testing.T) {
	s, err := Summarize(context.Background(), list{{Job: "1"}})
	if err != nil || s.Sentence() != NothingJudged || s.Line().Share != nil || !math.IsNaN(s.Share()) {
		t.Errorf("%+v, %v", s, err)
	}
	if s = nil; s.Doubt(OfUser, "ann") != nil || !math.IsNaN(s.Share()) {
		t.Error("a site that nobody has judged has doubts")
	}
}

// A record that lacks starts which tell of the order leaves it open whether rules hold, and a few starts that differ do not make them wrong.
func TestStanding(t *testing.T) {
	whole := Summary{Starts: 100, Agree: 100, Waited: 60, Moments: Moments{Judged: 90}, Who: Score{Judged: 100, JudgedHours: 1000}}
	for _, test := range []struct {
		change string
		by     func(s *Summary)
		want   Standing
		says   string
	}{
		{"nothing", func(*Summary) {}, Holds, "what the present rules give, and at 100.0% of 90 moments they start the same jobs first"},
		{"few waited", func(s *Summary) { s.Waited = 3 }, Untold, "cannot tell whether they hold, since only 3 jobs had waited"},
		{"no order", func(s *Summary) { s.NoOrder, s.Moments, s.Who = "no usage", Moments{}, Score{} }, Untold, "what the present rules give: the record cannot tell whether they hold, since nothing tells who goes first"},
		{"some", func(s *Summary) { s.Moments.Differ = 4 }, Untold, "since what differs may be chance"},
		{"moments", func(s *Summary) { s.Moments.Differ = 10 }, Disagrees, "at 88.9% of 90 moments they start the same jobs first: answers by them may be wrong"},
		{"hours", func(s *Summary) { s.Who.Differ, s.Who.DifferHours = 6, 200 }, Disagrees, "(by cpu hours, it was the turn of 80.0%): answers by them may be wrong"},
		{"three long jobs", func(s *Summary) { s.Who.Differ, s.Who.DifferHours = 3, 200 }, Untold, "since what differs may be chance"},
		{"starts", func(s *Summary) { s.Agree = 80 }, Disagrees, "80.0% of 100 recorded starts"},
		{"few starts", func(s *Summary) { s.Starts, s.Agree, s.Moments.Judged, s.Moments.Differ = 5, 3, 5, 2 }, Untold, "60.0% of 5 recorded starts"},
	} {
		s := whole
		test.by(&s)
		if got := s.Standing(); got != test.want || !strings.Contains(s.Sentence(), test.says) {
			t.Errorf("%s: %s: %s", test.change, got, s.Sentence())
		}
	}
}
