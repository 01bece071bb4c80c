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
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/jobs"
	"fairshare/fstree"
	"fairshare/usagefile"
)

// Obfuscate returns a snapshot in which users, groups, accounts, projects, job
// names, hosts and paths have other names, the same ones throughout, so that orders
// and values are as they were. What says more of people than an order needs, such
// as environments, comments, submit arguments and access lists, is left out.
func Obfuscate(s *Snapshot) (*Snapshot, error) {
	o := obfuscator{from: s, names: newNames(), files: map[string][]byte{}, entity: fstree.DefaultConfig().Entity}
	for _, step := range []func() error{o.config, o.jobs, o.groups, o.usage, o.texts, o.nodes} {
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
	files   map[string][]byte
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

// config rewrites sched_config, and finds out whose names the tree has.
func (o *obfuscator) config() error {
	text, ok := o.priv("sched_config")
	config, _ := fstree.ParseConfig(text)
	o.entity = config.Entity
	if o.entity == "queue" {
		for _, name := range o.queueNames() {
			o.by[name] = name
		}
	}
	if !ok {
		return nil
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		if line := strings.TrimSpace(line); line != "" && line[0] != '#' && line[0] != '*' {
			out.WriteString(pathIn.ReplaceAllStringFunc(line, func(match string) string {
				at := strings.IndexByte(match, '/')
				return match[:at] + o.name("/path", match[at:])
			}) + "\n")
		}
	}
	o.files[PrivPath("sched_config")] = []byte(out.String())
	if formula, ok := o.priv("sched_formula"); ok {
		o.files[PrivPath("sched_formula")] = []byte(formula)
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

// Attributes of jobs by what becomes of them. All others are left out.
var (
	keptAttributes = strings.Fields(`job_state queue ctime mtime qtime etime stime Priority queue_rank queue_type substate eligible_time accrue_type
		run_count array array_indices_submitted array_indices_remaining array_state_count array_index max_run_subjobs Exit_status Hold_Types Rerunable
		obittime history_timestamp resources_used estimated`)
	namedAttributes = map[string]string{
		"euser": "user", "egroup": "group", "Account_Name": "account", "project": "project", "Job_Name": "job", "server": "host", "Submit_Host": "host",
	}
	rewrittenAttributes = strings.Fields(`exec_host exec_vnode depend schedselect Output_Path Error_Path jobdir array_id`)
)

// jobs rewrites the list of jobs as JSON.
func (o *obfuscator) jobs() error {
	from := o.from.Jobs()
	if !from.IsGiven() {
		return nil
	}
	attributes := append([]string{"Job_Owner", o.entity}, keptAttributes...)
	for name := range namedAttributes {
		attributes = append(attributes, name)
	}
	attributes = append(attributes, rewrittenAttributes...)
	slices.Sort(attributes)
	attributes = slices.Compact(attributes)
	in, err := from.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	plain, err := file.Plain(in)
	if err != nil {
		return fmt.Errorf("%s: %w", from.Name, err)
	}
	type part struct {
		text     []byte
		problems map[string]int
	}
	work := func(b *jobs.Batch) part {
		var text bytes.Buffer
		for i := range b.Records {
			text.WriteString(",\n")
			o.job(&text, &b.Records[i], attributes)
		}
		return part{text.Bytes(), b.Problems}
	}
	var list []byte
	collect := func(p part) error {
		list = append(list, p.text...)
		for _, kind := range slices.Sorted(maps.Keys(p.problems)) {
			o.remarks = append(o.remarks, diag.Damagef("%s: %s", from.Name, kind))
		}
		return nil
	}
	options := jobs.Options{Schema: jobs.NewSchema(attributes...), Workers: 1} // names are numbered in one order
	if _, err := jobs.Read(plain, options, work, collect); err != nil {
		return fmt.Errorf("%s: %w", from.Name, err)
	}
	var out bytes.Buffer
	out.WriteString("{\n\t\"Jobs\":\t{")
	out.Write(bytes.TrimPrefix(list, []byte(",")))
	out.WriteString("\n\t}\n}\n")
	o.files[Members[0].Path] = out.Bytes()
	return nil
}

// job writes a job.
func (o *obfuscator) job(out *bytes.Buffer, r *jobs.Record, attributes []string) {
	fmt.Fprintf(out, "\t\t%s:\t{", quoted(o.id(string(r.ID))))
	separator := "\n"
	write := func(name, value string) {
		fmt.Fprintf(out, "%s\t\t\t%s:\t%s", separator, quoted(name), value)
		separator = ",\n"
	}
	for i, name := range attributes {
		value := string(r.Values[i])
		kind, isNamed := namedAttributes[name]
		switch {
		case r.Values[i] == nil:
		case isNamed:
			write(name, quoted(o.name(kind, value)))
		case name == "Job_Owner":
			write(name, quoted(o.address(value)))
		case name == o.entity && !slices.Contains(keptAttributes, name):
			write(name, quoted(o.names.entity(value)))
		case slices.Contains(rewrittenAttributes, name):
			write(name, quoted(o.value(value)))
		case strings.HasPrefix(value, "{"):
			if json.Valid(r.Values[i]) {
				write(name, o.value(value))
			}
		default:
			write(name, amount(value))
		}
	}
	if len(r.Resources) > 0 {
		var list []string
		for _, e := range r.Resources {
			list = append(list, fmt.Sprintf("\t\t\t\t%s:\t%s", quoted(string(e.Name)), amount(o.resource(string(e.Value)))))
		}
		write("Resource_List", "{\n"+strings.Join(list, ",\n")+"\n\t\t\t}")
	}
	out.WriteString("\n\t\t}")
}

var isAmount = regexp.MustCompile(`^[-+]?[0-9.:]+([eE][-+]?[0-9]+)?[a-zA-Z]{0,2}$`)

// resource returns a resource's amount as it is, and of other values one without
// names.
func (o *obfuscator) resource(value string) string {
	if isAmount.MatchString(value) {
		return value
	}
	return o.value(value)
}

func quoted(text string) string {
	b, _ := json.Marshal(strings.ToValidUTF8(text, "?"))
	return string(b)
}

// amount returns a number as JSON has it, and any other text as a string.
func amount(text string) string {
	if text != "" && strings.ContainsRune("-0123456789", rune(text[0])) && json.Valid([]byte(text)) {
		return text
	}
	return quoted(text)
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
	o.files[PrivPath("resource_group")] = []byte(out.String())
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
	o.files[PrivPath(usagefile.Name)] = out.Bytes()
	return err
}

// droppedAttributes say more of people than an order needs.
var droppedAttributes = regexp.MustCompile(`^(comment|mail.*|acl_.*|managers|operators|manager|operator|pbs_license_info|Variable_List)$`)

// texts rewrites what qmgr and qstat print of server, queues, resources and
// scheduler.
func (o *obfuscator) texts() error {
	for _, m := range Members {
		if m.Part == Jobs || m.Part == Nodes || m.Part == Taken {
			continue
		}
		from := o.from.member(m.Path)
		if !from.IsGiven() || o.files[m.Path] != nil {
			continue
		}
		text, err := from.Text(maxText)
		if err != nil {
			o.remarks = append(o.remarks, diag.Damagef("%v", err))
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(text), "{") {
			o.files[m.Path] = []byte(o.json(text))
			continue
		}
		o.files[m.Path] = []byte(o.attributes(text, m.Part == Formula || m.Part == Threshold))
	}
	return nil
}

// attributes rewrites lines of attributes. A formula has no names of people.
func (o *obfuscator) attributes(text string, isFormula bool) string {
	if isFormula {
		return text
	}
	unfolded := strings.NewReplacer("\r\n", "\n", "\n\t", "").Replace(text)
	var out strings.Builder
	for line := range strings.Lines(unfolded) {
		line = strings.TrimRight(line, "\n")
		before, value, isAttribute := strings.Cut(line, " = ")
		words := strings.Fields(before)
		name := ""
		if len(words) > 0 {
			name = words[len(words)-1]
		}
		switch {
		case strings.HasPrefix(line, "#"), droppedAttributes.MatchString(name):
			continue
		case isAttribute && name == "job_sort_formula":
		case isAttribute && strings.HasSuffix(name, "_host"):
			line = before + " = " + o.name("host", strings.TrimSpace(value))
		case isAttribute:
			line = before + " = " + o.value(value)
		case len(words) == 2 && (words[0] == "Server:" || words[0] == "Server"):
			line = words[0] + " " + o.name("host", words[1])
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}

// nodes rewrites what pbsnodes prints.
func (o *obfuscator) nodes() error {
	from := o.from.first(Nodes)
	if !from.IsGiven() {
		return nil
	}
	text, err := from.Text(maxText)
	if err != nil {
		return err
	}
	var nodes struct {
		Nodes map[string]struct {
			Mom                string
			ResourcesAvailable map[string]any `json:"resources_available"`
		}
	}
	if err := json.Unmarshal([]byte(text), &nodes); err != nil {
		o.remarks = append(o.remarks, diag.Damagef("%s is left out: %v", from.Name, err))
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(nodes.Nodes)) {
		host, _, _ := strings.Cut(name, "[")
		o.name("host", host)
		o.name("host", nodes.Nodes[name].Mom)
		if host, ok := nodes.Nodes[name].ResourcesAvailable["host"].(string); ok {
			o.name("host", host)
		}
	}
	for _, m := range Members {
		if m.Part == Nodes {
			o.files[m.Path] = []byte(o.json(text))
		}
	}
	return nil
}

var stringIn = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// json rewrites the strings of JSON.
func (o *obfuscator) json(text string) string {
	return stringIn.ReplaceAllStringFunc(text, func(literal string) string {
		var content string
		if json.Unmarshal([]byte(literal), &content) != nil {
			return `""`
		}
		return quoted(o.value(content))
	})
}
