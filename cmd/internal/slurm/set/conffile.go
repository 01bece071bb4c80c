package set

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// ConfFile is what a slurm.conf would change of a site: the settings by which it differs, as --set takes them one by one, and what
// else of it differs and is not tried.
type ConfFile struct {
	Name     string
	Settings []string
	Others   []string // each with the reason, where there is one to tell
	Left     []string // settings by which it differs, and which it does not mean to change
	whyLeft  string
}

// differences returns in what a slurm.conf differs from what is in force at a site. One that is a part of a slurm.conf differs in what
// it sets; of a whole one, what it does not set is as Slurm has it by default, and so is what a PartitionName line of either does not set.
func differences(site, file *dump.Dump) (*ConfFile, error) {
	is, _, err := site.Conf()
	if err != nil {
		return nil, err
	}
	to, _, err := file.Advised()
	switch {
	case err != nil:
		return nil, err
	case to.Unread != nil:
		return nil, fmt.Errorf("%s: %w", file.Name, to.Unread[0])
	case len(to.Missing) > 0:
		return nil, fmt.Errorf("%s: %s", file.Name, to.Missing[0])
	}
	f := confDiffer{ConfFile: &ConfFile{Name: file.Name}, is: is, to: to.Conf, site: site, file: file, isWhole: !to.IsPart()}
	for _, text := range slices.Concat(to.Unknown, to.Refused) {
		f.other("%s", text)
	}
	f.priorities()
	f.scheduling()
	f.words("SchedulerParameters", "")
	f.words("PreemptParameters", "preempt_")
	f.licences()
	f.attributes()
	f.nodes()
	for _, p := range to.SortedPartitions() {
		f.partition(p)
	}
	for _, p := range is.SortedPartitions() {
		if f.isWhole && to.Partitions[p.Name] == nil {
			f.other("partition %s, which it does not have", p.Name)
		}
	}
	return f.ConfFile, nil
}

// confDiffer finds what a slurm.conf changes.
type confDiffer struct {
	*ConfFile
	is, to     *slurm.Conf
	site, file *dump.Dump
	isWhole    bool
}

func (f *confDiffer) set(name, value string) { f.Settings = append(f.Settings, name+"="+value) }

func (f *confDiffer) other(format string, args ...any) { f.addOther(fmt.Sprintf(format, args...)) }

// priorities finds the settings on which priorities depend.
func (f *confDiffer) priorities() {
	was := f.is.Settings()
	for i, x := range f.to.Settings() {
		if x.Value != was[i].Value && (f.isWhole || f.to.Sets(x.Name)) {
			f.set(x.Name, x.Value)
		}
	}
	const flags = "PriorityFlags" // of which not all are told by Settings
	if to, was := f.file.Config(strings.ToLower(flags)), f.site.Config(strings.ToLower(flags)); f.to.Sets(flags) && dump.Plainly(to) != dump.Plainly(was) && !slices.ContainsFunc(f.Settings, func(x string) bool { return strings.HasPrefix(x, flags+"=") }) {
		f.other("%s=%s (now %s)", flags, to, was)
	}
}

// ofScheduling are settings of slurm.conf that --set takes by their names, with what they are by default.
var ofScheduling = [][2]string{{"SchedulerType", "sched/backfill"}, {"PreemptType", "preempt/none"}, {"PreemptMode", "OFF"}}

func (f *confDiffer) scheduling() {
	for _, of := range ofScheduling {
		if value, is := f.value(of[0], of[1]), f.site.Config(strings.ToLower(of[0])); value != "" && dump.Plainly(value) != cmp.Or(dump.Plainly(is), dump.Plainly(of[1])) {
			f.set(of[0], value)
		}
	}
}

// value returns what a file says of a setting, or what it is by default where a whole one does not say it.
func (f *confDiffer) value(name, usual string) string {
	if value := f.file.Config(strings.ToLower(name)); value != "" || !f.isWhole {
		return value
	}
	return usual
}

