package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// printsWithErrors are what qmgr prints of each kind of object, edited by somebody who makes errors: qmgr's own lines above it, and
// what each of its lines below is wrong about, "" for nothing.
var printsWithErrors = []struct {
	heads []string
	lines [][2]string
}{
	{[]string{"Set server attributes."}, [][2]string{
		{"set server scheduling = tru", `"tru" is neither true nor false`}, {"set server schedulin = True", "did you mean scheduling?"},
		{"set server max_run_res.ncpus = 5", `"5" is not a limit`}, {`set server job_sort_formula = "ncpus"`, ""}}},
	{[]string{"Create sched and set their attributes.", "Create and define sched default"}, [][2]string{
		{"create sched default", ""}, {"set sched default job_sort_formula_threshold = abc", `"abc" is not a number`},
		{"set sched default throughput_modes = True", "did you mean throughput_mode?"}, {"set sched default preempt_order = XY", `"XY" is no order`}}},
	{[]string{"Create queues and set their attributes.", "Create and define queue workq"}, [][2]string{
		{"create queue workq", ""}, {"set queue workq queue_type = Execution", ""}, {"set queue workq Priority = high", `"high" is not a priority`},
		{"set queue workq max_runs = [u:PBS_GENERIC=5]", "did you mean max_run?"}, {"set queue workq enabled = tru", "neither true nor false"},
		{"set queue workq started = True", ""}}},
	{[]string{"Create resources and set their properties.", "Create and define resource foo"}, [][2]string{
		{"create resource foo", ""}, {"set resource foo type = integer", `"integer" is not a resource type`}, {"set resource foo flag = hz", `"z" is none of the flags`},
		{"set resource foo flags = h", "did you mean flag?"}}},
	{[]string{"Create nodes and set their properties.", "Create and define node n1"}, [][2]string{
		{"create node n1 Mom=n1", ""}, {"set node n1 state = freee", "did you mean free?"}, {"set node n1 resources_available.ncpus = many", `"many" is no whole number`},
		{"set node n1 queu = workq", "did you mean queue?"}}},
	{[]string{"Create hooks and set their properties.", "Create and define hook h"}, [][2]string{
		{"create hook h", ""}, {"set hook h type = site", ""}, {"set hook h enabled = tru", `"tru" is neither true nor false`}, {"set hook h event = queuejob", ""},
		{"set hook h event += runjobs", "did you mean runjob?"}, {"set hook h alarm = 0", `"0" is no time`}, {"set hook h order = 5000", "is no place in the order of hooks"},
		{"set hook h evnt = queuejob", "did you mean event?"}, {"import hook h application/x-python base64 -", ""}, {"aW1wb3J0IHBicwo=", ""}}},
}

// The lines that qmgr itself writes above what it prints change nothing of what a check finds in it, and it finds each error by its line.
func TestCheckHeads(t *testing.T) {
	t.Chdir(t.TempDir())
	check := func(head, text string) string {
		if err := os.WriteFile("print", []byte(head+text), 0o600); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		if code := run([]string{"check", "print"}, strings.NewReader(""), &stdout, &stderr); code != exitPartly {
			t.Errorf("%s: exit %d", head, code)
		}
		return stdout.String() + stderr.String()
	}
	for _, p := range printsWithErrors {
		text, head := "", ""
		for _, line := range p.heads {
			head += "#\n# " + line + "\n#\n"
		}
		for _, line := range p.lines {
			text += line[0] + "\n"
		}
		bare := strings.Repeat("#\n", strings.Count(head, "\n")) // so that the lines have the same numbers
		found, without := check(head, text), check(bare, text)
		if found != without {
			t.Errorf("below %q:\n%s\nand without:\n%s", p.heads, found, without)
		}
		for _, line := range p.lines {
			if line[1] != "" && !strings.Contains(found, line[1]) {
				t.Errorf("nothing says %s of %q:\n%s", line[1], line[0], found)
			}
		}
	}
}
