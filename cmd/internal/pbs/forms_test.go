package pbs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
)

// queueForms are the same queues in each form in which PBS prints them.
var queueForms = map[string]string{
	"qstat -Qf": `Queue: workq
    queue_type = Execution
    Priority = 10
    resources_max.ncpus = 64
    resources_default.mem = 1gb
    max_run = [u:PBS_GENERIC=4],[g:staff=12],
	[o:PBS_ALL=40]
    max_run_res.ncpus = [u:PBS_GENERIC=96]
    backfill_depth = 3
    enabled = True
    started = True

Queue: quiet
    queue_type = Execution
    max_user_run = 2
    enabled = False
    started = False

`,
	"qmgr's list": `Queue workq
    queue_type = Execution
    Priority = 10
    resources_max.ncpus = 64
    resources_default.mem = 1gb
    max_run = [u:PBS_GENERIC=4],[g:staff=12],[o:PBS_ALL=40]
    max_run_res.ncpus = [u:PBS_GENERIC=96]
    backfill_depth = 3
    enabled = True
    started = True

Queue quiet
    queue_type = Execution
    max_user_run = 2
    enabled = False
    started = False

`,
	"qmgr's print": `create queue workq
set queue workq queue_type = Execution
set queue workq Priority = 10
set queue workq resources_max.ncpus = 64
set queue workq resources_default.mem = 1gb
set queue workq max_run = "[u:PBS_GENERIC=4]"
set queue workq max_run += "[g:staff=12]"
set queue workq max_run += "[o:PBS_ALL=40]"
set queue workq max_run_res.ncpus = "[u:PBS_GENERIC=96]"
set queue workq backfill_depth = 3
set queue workq enabled = True
set queue workq started = True
create queue quiet
set queue quiet queue_type = Execution
set queue quiet max_user_run = 2
set queue quiet enabled = False
set queue quiet started = False
`,
	"JSON": `{
	"timestamp":	1795258852,
	"pbs_version":	"23.06.06",
	"pbs_server":	"pbs",
	"Queue":	{
		"workq":	{
			"queue_type":	"Execution",
			"Priority":	10,
			"resources_max":	{
				"ncpus":	64
			},
			"resources_default":	{
				"mem":	"1gb"
			},
			"max_run":	"[u:PBS_GENERIC=4],[g:staff=12],[o:PBS_ALL=40]",
			"max_run_res":	{
				"ncpus":	"[u:PBS_GENERIC=96]"
			},
			"backfill_depth":	3,
			"enabled":	"True",
			"started":	"True"
		},
		"quiet":	{
			"queue_type":	"Execution",
			"max_user_run":	2,
			"enabled":	"False",
			"started":	"False"
		}
	}
}`,
	"DSV": "Queue: workq|queue_type=Execution|Priority=10|resources_max.ncpus=64|resources_default.mem=1gb|" +
		"max_run=[u:PBS_GENERIC=4],[g:staff=12],[o:PBS_ALL=40]|max_run_res.ncpus=[u:PBS_GENERIC=96]|backfill_depth=3|enabled=True|started=True\n" +
		"Queue: quiet|queue_type=Execution|max_user_run=2|enabled=False|started=False\n",
}

// readQueues returns the queues that a text tells.
func readQueues(output string) ([]Queue, []diag.Remark, error) {
	var site Site
	remarks, err := site.readQueues([]file.Source{text(output)})
	return site.Queues, remarks, err
}

func TestQueueForms(t *testing.T) {
	want := []Queue{
		{Name: "workq", Priority: 10, Attributes: Attributes{
			"max_run": "[u:PBS_GENERIC=4],[g:staff=12],[o:PBS_ALL=40]", "max_run_res.ncpus": "[u:PBS_GENERIC=96]",
			"resources_default.mem": "1gb", "backfill_depth": "3", "resources_max.ncpus": "64", "enabled": "True",
		}},
		{Name: "quiet", Stopped: true, Attributes: Attributes{"max_user_run": "2", "enabled": "False"}},
	}
	for form, output := range queueForms {
		got, remarks, err := readQueues(output)
		if diff := cmp.Diff(want, got); diff != "" || remarks != nil || err != nil {
			t.Errorf("%s: %v %v (-want +got):\n%s", form, remarks, err, diff)
		}
	}
}

