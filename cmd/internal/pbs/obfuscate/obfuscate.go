// Package obfuscate copies what a PBS site prints without the names of people, hosts and the like.
package obfuscate

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/snapshot"
	"fairshare/fstree"
	"fairshare/usagefile"
)

// Snapshot returns a snapshot in which users, groups, accounts, projects, job
// names, hosts, paths, queues, and resources that PBS does not have by itself, have
// other names, the same ones throughout, so that orders, values and replays are as they
// were. Only what is known to say nothing else of anybody is kept: no environments,
// comments, submit arguments or access lists.
func Snapshot(s *snapshot.Snapshot, shift obfuscate.Shift) (*snapshot.Snapshot, error) {
	o := obfuscator{from: s, names: newNames(shift), files: map[string][]byte{}, dir: s.Files().SchedPriv, as: pbs.PrivName}
	o.keepYear()
	for _, step := range []func() error{o.settings, o.attributes, o.nodes, o.jobs, o.readLogs, o.serverLogs, o.status, o.hours, o.groups, o.usage, o.further} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	taken := o.shift.Move(o.takenAt())
	hidden := snapshot.New(s.Name, o.files, taken, append(slices.Clone(s.Remarks), o.remarks...))
	hidden.KeepLogs(o.logs, o.serverLog)
	return hidden, o.checkMoved()
}

type obfuscator struct {
	*names
	from      *snapshot.Snapshot
	dir       file.Dir          // the sched_priv that is rewritten
	as        string            // what it is called then
	files     map[string][]byte // that are written, by path
	logs      []file.Source
	remarks   []diag.Remark
	serverLog []file.Source
	entityOf  string // fairshare_entity
}

// priv returns a file of sched_priv. ok is false where it cannot be read, which the
// reading of the site says.
func (o *obfuscator) priv(name string) (text string, ok bool) {
	if o.dir.Name == "" {
		return "", false
	}
	text, err := o.dir.Read(name, file.MostPrinted)
	return text, err == nil
}

// privPath returns the path of a file of sched_priv as it is written.
func (o *obfuscator) privPath(name string) string { return path.Join(o.as, name) }

// further rewrites the sched_priv of each further scheduler.
func (o *obfuscator) further() error {
	files := o.from.Files()
	site, _, err := files.Read()
	if err != nil {
		return err
	}
	for _, s := range site.Schedulers() {
		if s.Partitions == nil || s.Priv == "" {
			continue
		}
		if o.dir = files.Further(s.Priv); o.dir.Name == "" {
			continue
		}
		o.as = o.schedPriv(s.Priv)
		if text, ok := o.priv("sched_config"); ok {
			o.config(text)
		}
		for _, step := range []func() error{o.hours, o.groups, o.usage} {
			if err := step(); err != nil {
				return err
			}
		}
	}
	return nil
}

// isWord finds the names in a formula or in a list of resources.
var isWord = pattern.Of(`[A-Za-z_][A-Za-z0-9_]*`)

// keepResources leaves the names of resources that a formula may use as they are.
func (o *obfuscator) keepResources(formula string) {
	for _, word := range isWord().FindAllString(formula, -1) {
		o.resources[word], o.Taken[word] = word, true
	}
}

// settings takes the formulas as they are, since they have no names of people, and
// rewrites sched_config.
func (o *obfuscator) settings() error {
	site, _, err := o.from.Files().Read()
	if err != nil {
		return err
	}
	o.types = site.Resources
	o.keepResources(site.Sched.Formula)
	if formula, ok := o.priv("sched_formula"); ok {
		o.keepResources(formula)
		o.files[o.privPath("sched_formula")] = []byte(formula)
	}
	for _, m := range snapshot.Members {
		from := o.from.Member(m.Path)
		if m.Part != snapshot.Formula && m.Part != snapshot.Threshold || !from.IsGiven() {
			continue
		}
		text, err := from.Text(file.MostPrinted)
		if err != nil {
			return err
		}
		o.keepResources(text)
		o.files[m.Path] = []byte(text)
	}
	if text, ok := o.priv("sched_config"); ok {
		config, _ := fstree.ParseConfig(text)
		o.entityOf, o.isPair = config.Entity, config.Entity == "egroup:euser"
		o.config(text)
	}
	return nil
}

// config rewrites sched_config.
func (o *obfuscator) config(text string) {
	var out strings.Builder
	leftOut, strange := map[string]bool{}, map[string]bool{}
	var lines [][2]string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == '*' {
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.Join(strings.Fields(value), " ")
		copied := pbs.CopyOf(pbs.OfConfig, name)
		switch {
		case copied == pbs.NotCopied || o.plain(strings.NewReplacer(`"`, "", "*", "", "/", "").Replace(value)) == "":
			leftOut[name] = true
			continue
		case copied == pbs.CopyEntityName && !o.isOfPBS(value): // no attribute of jobs, so that the scheduler has its own
			value = o.Name("value", value)
		case copied != pbs.CopyPrefix && copied != pbs.CopyResources && !o.isOfPBS(value):
			strange[name] = true
			continue
		case copied == pbs.CopyUsage:
			o.keepResources(value)
		case copied == pbs.CopyPrefix:
			value = strings.Fields(value)[0]
			o.prefixes = append(o.prefixes, strings.Trim(value, `"`))
		}
		lines = append(lines, [2]string{name, value})
	}
	for _, line := range lines {
		name, value := line[0], line[1]
		switch pbs.CopyOf(pbs.OfConfig, name) {
		case pbs.CopyResources:
			value = isWord().ReplaceAllStringFunc(value, o.resourceName)
		case pbs.CopySortKeys:
			value = isWord().ReplaceAllStringFunc(value, func(word string) string {
				if _, isResource := o.types[word]; isResource {
					return o.resourceName(word)
				}
				return word
			})
		}
		fmt.Fprintf(&out, "%s: %s\n", name, value)
	}
	if len(leftOut) > 0 {
		o.remarks = append(o.remarks, diag.Notef("sched_config: %s left out, which no order depends on", strings.Join(slices.Sorted(maps.Keys(leftOut)), ", ")))
	}
	if len(strange) > 0 {
		o.remarks = append(o.remarks, diag.Warningf("sched_config: %s left out, which name what neither PBS nor the site's resources have: orders and replays may differ", strings.Join(slices.Sorted(maps.Keys(strange)), ", ")))
	}
	if own := slices.DeleteFunc(slices.Clone(o.prefixes), func(p string) bool { return slices.Contains(usualPrefixes, p) }); len(own) > 0 {
		o.remarks = append(o.remarks, diag.Warningf("sched_config: names of queues still begin with %s, which gives them a meaning", strings.Join(own, ", ")))
	}
	o.files[o.privPath("sched_config")] = []byte(out.String())
}

