package dump

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/slurm"
	"fairshare/fstree"
)

// Conf returns the configuration in force: that which scontrol prints where it prints all of
// it, else slurm.conf with the partitions as scontrol prints them.
func (d *Dump) Conf() (*slurm.Conf, []diag.Remark, error) {
	conf, from, remarks, problems, err := d.conf()
	if conf != nil {
		problems = slices.Concat(conf.Missing, problems)
	}
	for _, problem := range problems {
		remarks = append(remarks, diag.Warningf("%s: %s", from, problem))
	}
	if err != nil {
		return nil, remarks, err
	}
	for _, unknown := range slices.Concat(conf.Unknown, conf.Passed, conf.Idle()) {
		remarks = append(remarks, diag.Warningf("%s: %s", from, unknown))
	}
	UnreadSettings(d.Config, func(name, text string) {
		if conf.Refuses(name) { // which is said
			return
		}
		remarks = append(remarks, diag.Warningf("%s: %s%s", from, d.Where(strings.ToLower(name)), text))
	})
	return conf, remarks, nil
}

// conf does what Conf does, and returns what it read and which lines of it are followed in another way than they seem to say, and
// beside an error what of a slurm.conf can be read.
func (d *Dump) conf() (conf *slurm.Conf, from string, remarks []diag.Remark, problems []string, err error) {
	configs, nodes, partitions := d.All(KindConfig), d.Records(KindNodes), d.Records(KindPartitions)
	confs := d.confs()
	if remarks, err = d.Attributes(); err != nil {
		return nil, from, remarks, nil, err
	}
	if err = d.Twice(); err != nil {
		return nil, from, remarks, nil, err
	}
	if err = d.CutConfig(); err != nil {
		if !d.endsBehindRead() {
			return nil, from, remarks, nil, err
		}
		remarks = append(remarks, diag.Warningf("%v; of those that are read here none is missing", err))
	}
	switch {
	case len(configs) > 0 && len(nodes) > 0 && len(partitions) > 0:
		from = configs[0].Name
		conf, problems, err = printedConf(configs[0].Text, nodes, partitions)
		remarks = slices.Concat(remarks, incomplete(configs[0], nodes, partitions), d.untold(), sizesDiffer(nodes, partitions, d.All(KindNodes)[0].Name, d.All(KindPartitions)[0].Name))
		if err == nil {
			remarks = append(remarks, d.differs(conf)...)
		}
		if wrong := (*file.Problem)(nil); errors.As(err, &wrong) {
			err = fmt.Errorf("%s: what scontrol show config, node and partition print cannot be read together (one may be cut off, or of another site): %s", d.Name, wrong.Message)
		} else if err != nil {
			err = fmt.Errorf("%s: %w", from, err)
		}
	case len(confs) > 0:
		from = confs[0].Name
		if conf, problems, err = slurm.ParseConf(confs[0].Text, d.beside(confs[0])); err != nil {
			err = fmt.Errorf("%s: %w", from, err)
		}
	default:
		return nil, "", nil, nil, d.Lacks("the configuration: slurm.conf, or scontrol show config, node and partition")
	}
	if conf == nil {
		return nil, from, remarks, problems, err
	}
	conf.HasNoAccounts = d.hasNoAccounts()
	for _, p := range partitions { // which may have been changed since slurm.conf was read
		if part := conf.Partitions[p["partitionname"]]; part != nil {
			part.Tier, part.JobFactor = Number(p["prioritytier"], part.Tier), Number(p["priorityjobfactor"], part.JobFactor)
		}
	}
	return conf, from, remarks, problems, err
}

// Unconfigured returns what is known of the configuration where Conf lacks it, which gives nothing a weight, and whether it has the nodes
// and partitions that scontrol prints.
func (d *Dump) Unconfigured() (conf *slurm.Conf, hasPartitions bool) {
	conf, _, err := printedConf("", d.Records(KindNodes), d.Records(KindPartitions))
	if err != nil || len(conf.Partitions) == 0 {
		return slurm.NoConf(), false
	}
	return conf, true
}

