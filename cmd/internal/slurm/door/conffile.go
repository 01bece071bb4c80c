package door

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/set"
	slurmstudy "fairshare/cmd/internal/slurm/study"
	"fairshare/cmd/internal/study"
)

// changer says what settings change of a site.
type changer func(settings []string) ([]set.Change, error)

// expand puts those settings by which a slurm.conf differs from what is in force in the place of its name among settings. Those that are
// given beside it count before its own. What the site prints and a changer of it are asked for where there is such a name alone.
func expand(to *site.Console, site func() (*dump.Dump, error), settings *[]string, changing func() (changer, error)) error {
	if !slices.ContainsFunc(*settings, isFileName) {
		return nil
	}
	printed, err := site()
	if err != nil {
		return err
	}
	changes, err := changing()
	if err != nil {
		return err
	}
	*settings, err = expanded(to, printed, *settings, changes)
	return err
}

// expand is expand of the site.
func (s *Site) expand(printed *dump.Dump, settings *[]string, changing func() (changer, error)) error {
	return expand(s.to, func() (*dump.Dump, error) { return printed, nil }, settings, changing)
}

// expanded returns settings with those of each file in its place.
func expanded(to *site.Console, printed *dump.Dump, settings []string, changes changer) ([]string, error) {
	var all []string
	given := slices.DeleteFunc(slices.Clone(settings), isFileName)
	for _, text := range settings {
		if !isFileName(text) {
			all = append(all, text)
			continue
		}
		file, err := confNamed(to.Input, text, "NAME=VALUE, or ")
		if err != nil {
			return nil, err
		}
		of, err := set.ReadConf(printed, file)
		if err != nil {
			return nil, err
		}
		if err := refusedConf(printed, file); err != nil {
			return nil, err
		}
		isGiven := func(setting string) bool {
			return slices.ContainsFunc(given, func(other string) bool { return strings.EqualFold(nameOf(other), nameOf(setting)) })
		}
		before := len(of.Settings)
		of.Left = slices.DeleteFunc(of.Left, isGiven)
		if of.Settings = slices.DeleteFunc(of.Settings, isGiven); before > 0 && len(of.Settings)+len(of.Others)+len(of.Left) == 0 {
			continue // all that it changes is given beside it
		}
		remark, err := of.Try(func(own []string) ([]set.Change, error) { return changes(slices.Concat(given, own)) })
		if err != nil {
			return nil, err
		}
		to.Say(remark)
		all = append(all, of.Settings...)
	}
	return all, nil
}

// isFileName reports whether what stands in place of a setting is the name of a file, which one that is there may be with a "=" in it.
func isFileName(text string) bool {
	if !strings.Contains(text, "=") {
		return true
	}
	info, err := os.Stat(text)
	return err == nil && !info.IsDir()
}

// nameOf returns the name of a setting.
func nameOf(setting string) string {
	name, _, _ := strings.Cut(setting, "=")
	return strings.TrimSpace(name)
}

// confNamed returns the slurm.conf of a name, with what it includes. or is what else the name may be.
func confNamed(in *site.Input, name, or string) (*dump.Dump, error) {
	t, err := in.Tree(name, "--set")
	if errors.Is(err, fs.ErrNotExist) && or == "" && strings.Contains(name, "=") {
		return nil, diag.Requestf("check --set takes a whole slurm.conf, and %s is one setting: formula compare SITE --set %[1]s says what it would change now, and formula replay SITE --set %[1]s over the jobs of some weeks", name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, diag.Requestf("--set %w", &diag.SettingError{Setting: name, Err: fmt.Errorf("expected %sthe name of a slurm.conf, and there is no such file", or)})
	}
	if err != nil {
		return nil, err
	}
	if !dump.IsConf(t) {
		if or == "" {
			return nil, diag.Requestf("--set %s: it is no slurm.conf", name)
		}
		return nil, diag.Requestf("--set %s: it is neither NAME=VALUE nor a slurm.conf", name)
	}
	return dump.Find(t)
}

// ofOrder changes an order.
func ofOrder(own *order.Site) func() (changer, error) {
	return func() (changer, error) {
		return func(settings []string) ([]set.Change, error) {
			_, changes, err := set.With(own, settings)
			return changes, err
		}, nil
	}
}

// ofSetup changes what a scheduler knows.
func ofSetup(of *sched.Setup) func() (changer, error) {
	return func() (changer, error) {
		return func(settings []string) ([]set.Change, error) {
			_, changes, err := set.ChangeSetup(of, settings)
			return changes, err
		}, nil
	}
}

// ofStarts changes what the scheduler knows of a site of an order.
func (s *Site) ofStarts(own *order.Site, printed *dump.Dump, zone *time.Location) func() (changer, error) {
	return func() (changer, error) {
		now, remarks, err := own.Now(printed, slurm.OnStarts, zone)
		if err != nil {
			s.to.Say(remarks...)
			return nil, err
		}
		return ofSetup(now.Setup)()
	}
}

// ofStartsIfKnown is ofStarts, or ofOrder where the site lacks what the scheduler has to know, which is said.
func (s *Site) ofStartsIfKnown(own *order.Site, printed *dump.Dump, zone *time.Location) func() (changer, error) {
	return func() (changer, error) {
		now, _, err := own.Now(printed, slurm.OnStarts, zone)
		if err != nil {
			s.to.Say(diag.Warningf("what the file changes of starts is not tried: %v", err))
			return ofOrder(own)()
		}
		return ofSetup(now.Setup)()
	}
}

// expand is expand of settings that a replay takes.
func (p *Past) expand(of *sched.Setup, settings *[]string) error {
	return expand(p.to, p.printed, settings, func() (changer, error) {
		return func(settings []string) ([]set.Change, error) {
			if _, _, err := slurmstudy.Change(of, settings); err != nil {
				return nil, err
			}
			_, changes, err := set.ChangeSetup(of, settings)
			return changes, err
		}, nil
	})
}

// policy returns the policy of a file: one of lines such as set NAME=VALUE, or a slurm.conf.
func (p *Past) policy(of *sched.Setup, name string) (study.Changes, error) {
	if t, err := p.to.Input.Tree(name, ""); err != nil || !dump.IsConf(t) {
		return study.ReadPolicy(p.to.Input.Source(name, "--policy"))
	}
	settings := []string{name}
	err := p.expand(of, &settings)
	return study.Changes{Name: filepath.Base(name), Settings: settings}, err
}
