package pbs

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
)

var update = flag.Bool("update", false, "write the page of the table of settings")

// pageOwners are whose settings the page has, in its order.
var pageOwners = []struct {
	of    Owner
	title string
}{
	{OfJob, "Jobs"}, {OfRequest, "Resources of PBS's own that jobs ask for"}, {OfQueue, "Queues"}, {OfServer, "The server"}, {OfScheduler, "The scheduler"},
	{OfConfig, "sched_config"}, {OfVnode, "Vnodes"}, {OfReservation, "Reservations"},
}

// The page in docs says of each row of the table what becomes of it here.
func TestPage(t *testing.T) {
	workshop.HoldPage(t, "pbs-settings.md", page(), *update)
}

func page() string {
	var b strings.Builder
	b.WriteString(`# What PBS's scheduler reads, and what becomes of it here

This page is written from the table in the code that ` + "`--set`" + `, warnings and copies go by
(` + "`go test ./cmd/internal/pbs -run Page -update`" + `). It has all that the scheduler of PBS 23.06 asks the server for
and reads of ` + "`sched_config`" + `, by the names that qstat, pbsnodes, qmgr and pbs_rstat print. NAME.* has a value for each
resource.

- **order**, **starts**, **course**: with another value the order of jobs is another one, or which of them start in a cycle
  and where, or what happens from cycle to cycle. ` + "`--set`" + ` tries other values: what changes the order in every command, the
  rest in ` + "`replay`, `when`, `sort --now`" + ` and the lab's replays. ` + "`NAME+=VALUE` and `NAME-=VALUE`" + ` add and take away as ` + "`qmgr`" + ` does,
  and ` + "`NAME=`" + ` unsets.
- **read**: it counts as it is.
- **said**: it is not modelled. Each command that reads the jobs of such a site says so, with the jobs that it concerns, and
  a replay with their cpu hours as well. ` + "`usage`" + ` does not: what has run is charged, whatever let it start.
- **without effect**: no answer depends on it, for the reason that stands there.
`)
	for _, o := range pageOwners {
		fmt.Fprintf(&b, "\n## %s\n\n| attribute | here |\n|---|---|\n", o.title)
		grouped := map[string][]string{}
		for _, s := range inOrder() {
			switch {
			case s.Of&o.of == 0:
			case s.Without == longGone || s.Without == administrative:
				grouped[s.Without] = append(grouped[s.Without], "`"+s.Name+"`")
			default:
				fmt.Fprintf(&b, "| `%s` | %s |\n", map[bool]string{false: s.Name, true: s.Name + ".*"}[s.PerResource], s.becomes())
			}
		}
		for _, why := range []string{longGone, administrative} {
			if names := grouped[why]; names != nil {
				fmt.Fprintf(&b, "\nWithout effect, since %s: %s.\n", why, strings.Join(names, ", "))
			}
		}
	}
	return b.String()
}

// becomes says what becomes of a setting.
func (s *Setting) becomes() string {
	var parts []string
	for _, e := range []struct {
		effect Effect
		word   string
	}{{OnOrder, "order"}, {OnStarts, "starts"}, {OnCourse, "course"}} {
		if s.Acts&e.effect != 0 {
			parts = append(parts, e.word)
		}
	}
	if s.IsRead {
		parts = append(parts, "read")
	}
	if s.Lacks != "" {
		parts = append(parts, "said: "+strings.Replace(s.Lacks, "RESOURCES", "its resources", 1))
	}
	if s.Without != "" {
		parts = append(parts, "without effect: "+s.Without)
	}
	return strings.Join(parts, "; ")
}

// inOrder returns all settings in the order of the table.
func inOrder() []*Setting {
	var all []*Setting
	for _, rows := range [][]Setting{attributeSettings, limitSettings, configSettings, jobSettings, placeSettings, otherSettings} {
		for i := range rows {
			all = append(all, &rows[i])
		}
	}
	return all
}

// What is not modelled is said under each value that is not the usual one, and under no other.
func TestLacks(t *testing.T) {
	for _, s := range inOrder() {
		if s.Lacks == "" || s.Of&(OfJob|OfVnode|OfReservation) != 0 && s.Of&OfServer == 0 || slices.Contains(s.usual, "*") {
			continue
		}
		if s.Of&OfRequest != 0 {
			if got := LacksOfRequests([]string{s.Name, "ncpus"}); len(got) != 1 || got[0].Says != s.Lacks {
				t.Errorf("%s is not said: %v", s.Name, got)
			}
			continue
		}
		for value, want := range map[string]int{unusual[s.Name]: 1, usual(s): 0} {
			site := &Site{SchedPriv: &SchedPriv{}}
			site.SchedPriv.Config.Prime.Preemptive = true
			switch {
			case s.Of&OfServer != 0:
				site.Sched.Server = Attributes{s.Name: value}
			case s.Of&OfScheduler != 0:
				site.Sched.Scheduler = Attributes{s.Name: value}
			default:
				site.SchedPriv.Config.Others = map[string][]string{s.Name: {value}}
			}
			if got := site.Lacks(); len(got) != want {
				t.Errorf("%s=%q says %v", s.Name, value, got)
			}
		}
	}
}

// What is not modelled of jobs is asked of lists where it matters.
func TestJobLacks(t *testing.T) {
	site := &Site{SchedPriv: &SchedPriv{}}
	if got := site.JobLacks(); len(got) > 0 {
		t.Errorf("where nothing is preempted or planned, %d attributes matter", len(got))
	}
	site.SchedPriv.Config.Prime.Preemptive, site.SchedPriv.Config.Prime.StrictOrdering = true, true
	for _, s := range site.JobLacks() {
		value := map[string]string{"Rerunable": "False", "Checkpoint": "c=10"}[s.Name]
		if !s.Matters(cmp.Or(value, "1")) {
			t.Errorf("%s never matters", s.Name)
		}
	}
}

// unusual has values under which something lacks, where True is none.
var unusual = map[string]string{
	"scheduling": "False", "sched_cycle_length": "00:01:00", "smp_cluster_dist": "load_balancing", "peer_queue": "workq workq@other",
	"server_dyn_res": "lic !/bin/lic", "power_provisioning": "True", "has_runjob_hook": "True",
	"load_balancing": "true", "load_balancing_rr": "true",
}

func usual(s *Setting) string {
	switch {
	case s.Name == dynamicResources || s.usual == nil:
		return "False"
	default:
		return s.usual[0]
	}
}
