package witness

import (
	"context"
	"fmt"
	"math"
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
	const want = "97.3% of 1000 recorded starts are what the present rules give; queue gpu: 50% (formula witness says what differs)"
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