// Partitions returns what scontrol show partition prints of each partition or, where it is not there, what a configuration says of
// them in the same words.
func (d *Dump) Partitions(conf *slurm.Conf) []Row {
	rows := d.Records(KindPartitions)
	if len(rows) > 0 || conf == nil {
		return rows
	}
	for _, p := range conf.SortedPartitions() {
		rows = append(rows, p.Printed)
	}
	return rows
}

// confs returns the files that are written as a slurm.conf is: the one that counts first, which has that name where any has.
func (d *Dump) confs() []Part {
	list := d.All(KindConf)
	slices.SortStableFunc(list, func(a, b Part) int {
		switch isSo := a.File() == confName; {
		case isSo == (b.File() == confName):
			return 0
		case isSo:
			return -1
		}
		return 1
	})
	return list
}

// confName is what Slurm calls its configuration.
const confName = "slurm.conf"

// beside returns where a slurm.conf stands, with the texts that it includes, as far as they have been read.
func (d *Dump) beside(conf Part) slurm.Beside {
	if d.tree == nil {
		return slurm.Beside{}
	}
	if of, isKept := d.besides[conf.Member]; isKept {
		return of
	}
	self := conf.Member
	if d.tree.FS == nil {
		self = filepath.ToSlash(d.tree.Name)
	}
	if d.besides == nil {
		d.besides = map[string]slurm.Beside{}
	}
	of := slurm.Beside{Dir: d.tree.Beside(conf.Member), Self: path.Base(self), Texts: map[string]string{}}
	d.besides[conf.Member] = of
	return of
}

// dropIncluded takes out the parts that a slurm.conf includes, but none of that name, and each slurm.conf but the one that counts. It
// returns the names of all files that this one includes, which are read there, and says which others are not read.
func (d *Dump) dropIncluded() (names []string, remarks []diag.Remark) {
	of := map[string]bool{} // those that some slurm.conf includes
	for _, p := range d.confs() {
		if !of[p.Member] {
			maps.Copy(of, d.includes(p))
		}
	}
	confs := slices.DeleteFunc(d.confs(), func(p Part) bool { return of[p.Member] })
	if len(confs) == 0 {
		return nil, nil
	}
	inForce := confs[0]
	of = d.includes(inForce)
	for at := range of {
		names = append(names, d.tree.Join(at))
	}
	d.Parts = slices.DeleteFunc(d.Parts, func(p Part) bool {
		isOther := p.Kind == KindConf && p.Member != inForce.Member && !of[p.Member]
		if isOther {
			remarks = append(remarks, file.NotRead([]string{p.Name}, inForce.Name, aConf, file.LikenessOf(p.Text, inForce.Text), ""))
		}
		return isOther || of[p.Member]
	})
	return names, remarks
}

// includes returns the paths within the tree of the files that a slurm.conf includes, but of none that is called so itself.
func (d *Dump) includes(p Part) map[string]bool {
	of := map[string]bool{}
	for name := range slurm.Included(p.Text, d.beside(p)) {
		if at := path.Join(path.Dir(p.Member), name); at != p.Member && path.Base(at) != confName {
			of[at] = true
		}
	}
	return of
}

// hasNoAccounts reports whether slurmctld has no accounting, as its configuration says.
func (d *Dump) hasNoAccounts() bool {
	is := strings.ToLower(d.Config("accountingstoragetype"))
	return is == "accounting_storage/none" || is == "(null)" || is == "none"
}

// SettingLine is a line of scontrol show config that the configuration is read of.
var SettingLine = pattern.Of(`^(Priority\w+|FairShareDampeningFactor|MaxArraySize)\s*= ?(.*)$`)

