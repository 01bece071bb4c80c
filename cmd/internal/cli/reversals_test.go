package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/pbs/explain"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/workshop"
)

// TestReversals asks each change that would reverse the order of two jobs of a PBS site of the command that tries it: what is of
// the site reverses the order by --set, and is the least that does, and what is of the job is taken by --try. A plain run tries two changes of
// each kind.
func TestReversals(t *testing.T) {
	const site = "../../../testdata/replay/Q4y/snapshot"
	ask := func(args ...string) (out string, err string, code int) {
		var stdout, stderr bytes.Buffer
		code = run(args, strings.NewReader(""), &stdout, &stderr)
		return stdout.String(), stderr.String(), code
	}
	versus := func(a, b string, more ...string) (v explain.Verdict) {
		t.Helper()
		out, errs, _ := ask(append([]string{"explain", a, site, "--vs", b, "-o", "json"}, more...)...)
		if err := json.Unmarshal([]byte(out), &v); err != nil {
			t.Fatalf("%s before %s, %v: %v: %s", a, b, more, err, errs)
		}
		return v
	}
	seen := map[string]int{}
	turns := map[string]bool{"job_priority": true, "eligible_time": true, "usage": true, "shares": true, "queue": true, "queue_priority": true}
	for _, pair := range [][2]string{{"97", "245"}, {"97", "252"}, {"181", "31"}, {"181", "120"}, {"245", "164"}} {
		v := versus(pair[0], pair[1])
		for _, p := range v.Turn {
			if seen[p.Variable]++; seen[p.Variable] > 2 && !workshop.TestsAll() {
				continue
			}
			number, _, _ := strings.Cut(p.Job, ".")
			set, try := settingOf(p), ""
			switch p.Variable {
			case "job_priority":
				try = fmt.Sprintf("job_priority=%.0f", float64(p.To))
			case "queue":
				_, rest, _ := strings.Cut(p.Text, " were in queue ")
				name, _, _ := strings.Cut(rest, ",")
				try = "queue=" + name
			case "eligible_time":
				if _, errs, code := ask("explain", pair[0], site, "--vs", pair[1], "--set", fmt.Sprintf("job.%s.eligible_time=%.0f", number, float64(p.To))); code == exitFine || strings.Contains(errs, "formula when") {
					t.Errorf("%s: exit %d: %s", p.Text, code, errs)
				}
				continue
			}
			switch {
			case try != "":
				if _, errs, code := ask("when", site, number, "--runs", "2", "--try", try); code != exitFine && code != exitPartly {
					t.Errorf("%s: --try %s: exit %d: %s", p.Text, try, code, errs)
				}
			case set == "":
				t.Errorf("%s: nothing tries it", p.Text)
			default:
				if after := versus(pair[0], pair[1], "--set", set); after.First == v.First {
					t.Errorf("%s: with --set %s %s goes first as before", p.Text, set, v.First)
				}
				nearer := p
				nearer.To += report.Number(math.Copysign(1, float64(p.From-p.To)))
				if set := settingOf(nearer); nearer.To != p.From && versus(pair[0], pair[1], "--set", set).First != v.First {
					t.Errorf("%s: --set %s reverses the order already", p.Text, set)
				}
			}
		}
	}
	for _, p := range versus("181", "120").Turn { // whose queues give jobs in turn
		delete(turns, p.Variable)
	}
	if len(turns) > 0 {
		t.Errorf("by turns of queues, nothing is found of %v", turns)
	}
	for _, of := range []string{"job_priority", "eligible_time", "usage", "shares", "queue"} {
		if seen[of] == 0 {
			t.Errorf("no pair is reversed by %s", of)
		}
	}
}

// TestReversalsOfTheUnconsidered asks the order anew, with the list of jobs as it would be, for each change of a job under the threshold that
// explain --vs says would put it before another one, also where the turns of their queues decide. What is of the site is asked by --set.
func TestReversalsOfTheUnconsidered(t *testing.T) {
	const site = "../../../testdata/replay/Q4y/snapshot"
	list, err := os.ReadFile(site + "/job/qstat_f_F_json.out")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(args ...string) string {
		var stdout, stderr bytes.Buffer
		if code := run(args, strings.NewReader(""), &stdout, &stderr); code != exitFine {
			t.Fatalf("%v: exit %d: %s", args, code, stderr.String())
		}
		return stdout.String()
	}
	with := func(job, attribute string, value any) string {
		var of map[string]any
		decoder := json.NewDecoder(bytes.NewReader(list))
		decoder.UseNumber()
		if err := decoder.Decode(&of); err != nil {
			t.Fatal(err)
		}
		of["Jobs"].(map[string]any)[job].(map[string]any)[attribute] = value
		text, err := json.Marshal(of)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(t.TempDir(), "list")
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	tried := map[string]int{}
	for _, under := range []string{"101.pbsref", "209.pbsref"} {
		for _, other := range []string{"31.pbsref", "79.pbsref", "46.pbsref", "120.pbsref"} {
			var v explain.Verdict
			if err := json.Unmarshal([]byte(ask("explain", under, site, "--vs", other, "-o", "json")), &v); err != nil || v.First != other {
				t.Fatalf("%s before %s: %v", v.First, v.Second, err)
			}
			for _, p := range v.Turn {
				order := []string{"sort", site, "-o", "ids"}
				switch p.Variable {
				case "job_priority":
					order = append(order, "--jobs", with(p.Job, "Priority", int64(p.To)))
				case "eligible_time":
					of := int64(p.To)
					order = append(order, "--jobs", with(p.Job, "eligible_time", fmt.Sprintf("%02d:%02d:%02d", of/3600, of/60%60, of%60)))
				default:
					order = append(order, "--set", settingOf(p))
				}
				then := strings.Fields(ask(order...))
				if first, second := slices.Index(then, other), slices.Index(then, under); second < 0 || first >= 0 && first < second {
					t.Errorf("%s stays before %s, though %s", other, under, p.Text)
				}
				tried[p.Variable]++
			}
		}
	}
	if tried["job_priority"] == 0 || tried["eligible_time"] == 0 {
		t.Errorf("tried were %v", tried)
	}
}

// settingOf returns the setting of --set by which a site is changed so, "" for what is of a job.
func settingOf(p compare.TurningPoint) string {
	words := strings.Fields(p.Text)
	switch p.Variable {
	case "usage", "shares":
		return fmt.Sprintf("%s.%s=%.0f", words[0], p.Variable, float64(p.To))
	case "queue_priority":
		return fmt.Sprintf("queue.%s.priority=%.0f", words[1], float64(p.To))
	}
	return ""
}
