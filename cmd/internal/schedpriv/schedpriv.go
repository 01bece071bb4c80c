// Package schedpriv finds and loads sched_priv, the scheduler's directory of
// resource_group, sched_config and usage.
package schedpriv

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"fairshare/cmd/internal/file"
	"fairshare/fstree"
	"fairshare/usagefile"
)

// Data is what a sched_priv says about fairshare.
type Data struct {
	Dir            string
	Config         fstree.Config
	ConfigProblems []fstree.ConfigProblem
	NoConfig       bool // sched_config is missing, Config is PBS's default

	Tree          *fstree.Tree
	GroupProblems []fstree.GroupProblem

	Usage *usagefile.Database // nil when there is no usage file
}

// Load reads a sched_priv and derives the tree's percentages and tree usage.
// A missing sched_config or usage is no error, as in PBS. With trim, entities
// that only a version 2 usage file names are left out.
func Load(dir string, trim bool) (*Data, error) {
	d := &Data{Dir: dir}
	usage := make(chan error, 1)
	go func() { usage <- d.readUsage() }() // while the tree is built

	text, err := readFile(dir, "sched_config")
	if d.NoConfig = errors.Is(err, fs.ErrNotExist); err != nil && !d.NoConfig {
		return nil, err
	}
	d.Config, d.ConfigProblems = fstree.ParseConfig(text)

	text, err = readFile(dir, "resource_group")
	if err != nil {
		return nil, err
	}
	d.Tree, d.GroupProblems = fstree.ParseResourceGroup(text, d.Config.UnknownShares)

	if err := <-usage; err != nil {
		return nil, err
	}
	if d.Usage != nil {
		if err := d.Tree.LoadUsage(d.Usage.All(), trim && d.Usage.Version == 2); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, usagefile.Name), err)
		}
	}
	d.Tree.CalcPercentages()
	d.Tree.CalcUsage()
	return d, nil
}

// LostGroups are groups that the usage file has records of, the first 20. They
// were entities once; nothing writes their records again.
func (d *Data) LostGroups() []string {
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

func (d *Data) readUsage() error {
	text, err := readFile(d.Dir, usagefile.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		d.Usage = usagefile.Parse(text)
	}
	return err
}

// maxFile is more than any file of a sched_priv has: 60 million entities.
const maxFile = 4 << 30

func readFile(dir, name string) (string, error) {
	return file.Read(filepath.Join(dir, name), maxFile)
}