// printedConf returns the configuration that leads to what scontrol prints, as slurm.ParseConf does.
func printedConf(config string, nodes, partitions []Row) (*slurm.Conf, []string, error) {
	var lines []slurm.Fields
	for line := range strings.Lines(config) {
		if m := SettingLine().FindStringSubmatch(strings.TrimSpace(line)); m != nil && isValue(m[2]) {
			lines = append(lines, slurm.Fields{{m[1], m[2]}})
		}
	}
	for of, list := range [][]Row{nodes, partitions} {
		for _, r := range list {
			fields, err := fieldsOf(r, printedKeys[of])
			if err != nil {
				return nil, nil, err
			}
			lines = append(lines, fields)
		}
	}
	return slurm.NewConf(lines)
}

// printedKey is what a key of slurm.conf is called in what scontrol prints.
type printedKey struct {
	conf, scontrol string
	isNeeded       bool // whether it has a value
}

// printedKeys are those of a node and of a partition.
var printedKeys = [][]printedKey{
	{{"nodename", "NodeName", true}, {"cpus", "CPUTot", true}, {"cpus", "CPUEfctv", false}, {"realmemory", "RealMemory", true}, {"threadspercore", "ThreadsPerCore", false}, {"gres", "Gres", false},
		{"corespersocket", "CoresPerSocket", false}, {"weight", "Weight", false}, {"memspeclimit", "MemSpecLimit", false}, {"features", "ActiveFeatures", false}},
	{
		{"partitionname", "PartitionName", true}, {"priorityjobfactor", "PriorityJobFactor", true}, {"prioritytier", "PriorityTier", true},
		{"maxtime", "MaxTime", false}, {"tresbillingweights", "TRESBillingWeights", false}, {"nodes", "Nodes", false},
		{"state", "State", false}, {"preemptmode", "PreemptMode", false}, {"oversubscribe", "OverSubscribe", false},
		{"allowqos", "AllowQos", false}, {"denyqos", "DenyQos", false}, {"qos", "QoS", false}, {"allowaccounts", "AllowAccounts", false}, {"denyaccounts", "DenyAccounts", false},
		{"defaulttime", "DefaultTime", false}, {"minnodes", "MinNodes", false}, {"maxnodes", "MaxNodes", false},
	},
}

// isValue reports whether scontrol prints a value, and not that there is none.
func isValue(text string) bool { return text != "" && text != "(null)" }

// fieldsOf returns a record as a line of slurm.conf has it.
func fieldsOf(r Row, keys []printedKey) (fields slurm.Fields, err error) {
	for _, k := range keys {
		switch value := r[strings.ToLower(k.scontrol)]; {
		case isValue(value):
			fields = append(fields, [2]string{k.conf, value})
		case k.isNeeded:
			return nil, &file.Problem{Message: fmt.Sprintf("%s=%s has no %s", keys[0].scontrol, r[keys[0].conf], k.scontrol)}
		}
	}
	return fields, nil
}

// endOfConfig is how scontrol show config ends: with each slurmctld, and whether it is up, with or without the end of that line.
// With --json, what tells of the answer stands there.
var endOfConfig = pattern.Of(`\n(Slurmctld\(\w+\) at \S+ is \w|\{)`)

// settingName finds the names of settings in whole lines.
var settingName = pattern.Of(`(?m)^(\w+) += .*\n`)

// CutConfig returns an error where what scontrol show config printed is cut off. A copy without names has no end: its settings
// stand in no column.
func (d *Dump) CutConfig() error {
	for _, p := range d.All(KindConfig) {
		isWhole := endOfConfig().MatchString(p.Text)
		if isCopy := !strings.Contains(p.Text, "  = ") && !strings.Contains(p.Text, "\nAccountingStorageBackupHost"); isWhole || isCopy && strings.Count(p.Text, "\n") > 1 {
			continue
		}
		behind := "its first line"
		if all := settingName().FindAllStringSubmatch(p.Text, -1); all != nil {
			behind = all[len(all)-1][1]
		}
		return fmt.Errorf("%s is cut off behind %s, before the line on slurmctld with which scontrol show config ends: the settings that are missing are not known", p.Name, behind)
	}
	return nil
}

// lastRead is the last setting that is read, in the order of the alphabet, in which scontrol show config prints them.
var lastRead = sync.OnceValue(func() (last string) {
	for _, x := range slurm.ConfigAttributes {
		last = max(last, strings.ToLower(x.Name))
	}
	return last
})

