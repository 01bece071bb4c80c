package witness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/report"
)

// made is a record of made starts.
type made struct {
	starts []Start
	facts  Facts
}

func (m *made) Starts(_ context.Context, yield func(*Start)) error {
	for i := range m.starts {
		yield(&m.starts[i])
	}
	return nil
}

func (m *made) Facts() Facts { return m.facts }

const begin = 1_772_438_400 // 2026-03-02 08:00

// newRecord returns a record of starts, one every ten minutes, that are as the rules have it, but for some
// that chance has changed.
func newRecord(n int) *made {
	random := rand.New(rand.NewPCG(1, 2))
	m := &made{facts: Facts{
		Uncertainty: 5,
		Common:      func(vnode string) []string { return []string{"rack=" + vnode[1:2]} },
		Nearest: func(rule string) string {
			return map[string]string{"more CPUs than the rules give": "do they have whole vnodes?"}[rule]
		},
		Words: Words{Queue: "queue", Node: "vnode", Closed: "offline", Away: "--set node.%s.offline=%s/%s"},
	}}
	agrees := Verdict{Finding: Agrees}
	for i := range n {
		at := int64(begin + 600*i)
		on := fmt.Sprintf("n%d%d", random.IntN(4), random.IntN(8))
		s := Start{
			Job: fmt.Sprint(i), Queue: []string{"workq", "workq", "workq", "gpu", "debug"}[random.IntN(5)], User: fmt.Sprintf("u%d", random.IntN(20)), Group: fmt.Sprintf("g%d", random.IntN(4)),
			CPUs: 1 << random.IntN(6), Hours: 2, Came: at - 300, At: at, End: at + 500, Recorded: []string{on}, Chosen: []string{on}, May: agrees, Where: agrees, Who: agrees,
		}
		if random.IntN(200) == 0 {
			s.Where, s.Chosen = Verdict{Finding: Differs}, []string{fmt.Sprintf("n%d%d", random.IntN(4), 8+random.IntN(8))}
		}
		m.starts = append(m.starts, s)
	}
	return m
}

