package pbs

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"fairshare/cmd/internal/file"
	"fairshare/fstree"
)

// checkedConfig returns what Check says of a sched_config, and what PBS makes of it.
func checkedConfig(t *testing.T, text string) (texts []string, site *Site) {
	t.Helper()
	dir := file.Dir{Name: "sched_priv", FS: fstest.MapFS{ConfigFile: {Data: []byte(text)}, GroupsFile: {Data: []byte("ann 10 root 40\n")}}}
	site, _, err := Files{SchedPriv: dir}.Read()
	if err != nil {
		t.Fatal(err)
	}
	remarks, untold := site.Check()
	for _, r := range remarks {
		if r.File != ConfigFile || r.Line == 0 {
			t.Errorf("%q: %q does not say where it stands", text, r.Text)
		}
		texts = append(texts, r.Text)
	}
	return append(texts, untold...), site
}

// nonsense are values that no setting has, or not each.
var nonsense = []string{"0", "1", "-1", "-5", "2.5", "99999999999", "nonsense", "true", "false", "1:00:00", "99:99", "-1:00", `"ncpus HIGH"`, `"ncpus HIHG"`, `"nosuch LOW"`, "SCRX", "packed", "[]", "*", "ncpus*"}

// texts are the settings that take every text as it stands: the names of queues begin with what some say, and the others name
// resources or hosts, of which it is said where there is none.
var texts = strings.Fields("primetime_prefix nonprimetime_prefix dedicated_prefix")

// TestNonsense gives each setting of sched_config values that are none. What Check has no word for makes a difference to what the
// scheduler of ours goes by, or is the default; what is said not to count makes none.
func TestNonsense(t *testing.T) {
	base, _ := fstree.ParseConfig("")
	names, others := fstree.Settings()
	for _, name := range slices.Concat(names, others) {
		for _, value := range nonsense {
			line := name + ": " + value + "\n"
			said, site := checkedConfig(t, line)
			got := site.SchedPriv.Config
			isDropped := strings.Contains(strings.Join(said, "\n"), "does not count")
			isSame := reflect.DeepEqual(got, base)
			switch {
			case isDropped && !isSame && !fstree.IsOldAttribute(name) && got.Others == nil:
				t.Errorf("%s: it is said not to count, and makes %+v of %+v", line, got, base)
			case len(said) > 0 || slices.Contains(texts, name) || !isSame && got.Others == nil && got.Old == nil:
			case strings.TrimSpace(got.Setting(name)) != "" && isSame: // as it is without the line
			case fstree.IsOldAttribute(name) && attributesOf(site) != attributesOf(&Site{Sched: defaultSched()}):
			default:
				if is := SettingOf(OfConfig, name); is == nil || is.Without == "" && is.Lacks == "" {
					t.Errorf("%s: nothing is said of it, and it changes nothing", line)
				}
			}
		}
	}
}

// attributesOf returns the preemption of a site as one text.
func attributesOf(s *Site) string {
	return strings.Join(s.Sched.PreemptPrio, ",") + s.Sched.Scheduler["preempt_order"] + fieldOf("preempt_queue_prio").get(&s.Sched)
}

