package door

import (
	"errors"
	"io/fs"
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

// expanded returns settings with those by which a slurm.conf differs that is named among them in place of a setting. Those that are
// given beside it count before its own.
func expanded(to *site.Console, printed *dump.Dump, settings []string, changes changer) ([]string, error) {
	if !slices.ContainsFunc(settings, isFileName) {
		return settings, nil
	}
	var all []string
	given := slices.DeleteFunc(slices.Clone(settings), isFileName)
	for _, text := range settings {
		if !isFileName(text) {
			all = append(all, text)
			continue
		}
		file, err := confNamed(to.Input, text)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, diag.Requestf("--set %w", &diag.SettingError{Setting: text, Err: errors.New("expected NAME=VALUE, or the name of a slurm.conf, and there is no such file")})
		case err != nil:
			return nil, err
		}
		of, err := set.ReadConf(printed, file)
		if err != nil {
			return nil, err
		}
		isGiven := func(setting string) bool {
			return slices.ContainsFunc(given, func(other string) bool { return strings.EqualFold(nameOf(other), nameOf(setting)) })
		}
		before := len(of.Settings)
		if of.Settings = slices.DeleteFunc(of.Settings, isGiven); before > 0 && len(of.Settings)+len(of.Others) == 0 {
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

// isFileName reports whether what stands in place of a setting is the name of a file.
func isFileName(text string) bool { return !strings.Contains(text, "=") }

// nameOf returns the name of a setting.
func nameOf(setting string) string {
	name, _, _ := strings.Cut(setting, "=")
	return strings.TrimSpace(name)
}

// confNamed returns the slurm.conf of a name, with what it includes.
func confNamed(in *site.Input, name string) (*dump.Dump, error) {
	t, err := in.Tree(name, "--set")
	if err != nil {
		return nil, err
	}
	if !dump.IsConf(t) {
		return nil, diag.Requestf("--set %s: it is neither NAME=VALUE nor a slurm.conf", name)
	}
	return dump.Find(t)
}

// ofOrder returns what settings change of an order.
func ofOrder(own *order.Site) changer {
	return func(settings []string) ([]set.Change, error) {
		_, changes, err := set.With(own, settings)
		return changes, err
	}
}

// expandedOf is expanded for an order, and where starts are asked as well, for what the scheduler knows.
func (s *Site) expandedOf(own *order.Site, printed *dump.Dump, settings []string, isOfStarts bool, zone *time.Location) ([]string, error) {
	changes := ofOrder(own)
	if isOfStarts && slices.ContainsFunc(settings, isFileName) {
		if now, _, err := own.Now(printed, slurm.OnStarts, zone); err == nil {
			changes = ofSetup(now.Setup)
		}
	}
	return expanded(s.to, printed, settings, changes)
}

// ofSetup returns what settings change of what a scheduler knows.
func ofSetup(s *sched.Setup) changer {
	return func(settings []string) ([]set.Change, error) {
		_, changes, err := set.ChangeSetup(s, settings)
		return changes, err
	}
}

// expanded returns settings as expanded does, of those that a replay takes.
func (p *Past) expanded(of *sched.Setup, settings []string) ([]string, error) {
	if !slices.ContainsFunc(settings, isFileName) {
		return settings, nil // for which the site is not read again
	}
	printed, err := p.printed()
	if err != nil {
		return nil, err
	}
	return expanded(p.to, printed, settings, func(settings []string) ([]set.Change, error) {
		if _, _, err := slurmstudy.Change(of, settings); err != nil {
			return nil, err
		}
		return ofSetup(of)(settings)
	})
}

// policy returns the policy of a file: one of lines such as set NAME=VALUE, or a slurm.conf.
func (p *Past) policy(of *sched.Setup, name string) (study.Changes, error) {
	if t, err := p.to.Input.Tree(name, ""); err != nil || !dump.IsConf(t) {
		return study.ReadPolicy(p.to.Input.Source(name, "--policy"))
	}
	settings, err := p.expanded(of, []string{name})
	return study.Changes{Name: filepath.Base(name), Settings: settings}, err
}