// endsBehindRead reports whether what scontrol show config printed ends, with a whole line, at or behind the last setting that is read.
func (d *Dump) endsBehindRead() bool {
	return !slices.ContainsFunc(d.All(KindConfig), func(p Part) bool {
		all := settingName().FindAllStringSubmatch(p.Text, -1)
		return all == nil || !strings.HasSuffix(p.Text, "\n") || strings.ToLower(all[len(all)-1][1]) < lastRead()
	})
}

// incomplete says what scontrol prints of every site and is not there.
func incomplete(config Part, nodes, partitions []Row) (remarks []diag.Remark) {
	say := func(r diag.Remark) { remarks = append(remarks, r) }
	const last = "PriorityWeightTRES" // of those that each version has
	if !strings.Contains(config.Text, "\n"+last) {
		say(diag.Damagef("%s has no %s: settings that are missing are taken for unset", config.Name, last))
	}
	known := map[string]bool{}
	for _, p := range partitions {
		known[p["partitionname"]] = true
	}
	missing := map[string]bool{}
	for _, n := range nodes {
		for name := range strings.SplitSeq(n["partitions"], ",") {
			if name != "" && !known[name] && !missing[name] {
				missing[name] = true
				say(diag.Damagef("scontrol show partition does not have partition %s of node %s", name, n["nodename"]))
			}
		}
	}
	return remarks
}

// Advised is a configuration as it is checked.
type Advised struct {
	*slurm.Conf          // also where lines of it cannot be read
	Problems    []string // lines of it that are followed in another way than they seem to say
	Users       int      // how many associations of users there are, 0 where that is not known
	HasSettings bool     // whether it tells settings of slurmctld, and not nodes, partitions or tables alone
}

// Advised returns the configuration that a slurm.conf or a site has, with warnings about the rest.
func (d *Dump) Advised() (of Advised, remarks []diag.Remark, err error) {
	conf, from, said, problems, err := d.conf()
	remarks = slices.Clone(d.Remarks)
	var lacks *MissingError
	if some, problems, remark := d.someConf(); some != nil && errors.As(err, &lacks) {
		hasSettings := len(d.All(KindConfig)) > 0
		if !hasSettings {
			problems = slices.DeleteFunc(problems, func(text string) bool { return text == slurm.NoWeights })
		}
		return Advised{some, problems, d.users(nil), hasSettings}, append(remarks, remark), nil
	}
	switch {
	case conf == nil || err != nil && conf.Unread == nil && !errors.Is(err, slurm.ErrNoNodes):
		return Advised{}, append(remarks, said...), err
	case err != nil && conf.Unread == nil && conf.NotChecked() == nil:
		problems = append(problems, slurm.ErrNoNodes.Error())
	}
	shares := d.Shares() // what they lack is of factors, and not of the configuration
	remarks = append(remarks, slices.DeleteFunc(append(said, shares.Remarks...), func(r diag.Remark) bool { return r.Kind != diag.Warning })...)
	if conf.IsPart() {
		problems = slices.DeleteFunc(problems, func(text string) bool { return text == slurm.NoWeights })
	}
	for _, text := range conf.NotChecked() {
		remarks = append(remarks, diag.Notef("%s: %s", from, text))
	}
	return Advised{conf, problems, d.users(shares.Tree), true}, remarks, nil
}

// users returns how many associations of users there are, as the tree, sacctmgr show assoc or
// sacctmgr dump tells, 0 where nothing does.
func (d *Dump) users(tree *fstree.Associations) (n int) {
	if tree != nil {
		return tree.Users()
	}
	for _, p := range d.All(KindAssociations) {
		of := 0
		rows, _ := d.RowsOf(p)
		for _, row := range rows {
			if row["user"] != "" {
				of++
			}
		}
		n = max(n, of)
	}
	for _, p := range d.All(KindAccounts) {
		n = max(n, strings.Count(p.Text, "\nUser - '"))
	}
	return n
}