// PBS's own output says the same in both forms that were recorded.
func TestRecordedQueueForms(t *testing.T) {
	lists, err := filepath.Glob("../../../testdata/scheduler/*/qstat-Qf.json")
	if err != nil || len(lists) == 0 {
		t.Fatal(len(lists), err)
	}
	for _, path := range lists {
		var queues [2][]Queue
		for i, name := range []string{path, strings.TrimSuffix(path, ".json") + ".txt"} {
			output, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var problem error
			if queues[i], _, problem = readQueues(string(output)); problem != nil || len(queues[i]) == 0 {
				t.Errorf("%s: %v %v", name, queues[i], problem)
			}
		}
		if diff := cmp.Diff(queues[0], queues[1]); diff != "" {
			t.Errorf("%s (-JSON +text):\n%s", path, diff)
		}
	}
}

// The server's attributes are the same in each form, too.
func TestServerForms(t *testing.T) {
	want := defaultSched()
	want.Formula, want.OfServer, want.Sources = "ncpus * 2", true, []string{"text"}
	want.Server = Attributes{"max_run": "[u:PBS_GENERIC=4]", "default_chunk.ncpus": "1"}
	for form, output := range map[string]string{
		"text": "Server: pbs\n    server_state = Active\n    default_chunk.ncpus = 1\n    max_run = [u:PBS_GENERIC=4]\n    job_sort_formula = ncpus * 2\n",
		"JSON": `{"pbs_server":"pbs","Server":{"pbs":{"server_state":"Active","default_chunk":{"ncpus":1},"max_run":"[u:PBS_GENERIC=4]","job_sort_formula":"ncpus * 2"}}}`,
		"DSV":  "Server: pbs|server_state=Active|default_chunk.ncpus=1|max_run=[u:PBS_GENERIC=4]|job_sort_formula=ncpus * 2\n",
	} {
		got := defaultSched()
		remarks, err := got.read(text(output), "", prints{})
		if diff := cmp.Diff(want, got); diff != "" || remarks != nil || err != nil {
			t.Errorf("%s: %v %v (-want +got):\n%s", form, remarks, err, diff)
		}
	}
}

// What is cut off is said in each form, and what it may have cut does not count.
func TestCutOffForms(t *testing.T) {
	for form, output := range map[string]string{
		"text":                  "Queue: workq\n    max_run = [u:PBS_GENERIC=4]\n    Priority = 1",
		"DSV":                   "Queue: workq|max_run=[u:PBS_GENERIC=4]|Priority=1",
		"JSON":                  `{"Queue":{"workq":{"max_run":"[u:PBS_GENERIC=4]","Priority":1`,
		"JSON in a name":        `{"Queue":{"workq":{"max_run":"[u:PBS_GENERIC=4]","Prio`,
		"JSON without a value":  `{"Queue":{"workq":{"max_run":"[u:PBS_GENERIC=4]","Priority":}}}`,
		"JSON with other words": "{\"Queue\":{\"workq\":{\nConnection lost\n\"max_run\":\"[u:PBS_GENERIC=4]\"}}}",
	} {
		got, remarks, err := readQueues(output)
		want := []Queue{{Name: "workq", Attributes: Attributes{"max_run": "[u:PBS_GENERIC=4]"}}}
		if diff := cmp.Diff(want, got); diff != "" || len(remarks) != 1 || !remarks[0].IsDamage || err != nil {
			t.Errorf("%s: %v %v (-want +got):\n%s", form, remarks, err, diff)
		}
	}
}
