package metrics

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"fairshare/cmd/internal/metrics"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/fstree"
)

// odd is a name that the format has to escape.
const odd = "a\"b\\c"

// sample returns an order of five jobs, of which one is an array and one is held.
func sample(t *testing.T) *order.Order {
	t.Helper()
	tree, problems := fstree.ParseResourceGroup("g 5 root 60\nann 10 g 3\n"+odd+" 11 root 20\n", 20)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if err := tree.LoadUsage(func(yield func(string, float64) bool) { yield("ann", 100) }, false); err != nil {
		t.Fatal(err)
	}
	site := &pbs.Site{SchedPriv: &pbs.SchedPriv{Tree: tree, Config: fstree.DefaultConfig()}, Queues: []pbs.Queue{{Name: "q"}, {Name: odd}, {Name: "idle"}}, Sched: pbs.Sched{Formula: "ncpus", Threshold: -1e300, PreemptQueuePrio: 150}}
	plan, _, err := order.NewPlan(site, order.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := order.ListOptions(plan)
	o.Columns = append(o.Columns, order.EligibleTime)
	list, err := joblist.Read(strings.NewReader(`Job_Id,job_state,euser,queue,array_indices_remaining,Resource_List.ncpus,eligible_time
1.s,Q,ann,q,,1,5
2.s,Q,ann,q,,8,70
3[].s,Q,"a""b\c","a""b\c",1-4,4,00:10:00
4.s,Q,cy,q,,2,0
5.s,H,cy,q,,99,0
`), o)
	if err != nil {
		t.Fatal(err)
	}
	made, _, err := plan.Order(list)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// read reads metrics as node_exporter's textfile collector does.
func read(t *testing.T, text []byte) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return families
}

// value returns the value of a series, by its labels in the order of All.
func value(families map[string]*dto.MetricFamily, name string, labels ...string) (float64, bool) {
	for _, m := range families[name].GetMetric() {
		var values []string
		for _, label := range m.GetLabel() {
			values = append(values, label.GetValue())
		}
		if slices.Equal(values, labels) {
			return m.GetGauge().GetValue(), true
		}
	}
	return 0, false
}

func TestWrite(t *testing.T) {
	o := sample(t)
	var text bytes.Buffer
	if err := Write(&text, o.Tree, o, nil, time.Unix(1700000000, 0)); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(text.String(), "\n# EOF\n") {
		t.Errorf("the end is %q", text.String()[max(0, text.Len()-40):])
	}
	families := read(t, text.Bytes())
	for _, row := range []struct {
		name   string
		labels []string
		want   float64
	}{
		{"pbs_fairshare_shares", []string{"ann", "g", "entity"}, 3}, {"pbs_fairshare_shares", []string{"g", "TREEROOT", "group"}, 60},
		{"pbs_fairshare_shares", []string{odd, "TREEROOT", "entity"}, 20}, {"pbs_fairshare_shares", []string{"cy", "unknown", "entity"}, 1},
		{"pbs_fairshare_usage", []string{"ann", "g", "entity"}, 100}, {"pbs_fairshare_tree_percentage_ratio", []string{odd, "TREEROOT", "entity"}, float64(float32(.2))},
		{"pbs_queue_jobs_waiting", []string{"q"}, 3}, {"pbs_queue_jobs_waiting", []string{odd}, 4}, {"pbs_queue_best_rank", []string{"q"}, 1}, {"pbs_queue_best_rank", []string{odd}, 2},
		{"pbs_queue_jobs_waiting", []string{"idle"}, 0}, {"pbs_queue_longest_wait_seconds", []string{"idle"}, 0},
		{"pbs_queue_longest_wait_seconds", []string{"q"}, 70}, {"pbs_queue_longest_wait_seconds", []string{odd}, 600},
		{"pbs_entity_jobs_waiting", []string{"ann"}, 2}, {"pbs_entity_best_rank", []string{"cy"}, 3}, {"pbs_entity_longest_wait_seconds", []string{"ann"}, 70},
		{"pbs_jobs_left_out", nil, 1}, {"pbs_snapshot_timestamp_seconds", nil, 1700000000},
	} {
		if got, ok := value(families, row.name, row.labels...); !ok || got != row.want {
			t.Errorf("%s%q is %v (%v), want %v", row.name, row.labels, got, ok, row.want)
		}
	}
	for name := range families {
		if !slices.ContainsFunc(All, func(m metrics.Metric[*source]) bool { return m.Name == name }) {
			t.Errorf("%s is not among All", name)
		}
	}
	for _, m := range All { // as OpenMetrics wants it
		if m.Unit != "" && !strings.HasSuffix(m.Name, "_"+m.Unit) {
			t.Errorf("%s does not end in its unit %s", m.Name, m.Unit)
		}
	}
}

// Names may hold bytes that are no text, and control characters: what is written can be
// read all the same, and names that are alike then are one series, that of the first.
func TestIllegibleNames(t *testing.T) {
	const group = "a\xffn"
	tree, problems := fstree.ParseResourceGroup(group+" 5 root 60\nb\x1b 10 "+group+" 3\nb\x7f 11 "+group+" 4\nc\xc3 12 root 7\n\xe2\x82 13 root 8\n\u00e9 14 root 9\n", 5)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var text bytes.Buffer
	if err := Write(&text, tree, nil, nil, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if !utf8.Valid(text.Bytes()) || bytes.ContainsAny(text.Bytes(), "\x1b\x7f") {
		t.Errorf("this is no text:\n%q", text.Bytes())
	}
	families := read(t, text.Bytes())
	if got, want := len(families["pbs_fairshare_shares"].GetMetric()), 6; got != want {
		t.Errorf("%d series, want %d:\n%s", got, want, text.Bytes())
	}
	for _, row := range []struct {
		name, parent, kind string
		want               float64
	}{
		{"a\ufffdn", "TREEROOT", "group", 60}, {"b\ufffd", "a\ufffdn", "entity", 4}, {"c\ufffd", "TREEROOT", "entity", 7},
		{"\ufffd", "TREEROOT", "entity", 8}, {"\u00e9", "TREEROOT", "entity", 9}, {"unknown", "TREEROOT", "group", 5},
	} {
		if got, ok := value(families, "pbs_fairshare_shares", row.name, row.parent, row.kind); !ok || got != row.want {
			t.Errorf("%q of %q: %v (%v), want %v", row.name, row.parent, got, ok, row.want)
		}
	}
}

// Nothing is known: there is nothing but the end.
func TestWriteNothing(t *testing.T) {
	var text bytes.Buffer
	if err := Write(&text, nil, nil, nil, time.Time{}); err != nil || text.String() != "# EOF\n" {
		t.Errorf("%q (%v)", text.String(), err)
	}
}

// The queries of the sample dashboard name metrics and labels that there are.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/grafana-dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	name, label := regexp.MustCompile(`pbs_[a-z_]+`), regexp.MustCompile(`([a-z]+)=~?"`)
	by := regexp.MustCompile(`by \(([a-z, ]+)\)`)
	seen := map[string]bool{}
	for _, panel := range dashboard.Panels {
		if len(panel.Targets) == 0 {
			t.Errorf("%s asks for nothing", panel.Title)
		}
		for _, target := range panel.Targets {
			var labels []string
			for _, found := range name.FindAllString(target.Expr, -1) {
				at := slices.IndexFunc(All, func(m metrics.Metric[*source]) bool { return m.Name == found })
				if at < 0 {
					t.Errorf("%s: there is no %s", panel.Title, found)
					continue
				}
				seen[found] = true
				labels = append(labels, All[at].Labels...)
			}
			var used []string
			for _, m := range label.FindAllStringSubmatch(target.Expr, -1) {
				used = append(used, m[1])
			}
			for _, m := range by.FindAllStringSubmatch(target.Expr, -1) {
				used = append(used, strings.Split(strings.ReplaceAll(m[1], " ", ""), ",")...)
			}
			for _, l := range used {
				if !slices.Contains(labels, l) {
					t.Errorf("%s: %s has no label %s", panel.Title, target.Expr, l)
				}
			}
		}
	}
	for _, m := range All {
		if !seen[m.Name] {
			t.Errorf("no panel shows %s", m.Name)
		}
	}
}
