package snapshot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/fstree"
	"fairshare/usagefile"
)

// Obfuscate returns a snapshot in which users, groups, accounts, projects, job
// names, hosts and paths have other names, the same ones throughout, so that orders
// and values are as they were. Only what is known to say nothing else of anybody is
// kept: no environments, comments, submit arguments or access lists.
func Obfuscate(s *Snapshot) (*Snapshot, error) {
	o := obfuscator{from: s, names: newNames(), files: map[string][]byte{}}
	for _, step := range []func() error{o.settings, o.jobs, o.groups, o.usage, o.attributes, o.nodes} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	taken, ok := s.Taken()
	if !ok {
		taken = time.Now()
	}
	return New(s.Name, o.files, taken, append(slices.Clone(s.Remarks), o.remarks...)), nil
}

type obfuscator struct {
	*names
	from    *Snapshot
	files   map[string][]byte // that are written, by path
	remarks []diag.Remark
	entity  string // fairshare_entity
}

// maxText bounds what is rewritten as a whole, but for lists of jobs.
const maxText = 1 << 30

// priv returns a file of sched_priv. ok is false where it cannot be read, which the
// reading of the site says.
func (o *obfuscator) priv(name string) (text string, ok bool) {
	dir := o.from.Files().SchedPriv
	if dir.Name == "" {
		return "", false
	}
	text, err := dir.Read(name, maxText)
	return text, err == nil
}

// settings rewrites sched_config, finds out whose names the tree has, and takes the
// formulas as they are: they have no names of people.
func (o *obfuscator) settings() error {
	text, ok := o.priv("sched_config")
	config, _ := fstree.ParseConfig(text)
	if o.entity = config.Entity; o.entity == "queue" {
		o.keep(o.queueNames()...)
	}
	if ok {
		var out strings.Builder
		for line := range strings.Lines(text) {
			if line := strings.TrimSpace(line); line != "" && line[0] != '#' && line[0] != '*' {
				out.WriteString(o.paths(line) + "\n")
			}
		}
		o.files[privPath("sched_config")] = []byte(out.String())
	}
	if formula, ok := o.priv("sched_formula"); ok {
		o.files[privPath("sched_formula")] = []byte(formula)
	}
	for _, m := range Members {
		from := o.from.members[m.Path]
		if m.Part != Formula && m.Part != Threshold || !from.IsGiven() {
			continue
		}
		text, err := from.Text(maxText)
		if err != nil {
			return err
		}
		o.files[m.Path] = []byte(text)
	}
	return nil
}

// queueNames returns the names of the site's queues.
func (o *obfuscator) queueNames() []string {
	var list []string
	site, _, err := o.from.Files().Read()
	if err == nil {
		for _, q := range site.Queues {
			list = append(list, q.Name)
		}
	}
	return list
}

// groups rewrites resource_group.
func (o *obfuscator) groups() error {
	text, ok := o.priv("resource_group")
	if !ok {
		return nil
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 4 || words[0][0] == '#' || words[0][0] == '*' {
			continue
		}
		fmt.Fprintf(&out, "%s\t%s\t%s\t%s\n", o.names.entity(words[0]), words[1], o.names.entity(words[2]), words[3])
	}
	o.files[privPath("resource_group")] = []byte(out.String())
	return nil
}

// usage rewrites the usage database.
func (o *obfuscator) usage() error {
	text, ok := o.priv(usagefile.Name)
	if !ok {
		return nil
	}
	db := usagefile.Parse(text)
	for _, problem := range db.Problems {
		o.remarks = append(o.remarks, diag.Damagef("usage: %v", problem))
	}
	var out bytes.Buffer
	err := usagefile.Write(&out, db.LastDecay, func(yield func(string, float64) bool) {
		for name, usage := range db.All() {
			if !yield(o.names.entity(name), usage) {
				return
			}
		}
	})
	o.files[privPath(usagefile.Name)] = out.Bytes()
	return err
}

// keptAttribute are the attributes of server, queues, resources and scheduler that
// are kept: switches, numbers, limits and resources.
var keptAttribute = regexp.MustCompile("^(" + strings.Join(strings.Fields(`
server_state scheduling total_jobs state_count default_queue query_other_jobs scheduler_iteration flatuid resv_enable
node_fail_requeue max_array_size eligible_time_enable backfill_depth node_group_enable node_group_key pbs_version
job_sort_formula.* max_(run|queued|running|user_|group_).* resources_(default|max|min|available|assigned)\..* default_chunk\..*
queue_type Priority enabled started route_destinations type flag
sched_cycle_length throughput_mode job_run_wait state preempt_.* do_not_span_psets only_explicit_psets opt_backfill_fuzzy
`), "|") + ")$")