// usualPrefixes are those of queues in the sched_config that PBS installs.
var usualPrefixes = []string{"p_", "np_", "ded"}

// wordsOfPBS are the words that values of sched_config may have, besides resources and functions.
var wordsOfPBS = strings.Fields(`
true false t f y n yes no on off prime non_prime nonprime all none low med medium high asc desc assigned unused total
sort_priority job_priority fair_share_perc fairshare_perc fair_share preempt_priority priority
euser egroup Account_Name queue jobname
no_sort shortest_job_first longest_job_first smallest_memory_first largest_memory_first high_priority_first low_priority_first
large_walltime_first short_walltime_first multi_sort
express_queue starving_jobs fairshare normal_jobs queue_softlimits server_softlimits min_time_since_start
pack round_robin lowest_load aggressive_provision avoid_provision
b kb mb gb tb w kw mw gw tw
abs ceil fabs floor fmod max min pow exp log log10 sqrt round int float trunc`)

// isPreemptOrder matches the ways to preempt in their order: suspend, checkpoint, requeue, delete.
var isPreemptOrder = pattern.Of(`^[SCRD]{1,4}$`)

// isOfPBS reports whether a value of sched_config has no words but those of PBS and the site's resources.
func (o *obfuscator) isOfPBS(value string) bool {
	for _, word := range isWord().FindAllString(value, -1) {
		_, isOwn := pbs.OwnResource(word)
		_, isResource := o.types[word]
		isKnown := slices.ContainsFunc(wordsOfPBS, func(known string) bool { return strings.EqualFold(known, word) })
		if !isOwn && !isResource && !isKnown && !isPreemptOrder().MatchString(word) {
			return false
		}
	}
	return true
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
	o.files[o.privPath("resource_group")] = []byte(out.String())
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
	decayed := db.LastDecay
	if decayed != 0 { // which is never
		decayed += o.shift.Seconds()
	}
	err := usagefile.Write(&out, decayed, func(yield func(string, float64) bool) {
		for name, usage := range db.All() {
			if !yield(o.names.entity(name), usage) {
				return
			}
		}
	})
	o.files[o.privPath(usagefile.Name)] = out.Bytes()
	return err
}

// attributes rewrites what qmgr and qstat print of server, queues, resources and
// scheduler in any form, as text.
func (o *obfuscator) attributes() error {
	for _, m := range snapshot.Members {
		from := o.from.Member(m.Path)
		isOther := m.Part != snapshot.Queues && m.Part != snapshot.Resources && m.Part != snapshot.Attributes
		path := m.Path
		if stem, isJSON := strings.CutSuffix(path, ".json"); isJSON {
			path = stem + ".txt"
		}
		if isOther || !from.IsGiven() || o.files[path] != nil {
			continue
		}
		text, err := from.Text(file.MostPrinted)
		if err != nil {
			o.remarks = append(o.remarks, diag.Damagef("%v", err))
			continue
		}
		var out strings.Builder
		objects, _ := pbs.ParseObjects(from.Name, text)
		for _, object := range objects {
			o.object(&out, object)
		}
		if out.Len() == 0 { // it tells of hooks alone
			continue
		}
		o.files[path] = []byte(out.String())
	}
	return nil
}

// object writes an object.
func (o *obfuscator) object(out *strings.Builder, object *pbs.Object) {
	name := object.Name
	of := pbs.OfAttributes
	switch object.Kind {
	case "node", "hook":
		return
	case "queue":
		name = o.queue(name)
	case "resource":
		name, of = o.resourceName(name), pbs.OfResource
	case "server":
		name = cmp.Or(o.Name("host", name), "server")
	case "sched":
		name = o.scheduler(name)
	}
	fmt.Fprintf(out, "%s %s\n", strings.ToUpper(object.Kind[:1])+object.Kind[1:], name)
	for _, a := range object.Attributes {
		o.write(out, "    ", of, a.Name, a.Value)
	}
	out.WriteString("\n")
}

// write writes an attribute of one of some owners, but for one that says too much.
func (o *obfuscator) write(out *strings.Builder, indent string, of pbs.Owner, name, value string) {
	base, resource, isOfResource := strings.Cut(name, ".")
	if value = o.copied(pbs.CopyOf(of, name), resource, value); value == "" {
		return
	}
	if isOfResource {
		name = base + "." + o.resourceName(resource)
	}
	fmt.Fprintf(out, "%s%s = %s\n", indent, name, value)
}
