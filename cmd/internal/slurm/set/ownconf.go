package set

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/slurm/dump"
)

// ReadConf returns what a slurm.conf means to change of what is in force at a site: where the site's own slurm.conf is known, what it
// has otherwise than that one, since what both have and is not in force was changed since slurmctld read its own. Where it is not
// known, that of the state of a partition alone, which administrators change by scontrol update.
func ReadConf(site, file *dump.Dump) (*ConfFile, error) {
	f, err := differences(site, file)
	if err != nil {
		return nil, err
	}
	printed := site.OfConf()
	if printed == nil {
		f.leave(isState, "slurmctld starts with it, and scontrol update has changed it")
		return f, nil
	}
	own, err := differences(site, printed)
	if err != nil { // with a slurm.conf that cannot be read, nothing can be compared
		return f, nil
	}
	isOwn := func(x string) bool { return slices.Contains(own.Settings, x) }
	isOthers := func(x string) bool { return slices.Contains(own.Others, x) }
	if isNew := func(x string) bool { return !isOwn(x) && !isOthers(x) }; !slices.ContainsFunc(slices.Concat(f.Settings, f.Others), isNew) {
		return f, nil // it is asked what comes once slurmctld reads it
	}
	f.leave(isOwn, "the slurm.conf of the site has the same")
	f.Others = slices.DeleteFunc(f.Others, isOthers)
	return f, nil
}

// isState reports whether a setting is the state of a partition.
func isState(setting string) bool {
	name, _, _ := strings.Cut(setting, "=")
	return strings.HasPrefix(name, "partition.") && strings.HasSuffix(name, ".State")
}

// leave takes out the settings that the file does not mean to change.
func (f *ConfFile) leave(is func(setting string) bool, why string) {
	for _, x := range f.Settings {
		if is(x) {
			f.Left = append(f.Left, x)
		}
	}
	f.Settings, f.whyLeft = slices.DeleteFunc(f.Settings, is), why
}

// leftAs says which settings are left as they are, and why, "" for none.
func (f *ConfFile) leftAs(changes func(settings []string) ([]Change, error)) string {
	var list []string
	for _, x := range f.Left {
		made, err := changes([]string{x})
		if err != nil {
			continue // it could not be tried either
		}
		for _, c := range made {
			if !c.IsSame {
				list = append(list, fmt.Sprintf("%s=%s (now %s)", c.Name, c.Value, cmp.Or(c.Was, "not set")))
			}
		}
	}
	if list == nil {
		return ""
	}
	return fmt.Sprintf("; left as in force, since %s (--set NAME=VALUE tries one): %s", f.whyLeft, strings.Join(list, ", "))
}