// TestCheckLines shows what is said of lines of sched_config that do nothing beside others.
func TestCheckLines(t *testing.T) {
	for _, test := range []struct {
		config string
		want   []string // parts of what is said, in the order of the lines
	}{
		{"fair_share: true ALL\nfair_share: false ALL\n", []string{"line 1: fair_share is set again on line 2, so that this line does not count"}},
		{"fair_share: true prime\nfair_share: false non_prime\n", nil},
		{"fair_share: true ALL\nfair_share: false prime\n", nil},
		{"fair_share: true prime\nfair_share: false ALL\n", []string{"line 1: fair_share is set again"}},
		{"fair_share: true ALL\nfair_share: true ALL\n", nil},
		{"fairshare_decay_factor: 0.25\nfairshare_decay_factor: 7\n", []string{"line 2: fairshare_decay_factor: \"7\" is not between 0 and 1"}},
		{"half_life: 1:00:00\nfairshare_decay_time: 2:00:00\n", []string{"line 1: half_life is deprecated", "line 1: half_life is set again on line 2"}},
		{"fairshare_decay_time: 0\n", []string{"line 1: fairshare_decay_time: 0 leaves no time between two decays: it is taken for one second"}},
		{"fairshare_decay_time: 24\n", []string{"line 1: fairshare_decay_time: 24 is of seconds, 0:00:24 in all: usage is as good as forgotten within some hours; as hours it is 24:00:00"}},
		{"half_life: 24\n", []string{"line 1: half_life is deprecated", "line 1: half_life: 24 is of seconds, 0:00:24 in all: "}},
		{"fairshare_decay_time: 86400\n", nil},
		{"fairshare_decay_time: 00:10:00\n", nil},
		{"fairshare_decay_time: 12:00:00 prime\n", []string{"line 1: fairshare_decay_time holds at all times: prime behind its value does not count"}},
		{"backfill_prime: true sometimes\n", []string{`line 1: "sometimes" is none of prime, non_prime and all: the line holds at all times`}},
		{"job_sort_key: \"mem HIGH\" ALL\njob_sort_key: \"mem LOW\" prime\n", []string{"line 2: job_sort_key: mem decides on line 1 already"}},
		{"job_sort_key: \"mem HIGH\" prime\njob_sort_key: \"mem LOW\" non_prime\nnode_sort_key: \"mem LOW\" ALL\n", nil},
		{"node_sort_key: \"mem HIGH\" ALL\nnode_sort_key: \"mem LOW unused\" ALL\n", nil},
		{"job_sort_key: \"ncpu HIGH\" ALL\n", []string{"line 1: job_sort_key names ncpu, a resource that PBS itself does not have; did you mean ncpus?"}},
		{"node_sort_key: \"sort_prioriti HIGH\" ALL\n", []string{"did you mean sort_priority?"}},
		{"resources: \"ncpus, mem, lic\"\n", []string{"lic (line 1, resources)"}},
		{"preempt_order: SCRX\n", []string{`line 1: preempt_order does not count: "SCRX" is no order of the letters S, C, R and D`}},
		{"preempt_prio: \"express_queue, normal_job\"\n", []string{"line 1: preempt_prio does not count: there is no preemption level normal_job"}},
		{"unknown_shares: 4294967297\n", []string{"line 1: unknown_shares: \"4294967297\" is not a number of shares, PBS takes it for 1"}},
		{"unknown_shares: 010\n", nil},
		{"smp_cluster_dist: packed\n", []string{"line 1: smp_cluster_dist: there is no value packed; did you mean pack?"}},
		{"sort_by: \"mem HIGH\"\nnode_group_key: host\n", []string{"line 1: sort_by does nothing: job_sort_key has taken its place", "line 2: node_group_key does nothing"}},
		{"resources: \"ncpus mem, arch\"\n", []string{"line 1: resources: names have commas between them: PBS takes \"ncpus mem\" for one name"}},
		{"server_dyn_res: \"mem /x\"\n", []string{"line 1: server_dyn_res: \"mem /x\" is not a resource and a script"}},
		{"primetime_prefix: p\nnonprimetime_prefix: p_n\n", []string{"line 2: nonprimetime_prefix changes nothing: queues whose names begin with p_n"}},
		{"prime_spill: 1:00:00\n", []string{"line 1: prime_spill changes nothing while sched.backfill_prime is false"}},
		{"backfill_prime: true ALL\nprime_spill: 1:00:00\n", nil},
		{"fair_share: true ALL\nfairshare_usage_res: ncpus*\n", []string{`line 2: fairshare_usage_res: "ncpus*" cannot be evaluated`}},
	} {
		got, _ := checkedConfig(t, test.config)
		isAs := len(got) == len(test.want)
		for i := 0; isAs && i < len(got); i++ {
			isAs = strings.Contains(got[i], test.want[i])
		}
		if !isAs {
			t.Errorf("%q: %q, want %q", test.config, got, test.want)
		}
	}
}

// Where the scheduler's attributes are known, those of the same name in sched_config do not count, and that is said.
func TestOldBesideAttributes(t *testing.T) {
	site := &Site{SchedPriv: &SchedPriv{configLines: slices.Collect(fstree.ConfigLines("preempt_order: SC\n"))}, Sched: defaultSched()}
	site.Sched.OfSched = true
	remarks, _ := site.Check()
	if len(remarks) != 1 || !strings.Contains(remarks[0].Text, "preempt_order does not count here since PBS 19") {
		t.Errorf("%v", remarks)
	}
}
