package pbs

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/fstree"
	"fairshare/usagefile"
)

// PrivName is what the scheduler's directory is called.
const PrivName = "sched_priv"

// PrivFiles are the files of a sched_priv that decide about the order of jobs.
var PrivFiles = []string{GroupsFile, ConfigFile, usagefile.Name, FormulaFile, HolidaysFile, DedicatedFile}

// CheckedFiles are those whose lines a check looks at.
var CheckedFiles = []string{ConfigFile, GroupsFile, HolidaysFile, DedicatedFile}

// Files of a sched_priv: its settings, its tree, which time is prime, non-prime and dedicated time, and the formula that the server
// has set last.
const (
	ConfigFile    = "sched_config"
	GroupsFile    = "resource_group"
	HolidaysFile  = "holidays"
	DedicatedFile = "dedicated_time"
	FormulaFile   = "sched_formula"
)

// SchedPriv is what a sched_priv, the scheduler's directory, says about
// fairshare and the order of jobs.
type SchedPriv struct {
	Dir            file.Dir
	Config         fstree.Config
	ConfigProblems []fstree.Problem
	configLines    []fstree.ConfigLine
	NoConfig       bool // sched_config is missing, and Config is PBS's default

	Tree          *fstree.Tree
	GroupProblems []fstree.Problem
	NoTree        error // why resource_group of an optional directory could not be read

	empty []string // files without anything
	only  string   // the one file of it that was given, "" for a whole directory
	of    string   // what it is called where it is not the default scheduler's, such as sched_priv_gpu

	Usage *usagefile.Database // nil if there is no usage file
}

// NameOf returns what a file of it is called in remarks, such as sched_config, or sched_priv_gpu/sched_config of another scheduler than
// the default one.
func (d *SchedPriv) NameOf(name string) string { return path.Join(d.of, name) }

// Has reports whether a sched_priv, which is nil where there is none, has a file.
func (d *SchedPriv) Has(name string) bool {
	if d == nil || d.Dir.FS == nil {
		return false
	}
	_, err := fs.Stat(d.Dir.FS, name)
	return err == nil
}

// LoadSchedPriv reads a sched_priv and derives the tree's percentages and tree
// usage. A missing sched_config or usage is no error, as in PBS; a missing
// resource_group is none where the directory is optional. With trim, entities
// that only a version 2 usage file names are left out.
func LoadSchedPriv(dir file.Dir, trim bool) (*SchedPriv, error) {
	d := &SchedPriv{Dir: dir}
	usage := make(chan error, 1)
	go func() { usage <- d.readUsage() }() // while the tree is built

	text, err := d.read(ConfigFile)
	if d.NoConfig = errors.Is(err, fs.ErrNotExist); err != nil && !d.NoConfig {
		return nil, err
	}
	if err == nil && text == "" {
		d.empty = append(d.empty, ConfigFile)
	}
	d.Config, d.ConfigProblems = fstree.ParseConfig(text)
	d.configLines = slices.Collect(fstree.ConfigLines(text))

	text, err = d.read(GroupsFile)
	if d.NoTree = err; err != nil && !dir.Optional {
		return nil, err
	}
	if err == nil && text == "" {
		d.empty = append(d.empty, GroupsFile)
	}
	d.Tree, d.GroupProblems = fstree.ParseResourceGroup(text, d.Config.UnknownShares)

	if err := <-usage; err != nil {
		return nil, err
	}
	if d.Usage != nil {
		if err := d.Tree.LoadUsage(d.Usage.All(), trim && d.Usage.Version == 2); err != nil {
			return nil, fmt.Errorf("%s: %w", dir.Join(usagefile.Name), err)
		}
	}
	d.Tree.Update()
	return d, nil
}

// Remarks returns what PBS would pass over in silence, or assume.
func (d *SchedPriv) Remarks() []diag.Remark {
	var remarks []diag.Remark
	if d.NoConfig && d.only == "" {
		remarks = append(remarks, diag.Warningf("there is no sched_config in %s, PBS's defaults apply", d.Dir.Name).At(d.NameOf(ConfigFile), 0))
	}
	const most = 20 // lines of sched_config that are told
	config, groups := d.problems()
	remarks = append(remarks, config[:min(most, len(config))]...)
	if more := len(config) - most; more > 0 {
		remarks = append(remarks, diag.Warningf("%s: and %d more lines like these", d.NameOf(ConfigFile), more))
	}
	remarks = append(remarks, groups...)
	for _, name := range d.empty {
		if d.only != "" {
			break // which is said of that file
		}
		remarks = append(remarks, diag.Damagef("%s is empty", d.Dir.Join(name)).At(d.NameOf(name), 0))
	}
	if d.only != "" {
		remarks = append(remarks, d.saysNothing()...)
	}
	switch {
	case d.only != "" && d.only != usagefile.Name:
	case d.only == "" && d.NoTree != nil:
		remarks = append(remarks, diag.Damagef("fairshare terms cannot be computed: %v", d.NoTree).At(d.NameOf(GroupsFile), 0))
	case d.Usage == nil:
		remarks = append(remarks, diag.Warningf("%s has no usage file, so nobody has used anything", d.Dir.Name).At(d.NameOf(usagefile.Name), 0))
	case len(d.Usage.Problems) > 0:
		remarks = append(remarks, diag.Damagef("%s: %v", d.NameOf(usagefile.Name), d.Usage.Problems[0]).At(d.NameOf(usagefile.Name), 0))
	}
	if message := d.InfiniteUsage(); message != "" {
		remarks = append(remarks, diag.Damagef("%s: %s", d.NameOf(usagefile.Name), message).At(d.NameOf(usagefile.Name), 0))
	}
	return remarks
}