func judge(t *testing.T, m *made) *Judgement {
	t.Helper()
	j, err := Judge(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// What is chance alone is no cause.
func TestNothingCommon(t *testing.T) {
	if j := judge(t, newRecord(3000)); len(j.Causes) != 0 || j.Counts.Sides[Where].Differ == 0 {
		t.Errorf("%d differ, causes %v", j.Counts.Sides[Where].Differ, j.Causes)
	}
}

// A vnode that the rules would have taken for most of what is elsewhere, in a time in which nothing started there, is named though the moments are few;
// of starts that are elsewhere at other times too it is not.
func TestOfOneNode(t *testing.T) {
	for others, want := range map[bool]int{false: 1, true: 0} {
		m := newRecord(2000)
		for i := range m.starts {
			s := &m.starts[i]
			if s.Where, s.Chosen = (Verdict{Finding: Agrees}), s.Recorded; i >= 1000 && i < 1003 {
				s.Where, s.Chosen = Verdict{Finding: Differs}, []string{"n39"}
			} else if others && i%300 == 7 {
				s.Where, s.Chosen = Verdict{Finding: Differs}, []string{fmt.Sprintf("n%d%d", i/300%4, 5+i/300)}
			} else if i == 500 || i == 1500 {
				s.Recorded, s.Chosen = []string{"n39"}, []string{"n39"}
			}
		}
		j := judge(t, m)
		if len(j.Causes) != want || want > 0 && !strings.Contains(j.Causes[0].Question(m.facts), "was n39 down then?") {
			t.Errorf("with others %v: %d causes, want %d", others, len(j.Causes), want)
		}
	}
}

// Each spoiled rule is found as one group, in one sentence.
func TestCauses(t *testing.T) {
	differs := Verdict{Finding: Differs}
	for _, test := range []struct {
		name  string
		spoil func(s *Start)
		want  string
		asks  string
	}{
		{
			"vnodes of a queue",
			func(s *Start) {
				if s.Queue == "gpu" {
					s.Where, s.Recorded, s.Chosen = differs, []string{"n3" + s.Recorded[0][2:]}, []string{"n0" + s.Recorded[0][2:]}
				}
			},
			"starts of queue gpu are on vnodes with rack=3, where the rules would have taken vnodes with rack=0",
			"is the queue tied to them?",
		},
		{
			"a vnode that is down",
			func(s *Start) {
				if s.At > begin+100_000 && s.At < begin+400_000 && s.Recorded[0][1] == '2' {
					s.Where, s.Recorded, s.Chosen = differs, []string{"n00"}, []string{"n27"}
				}
			},
			" starts from 2026-03-03 12:10 to 2026-03-06 23:00 are on vnode n00, where the rules would have taken vnode n27",
			"was n27 down then? (--set node.n27.offline=2026-03-03 12:10/2026-03-06 23:00)",
		},
		{
			"a vnode on which a job has much of something",
			func(s *Start) {
				switch {
				case s.Job == "100":
					s.Recorded, s.Chosen, s.End = []string{"n27"}, []string{"n27"}, begin+600*300
				case s.At > begin+600*100 && s.At < begin+600*300:
					s.Where, s.Recorded, s.Chosen = differs, []string{"n00"}, []string{"n27"}
				}
			},
			" starts from 2026-03-03 00:50 to 2026-03-04 09:50 are on vnode n00, where the rules would have taken vnode n27",
			"is less free on n27, where a job ran meanwhile, than the rules know, or was it offline already? (--set node.n27.offline=2026-03-03 00:50/2026-03-04 09:50)",
		},
		{
			"a vnode that is full of something",
			func(s *Start) {
				if s.At > begin+100_000 && s.At < begin+400_000 && s.CPUs >= 8 && s.Recorded[0] != "n27" {
					s.Where, s.Chosen = differs, []string{"n27"}
				}
			},
			" starts from 2026-03-03 12:30 to 2026-03-06 23:00 are on other vnodes, where the rules would have taken vnode n27",
			"is less free on n27, where others started meanwhile, than the rules know?",
		},
		{
			"rules about who goes first, each of which acts on few",
			func(s *Start) {
				if i := (s.At - begin) / 600 % 400; i < 8 {
					s.May = Verdict{Finding: Differs, Rule: fmt.Sprint("place ", i), IsOfOrder: true}
				}
			},
			" are not allowed by the rules (jobs before it that wait)",
			"is the order of jobs another one, or are vnodes kept for fewer of them?",
		},
		{
			"a limit of a user",
			func(s *Start) {
				if s.User == "u7" {
					s.Waited, s.Since, s.IsFree = 3600, s.At-3600, true
				}
			},
			"jobs of user u7 kept waiting for 1:00:00 on average where the rules would have started them, beside free vnodes",
			"does a limit keep them?",
		},
		{
			"a rule that is not there",
			func(s *Start) {
				if s.Group == "g1" && s.CPUs >= 8 {
					s.May = Verdict{Finding: Differs, Rule: "a limit of groups", Reason: "limit of group g1"}
				}
			},
			"starts of group g1 of 8 cpus or more are not allowed by the rules (a limit of groups)",
			"does that rule hold otherwise there, or did it change?",
		},
		{
			"what starts had of their vnodes",
			func(s *Start) {
				if s.User == "u7" && s.CPUs >= 8 {
					s.Where = Verdict{Finding: Differs, Rule: "more CPUs than the rules give"}
				}
			},
			"starts of user u7 of 8 cpus or more had more CPUs than the rules give",
			"do they have whole vnodes?",
		},
		{
			"the order",
			func(s *Start) {
				if s.At%3 == 0 && s.At%2 == 0 && s.CPUs > 2 {
					s.Waited, s.Since = 60, s.At-60
				}
			},
			"jobs of 4 cpus or more kept waiting for 0:01:00 on average where the rules would have started them, and others started",
			"is the order of jobs another one: shares, usage, priorities or a formula?",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newRecord(2000)
			for i := range m.starts {
				test.spoil(&m.starts[i])
			}
			j := judge(t, m)
			if len(j.Causes) != 1 {
				for i := range j.Causes {
					t.Log(j.Causes[i].Sentence(m.facts))
				}
				t.Fatalf("%d causes", len(j.Causes))
			}
			sentence, question := j.Causes[0].Sentence(m.facts), j.Causes[0].Question(m.facts)
			if !strings.Contains(sentence, test.want) || question != test.asks {
				t.Errorf("%s: %s", sentence, question)
			}
		})
	}
}

// A setting that is not modelled is named first where it fits.
func TestLacks(t *testing.T) {
	m := newRecord(1000)
	m.facts.Lacks = []Lack{
		{"default_chunk of queue debug", "default_chunk of queues", func(s *Start, _ Side) bool { return s.Queue == "debug" }},
		{"partition of queue gpu", "schedulers of partitions", func(s *Start, _ Side) bool { return s.Queue == "gpu" }},
		{"scheduling", "scheduling, which is off", func(s *Start, _ Side) bool { return s.Queue == "gpu" }},
		{"scheduling", "scheduling, which is off", func(s *Start, _ Side) bool { return s.Queue == "gpu" }},
		{"that they asked for --prefer, which is not modelled", "", func(s *Start, _ Side) bool { return s.Queue == "gpu" }},
	}
	for i := range m.starts {
		if s := &m.starts[i]; s.Queue == "gpu" {
			s.Where, s.Chosen = Verdict{Finding: Differs}, []string{"n00"}
		}
	}
	j := judge(t, m)
	if len(j.Causes) == 0 || j.Causes[0].Question(m.facts) != "is it partition of queue gpu (not modelled: schedulers of partitions), or scheduling, which is off (not modelled), or that they asked for --prefer, which is not modelled?" {
		t.Errorf("%v", j.Causes)
	}
}

// All forms have the same numbers.
func TestForms(t *testing.T) {
	m := newRecord(500)
	for i := range m.starts {
		if s := &m.starts[i]; s.User == "u7" {
			s.May = Verdict{Finding: Differs, Rule: "a limit of users", Reason: "limit of user u7"}
			s.Passed = []Passed{{"7", 60}}
			s.Who = Verdict{Finding: Differs}
		}
	}
	m.facts.Zone = time.UTC
	var out bytes.Buffer
	j := judge(t, m)
	to := &report.Printer{Writer: &out, Table: func(table report.Table) error { return table.Write(&out, report.Terminal{}) }}
	if err := j.Print(to, 10); err != nil {
		t.Fatal(err)
	}
	line, err := json.Marshal(j.Line())
	if err != nil {
		t.Fatal(err)
	}
	var got Line
	if err := json.Unmarshal(line, &got); err != nil {
		t.Fatal(err)
	}
	if got.Starts != 500 || got.May.Differ != j.Counts.Sides[May].Differ || len(got.Causes) != 1 || len(got.Queues) != 3 {
		t.Errorf("%s", line)
	}
	passed := fmt.Sprintf("a job that kept waiting once (0 jobs), and not the starts that passed it (%d starts,", got.Who.Differ)
	for _, text := range []string{passed, "500 recorded starts of 1000 cpu hours", "may: ", "of user u7 are not allowed by the rules (a limit of users)"} {
		if !strings.Contains(out.String(), text) {
			t.Errorf("no %q in\n%s", text, out.String())
		}
	}
	out.Reset()
	all := make([]*Start, len(m.starts))
	for i := range m.starts {
		all[i] = &m.starts[i]
	}
	if err := Starts(slices.Values(all)).WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "limit of user u7"); n != got.May.Differ || strings.Count(out.String(), "\n") != 501 {
		t.Errorf("%d rows differ in CSV, %d in JSON", n, got.May.Differ)
	}
}