// words finds the words of a setting that is a list of them, of which --set takes those that are modelled one by one.
func (f *confDiffer) words(name, prefix string) {
	key := strings.ToLower(name)
	text := f.file.Config(key)
	if text == "" && !f.isWhole {
		return
	}
	was, to := wordsOf(f.site.Config(key)), wordsOf(text)
	for _, of := range slices.Concat(to, was) {
		at := func(list [][2]string) string {
			if i := slices.IndexFunc(list, func(x [2]string) bool { return x[0] == of[0] }); i >= 0 {
				return list[i][1]
			}
			return sched.DefaultOf(prefix + of[0])
		}
		isHere, wasHere := slices.ContainsFunc(to, func(x [2]string) bool { return x[0] == of[0] }), slices.ContainsFunc(was, func(x [2]string) bool { return x[0] == of[0] })
		isModelled := slices.Contains(sched.Parameters(), prefix+of[0])
		setting := prefix + of[0] + "=" + at(to)
		switch isSame := at(to) == at(was) && (isHere == wasHere || isModelled); {
		case isSame || slices.Contains(f.Settings, setting):
		case isModelled:
			f.Settings = append(f.Settings, setting)
		case isIdleWord(name, of[0]):
		case isHere:
			f.addOther(strings.TrimSuffix(of[0]+"="+of[1], "=1") + " of " + name + ", which is not modelled")
		default:
			f.addOther(of[0] + " of " + name + ", which it does not have and which is not modelled")
		}
	}
}

// addOther takes in what differs and is not tried, once.
func (f *ConfFile) addOther(text string) {
	if !slices.Contains(f.Others, text) {
		f.Others = append(f.Others, text)
	}
}

// isIdleWord reports whether no answer depends on a word of a setting.
func isIdleWord(setting, word string) bool {
	of := slurm.SchedulerWords.Of(word)
	if setting == "PreemptParameters" {
		of = slurm.PreemptWords.Of(word)
	}
	return of != nil && of.Idle != ""
}

// wordsOf returns the words of a list with their values, 1 for one that has none: the first of a name, as Slurm finds it.
func wordsOf(text string) (words [][2]string) {
	for word := range strings.SplitSeq(strings.ToLower(strings.ReplaceAll(text, " ", "")), ",") {
		name, value, has := strings.Cut(word, "=")
		if !has {
			value = "1"
		}
		if isTwice := slices.ContainsFunc(words, func(x [2]string) bool { return x[0] == name }); name != "" && name != "(null)" && !isTwice {
			words = append(words, [2]string{name, value})
		}
	}
	return words
}

// licences finds of how many licences there is another number.
func (f *confDiffer) licences() {
	text := f.file.Config("licenses")
	if text == "" && !f.isWhole {
		return
	}
	was, isRead := sched.ParseLicences(f.site.Config("licenses"))
	to, isReadToo := sched.ParseLicences(text)
	if !isRead || !isReadToo {
		f.other("Licenses")
		return
	}
	for _, l := range to {
		switch at := slices.IndexFunc(was, func(x sched.Licence) bool { return x.Name == l.Name }); {
		case at < 0:
			f.other("licence %s, which the site does not have", l.Name)
		case was[at].Total != l.Total:
			f.set("licences."+l.Name, fmt.Sprint(l.Total))
		}
	}
	for _, l := range was {
		if !slices.ContainsFunc(to, func(x sched.Licence) bool { return x.Name == l.Name }) {
			f.set("licences."+l.Name, "0")
		}
	}
}

// attributes finds other settings on which answers may depend: what a whole file does not set is as Slurm has it by default.
func (f *confDiffer) attributes() {
	for i := range slurm.ConfigAttributes {
		x := &slurm.ConfigAttributes[i]
		key := strings.ToLower(x.Name)
		isFound := slurm.IsSetting(x.Name) || slices.ContainsFunc(ofScheduling, func(of [2]string) bool { return of[0] == x.Name }) || slices.Contains(foundAlone, x.Name)
		to, was := f.file.Config(key), f.site.Config(key)
		if x.Name == "SlurmUser" { // of whom scontrol prints the number as well
			was, _, _ = strings.Cut(was, "(")
		}
		switch isSame := plainlyOf(x, to) == plainlyOf(x, was); {
		case to == "" && !f.isWhole || x.Idle != "" || isFound || isSame:
		case to == "":
			f.other("%s, which it does not set (now %s)", x.Name, report.Printable(was))
		default:
			f.other("%s=%s (now %s)", x.Name, report.Printable(to), report.Printable(cmp.Or(was, "not set")))
		}
	}
}