// attributes rewrites what qmgr and qstat print of server, queues, resources and
// scheduler, in qstat's form.
func (o *obfuscator) attributes() error {
	for _, m := range Members {
		from := o.from.members[m.Path]
		isOther := m.Part != Queues && m.Part != Resources && m.Part != Attributes
		if isOther || !from.IsGiven() || o.files[m.Path] != nil {
			continue
		}
		text, err := from.Text(maxText)
		if err != nil {
			o.remarks = append(o.remarks, diag.Damagef("%v", err))
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(text), "{") {
			o.remarks = append(o.remarks, diag.Notef("%s is JSON and left out", from.Name))
			continue
		}
		var out strings.Builder
		objects, _ := pbs.ParseObjects(text)
		for _, object := range objects {
			o.object(&out, object)
		}
		o.files[m.Path] = []byte(out.String())
	}
	return nil
}

// object writes an object.
func (o *obfuscator) object(out *strings.Builder, object *pbs.Object) {
	name := object.Name
	switch object.Kind {
	case "node", "hook":
		return
	case "server":
		name = o.name("host", name)
		if name == "" {
			name = "server"
		}
	case "sched":
		if name == "" {
			name = "default"
		}
	}
	fmt.Fprintf(out, "%s %s\n", strings.ToUpper(object.Kind[:1])+object.Kind[1:], name)
	for _, a := range object.Attributes {
		value := a.Value
		switch {
		case !keptAttribute.MatchString(a.Name):
			continue
		case strings.HasPrefix(a.Name, "max_"):
			value = o.limits(value)
		case strings.HasPrefix(a.Name, "resources_") || strings.HasPrefix(a.Name, "default_chunk."):
			_, resource, _ := strings.Cut(a.Name, ".")
			value = o.resource(resource, value)
		case a.Name == "route_destinations" || a.Name == "default_queue":
			value = replaceGroup(dependOn, value, func(match []string) string { return o.name("host", match[2]) })
		}
		fmt.Fprintf(out, "    %s = %s\n", a.Name, value)
	}
	out.WriteString("\n")
}

// node is what is kept of a node.
type node struct {
	Mom                string
	State              string         `json:"state"`
	CPUs               int            `json:"pcpus,omitempty"`
	ResourcesAvailable map[string]any `json:"resources_available"`
	ResourcesAssigned  map[string]any `json:"resources_assigned"`
	Sharing            string         `json:"sharing"`
	Queue              string         `json:"queue,omitempty"`
}

// nodes rewrites what pbsnodes prints, in its order, which placement goes by.
func (o *obfuscator) nodes() error {
	from := o.from.first(Nodes)
	if !from.IsGiven() {
		return nil
	}
	text, err := from.Text(maxText)
	if err != nil {
		o.remarks = append(o.remarks, diag.Damagef("%v", err))
		return nil
	}
	var list struct{ Nodes orderedNodes }
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		o.remarks = append(o.remarks, diag.Damagef("%s is left out: %v", from.Name, err))
		return nil
	}
	var out bytes.Buffer
	out.WriteString("{\n\t\"nodes\":\t{")
	for i, name := range list.Nodes.names {
		n := list.Nodes.nodes[i]
		n.Mom = o.name("host", n.Mom)
		for _, resources := range []map[string]any{n.ResourcesAvailable, n.ResourcesAssigned} {
			for _, resource := range slices.Sorted(maps.Keys(resources)) {
				if text, ok := resources[resource].(string); ok {
					resources[resource] = o.resource(resource, text)
				}
			}
		}
		text, err := json.Marshal(n)
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "%s\n\t\t%s:\t%s", strings.Repeat(",", min(i, 1)), quoted(o.resource("vnode", name)), text)
	}
	out.WriteString("\n\t}\n}\n")
	o.files[from.Member] = out.Bytes()
	return nil
}

// orderedNodes are nodes in the order in which they stand.
type orderedNodes struct {
	names []string
	nodes []node
}

// UnmarshalJSON implements json.Unmarshaler.
func (l *orderedNodes) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil { // the brace
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var n node
		if err := d.Decode(&n); err != nil {
			return err
		}
		l.names, l.nodes = append(l.names, fmt.Sprint(name)), append(l.nodes, n)
	}
	return nil
}

func quoted(text string) string {
	b, _ := json.Marshal(strings.ToValidUTF8(text, "?")) // a string always can be
	return string(b)
}