// nothingSaid says what comes of a file that is given alone and has no line that counts: "" where its lines are missed anyhow.
var nothingSaid = map[string]string{
	ConfigFile: "sets nothing: PBS's defaults hold", GroupsFile: "names no entity: all of them share what is left for unknown", HolidaysFile: "", DedicatedFile: "has no dedicated time",
}

// saysNothing says of the one file that was given that it is empty, or what comes of it where none of its lines counts.
func (d *SchedPriv) saysNothing() []diag.Remark {
	isComment := func(line string) bool {
		line = strings.TrimSpace(line)
		return line == "" || line[0] == '#' || line[0] == '*'
	}
	text, err := d.read(d.only)
	comes, isLines := nothingSaid[d.only]
	switch {
	case err != nil || !isLines:
	case strings.TrimSpace(text) == "":
		return []diag.Remark{diag.Damagef("%s is empty", d.NameOf(d.only)).At(d.NameOf(d.only), 0)}
	case comes != "" && !slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool { return !isComment(line) }):
		return []diag.Remark{diag.Warningf("%s %s", d.NameOf(d.only), comes).At(d.NameOf(d.only), 0)}
	}
	return nil
}

// problems returns what is wrong with the lines of sched_config and of resource_group.
func (d *SchedPriv) problems() (config, groups []diag.Remark) {
	ofConfig, ofGroups := d.NameOf(ConfigFile), d.NameOf(GroupsFile)
	for _, problem := range d.ConfigProblems {
		i, isOfLine := slices.BinarySearchFunc(d.configLines, problem.Line, func(line fstree.ConfigLine, number int) int { return line.Number - number })
		if isOfLine {
			if line := d.configLines[i]; SettingOf(OfConfig, line.Name) == nil && IsAttribute(line.Name) {
				whose := map[bool]string{true: "server", false: "sched"}[SettingOf(OfAttributes, line.Name).Of&OfServer != 0]
				problem.Message = fmt.Sprintf("%s does nothing in sched_config: it is an attribute, which qmgr sets: set %s %s = %s", line.Name, whose, line.Name, line.Value)
			}
		}
		remark := diag.Warningf("%s: %v", ofConfig, problem).At(ofConfig, problem.Line)
		remark.IsWrong = !problem.Counts
		config = append(config, remark)
	}
	for _, problem := range d.GroupProblems {
		remark := diag.Damagef("%s: %v", ofGroups, problem)
		remark.IsDamage = !problem.Counts
		groups = append(groups, remark.At(ofGroups, problem.Line))
	}
	return config, groups
}

// InfiniteUsage returns what to say where all usage together is more than a number can hold, and "" where it is not.
func (d *SchedPriv) InfiniteUsage() string {
	if d.NoTree != nil || !math.IsInf(d.Tree.Entity(fstree.Root).Usage, 0) {
		return ""
	}
	return "all usage together is infinite, so that no entity has a share of it"
}

// LostGroups returns the groups that the usage file has records of, the first
// 20 of them. They were entities once; nothing writes their records again.
func (d *SchedPriv) LostGroups() []string {
	const most = 20
	var lost []string
	if d.Usage == nil {
		return nil
	}
	for name := range d.Usage.All() {
		if id, ok := d.Tree.Lookup(name); ok && len(lost) < most && id != fstree.Unknown && d.Tree.IsGroup(id) {
			lost = append(lost, name)
		}
	}
	return lost
}

// LostRecords returns the records that usage.bak has and the usage file seems to
// have lost, as usagefile.LostRecords.
func (d *SchedPriv) LostRecords() ([]usagefile.Record, error) {
	text, err := d.read(usagefile.BackupName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	usage := d.Usage
	if usage == nil {
		usage = &usagefile.Database{}
	}
	if usagefile.WrittenWhole(d.Dir.FS) {
		return nil, nil
	}
	return usagefile.LostRecords(usage, usagefile.Parse(text), float64(d.Config.DecayFactor), func(name string) bool {
		id, ok := d.Tree.Lookup(name)
		return ok && !slices.Contains(d.Tree.Path(id), fstree.Unknown)
	}), nil
}

func (d *SchedPriv) readUsage() error {
	text, err := d.read(usagefile.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		d.Usage = usagefile.Parse(text)
	}
	return err
}

// maxPrivFile is more than any file of a sched_priv has: 60 million entities.
const maxPrivFile = 4 << 30

func (d *SchedPriv) read(name string) (string, error) { return d.Dir.Read(name, maxPrivFile) }
