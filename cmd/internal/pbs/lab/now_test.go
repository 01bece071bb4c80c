package lab

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/lab"
	"fairshare/cmd/internal/pbs"
)

// What stops each job is computed once for a state, of its formula, and refused where nothing tells it.
func TestStandings(t *testing.T) {
	l := newLab(t, 3)
	var refused *diag.RequestError
	if _, err := l.Standings(lab.State{Formula: "ncpus"}, []string{"1.s"}); !errors.As(err, &refused) {
		t.Error(err)
	}
	var asked []string
	l.Judge = func(_ context.Context, at *pbs.Site) (map[string]forecast.CycleResult, error) {
		asked = append(asked, at.Sched.Formula)
		return map[string]forecast.CycleResult{"1.s": {ID: "1.s", Starts: true}, "2.s": {ID: "2.s", Reason: "free ncpus"}}, nil
	}
	s := lab.NewServer(l)
	for _, formula := range []string{"ncpus", "2*ncpus", "ncpus"} {
		w := ask(s, "now", `{"formula":"`+formula+`","settings":[],"jobs":["1.s","2.s","3.s"]}`)
		status, body := w.Code, w.Body.String()
		if want := `"1.s":"starts","2.s":"waits for free ncpus"`; status != 200 || !strings.Contains(body, want) || !strings.Contains(body, `:"-"`) {
			t.Errorf("%s: %d %s", formula, status, body)
		}
	}
	for _, question := range []string{`now {"formula":"ncpus","settings":[],"jobs":["1.s","<b>"]}`, `explain {"formula":"ncpus","settings":[],"job":"<b>"}`} {
		name, body, _ := strings.Cut(question, " ")
		if w := ask(s, name, body); w.Code != 404 || !strings.Contains(w.Body.String(), "the list has no job") {
			t.Errorf("%s: %d %s", question, w.Code, w.Body)
		}
	}
	if strings.Join(asked, " ") != "ncpus 2*ncpus" {
		t.Errorf("asked for %v", asked)
	}
	if _, err := l.Standings(lab.State{Formula: "ncpus +"}, nil); err == nil {
		t.Error("a formula that is half typed has standings")
	}
}