// foundAlone are settings of which confDiffer finds the parts, and those that tell of the cluster and of no rule.
var foundAlone = []string{"SchedulerParameters", "PreemptParameters", "Licenses", "SLURM_VERSION", "BOOT_TIME", "ClusterName"}

// plainlyOf returns a value of a setting as others of it can be compared with it, "" for what it is where nothing sets it.
func plainlyOf(x *slurm.Attribute, value string) string {
	plain := dump.Plainly(value)
	if slices.ContainsFunc(x.Usual, func(usual string) bool { return dump.Plainly(usual) == plain }) {
		return ""
	}
	if x.Name == "AccountingStorageTRES" { // to which slurmctld adds those that each site has, and each that has GPUs
		isAdded := func(name string) bool {
			return slurm.IsEveryTRES(name) || name == "gres/gpumem" || name == "gres/gpuutil"
		}
		return strings.Join(slices.DeleteFunc(strings.Split(plain, ","), isAdded), ",")
	}
	return plain
}

// nodes finds whether there are other nodes.
func (f *confDiffer) nodes() {
	if (f.isWhole || f.to.Nodes > 0) && (f.to.Nodes != f.is.Nodes || f.to.CPUs != f.is.CPUs) {
		f.other("NodeName lines (%s with %s CPUs, now %d with %s)", report.Count(f.to.Nodes, "node"), report.Plain(f.to.CPUs), f.is.Nodes, report.Plain(f.is.CPUs))
	}
	for _, text := range f.to.NodesOtherThan(f.is) {
		f.other("%s", text)
	}
}

// partition finds what is other of a partition.
func (f *confDiffer) partition(to *slurm.Partition) {
	of := f.is.Partitions[to.Name]
	if of == nil {
		f.other("partition %s, which the site does not have", to.Name)
		return
	}
	name := "partition." + to.Name + "."
	if to.Tier != of.Tier {
		f.set(name+"tier", report.Plain(to.Tier))
	}
	if to.JobFactor != of.JobFactor {
		f.set(name+"factor", report.Plain(to.JobFactor))
	}
	rows := f.site.Partitions(f.is)
	at := slices.IndexFunc(rows, func(r dump.Row) bool { return r["partitionname"] == to.Name })
	if at < 0 {
		return
	}
	was := rows[at]
	f.partitionMode(name+"PreemptMode", to.Printed["preemptmode"], was["preemptmode"])
	for i := range setup.PartitionFields {
		x := &setup.PartitionFields[i]
		key := strings.ToLower(x.Name)
		if is := to.Printed[key]; isOther(is, was[key], x.Usual) {
			if is == "" {
				is = x.Usual
			}
			f.set(name+x.Name, is)
		}
	}
	if nodes, err := slurm.Hostlist(to.Printed["nodes"]); err == nil {
		had, _ := slurm.Hostlist(was["nodes"])
		if slices.Sort(nodes); len(had) > 0 && !slices.Equal(slices.Compact(nodes), slices.Compact(slices.Sorted(slices.Values(had)))) {
			f.other("Nodes of partition %s", to.Name)
		}
	}
	for _, x := range slurm.PartitionAttributes {
		key := strings.ToLower(x.Name)
		isFound := slices.Contains([]string{"nodes", "partitionname", "prioritytier", "priorityjobfactor", "preemptmode"}, key) || setup.PartitionFieldNamed(x.Name) != nil
		switch is, had := to.Printed[key], was[key]; {
		case x.Idle != "" || isFound || !isOther(is, had, ""):
		case is != "":
			f.other("partition.%s.%s=%s: %s", to.Name, x.Name, report.Printable(is), setup.WhyNotSet(x.Name))
		case isOther(had, "no", "no") && isOther(had, "0", "0"): // those that are by default are off or nothing
			f.other("partition.%s.%s, which it does not set (now %s): %s", to.Name, x.Name, report.Printable(had), setup.WhyNotSet(x.Name))
		}
	}
}

// partitionMode finds whether a partition has another PreemptMode, which is that of all where it has none of its own.
func (f *confDiffer) partitionMode(setting, to, was string) {
	wasOfAll := cmp.Or(dump.Plainly(f.site.Config("preemptmode")), "off")
	ofAll := cmp.Or(dump.Plainly(f.value("PreemptMode", "off")), wasOfAll)
	to, was = dump.Plainly(to), cmp.Or(dump.Plainly(was), wasOfAll)
	switch {
	case to != "" && to != was && !(to == ofAll && was == wasOfAll): // which changes with that of all
		f.set(setting, strings.ToUpper(to))
	case to == "" && f.isWhole && was != wasOfAll:
		f.set(setting, strings.ToUpper(ofAll))
	}
}

// isOther reports whether an attribute of a partition is another one, with what it is by default.
func isOther(to, was, usual string) bool {
	plain := func(text string) string {
		if seconds, err := slurm.Duration(text); err == nil && strings.Contains(text, ":") {
			text = report.Plain(seconds / 60) // as slurm.conf has minutes
		}
		if text = dump.Plainly(text); text == "" || slices.Contains([]string{"unlimited", "all", "n/a", dump.Plainly(usual)}, text) {
			return ""
		}
		return text
	}
	return plain(to) != plain(was)
}

// Try lets those of the settings stand that change something of a site, of which changes says what they change. The others of the
// file are told with the reason why they are not tried. It is an error where none is left.
func (f *ConfFile) Try(changes func(settings []string) ([]Change, error)) (diag.Remark, error) {
	var reasons []string
	without := map[string][]string{} // the settings that are not tried for a reason
	for {
		made, err := changes(f.Settings)
		if wrong := (*diag.SettingError)(nil); errors.As(err, &wrong) && slices.Contains(f.Settings, wrong.Setting) {
			why := wrong.Err.Error()
			if without[why] == nil {
				reasons = append(reasons, why)
			}
			without[why] = append(without[why], wrong.Setting)
			f.Settings = slices.DeleteFunc(f.Settings, func(x string) bool { return x == wrong.Setting })
			continue
		} else if err != nil {
			return diag.Remark{}, err
		}
		for _, c := range made {
			if c.IsSame {
				f.Settings = slices.DeleteFunc(f.Settings, func(x string) bool { return x == c.Name+"="+c.Value })
			}
		}
		break
	}
	for _, why := range reasons {
		f.addOther(strings.Join(without[why], ", ") + ": " + why)
	}
	left := f.leftAs(changes)
	others := "of what else differs on which answers may depend, nothing is tried: " + strings.Join(f.Others, "; ")
	switch {
	case len(f.Settings) == 0 && len(f.Others) == 0 && left == "":
		return diag.Remark{}, diag.Requestf("%s changes nothing: what it says of priorities, scheduling and partitions is in force", f.Name)
	case len(f.Settings) == 0 && len(f.Others) == 0:
		return diag.Remark{}, diag.Requestf("%s changes nothing%s", f.Name, left)
	case len(f.Settings) == 0:
		return diag.Remark{}, diag.Requestf("%s changes nothing that can be tried here%s; %s", f.Name, left, others)
	case len(f.Others) == 0:
		return diag.Notef("%s differs from what is in force in %s%s", f.Name, report.Count(len(f.Settings), "setting"), left).OfAsked(), nil
	}
	tried := "that are tried"
	if len(f.Settings) == 1 {
		tried = "that is tried"
	}
	return diag.Warningf("%s differs from what is in force in %s %s%s; %s", f.Name, report.Count(len(f.Settings), "setting"), tried, left, others).OfAsked(), nil
}
