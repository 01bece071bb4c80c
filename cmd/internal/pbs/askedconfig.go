package pbs

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pattern"
	"fairshare/fstree"
)

// Lines of a sched_config that are given over a site's own are tried one by one, as --set tries them:
//
//	backfill_prime: False  ALL
//	job_sort_key: "job_priority HIGH"

var lineOfConfig = pattern.Of(`^[a-z]\w*\s*:\s*\S`)

// isConfig reports whether a text is a sched_config, or lines of one.
func isConfig(text string) bool {
	isKnown := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if !lineOfConfig().MatchString(line) {
			return false
		}
		name, _, _ := strings.Cut(line, ":")
		isKnown = isKnown || SettingOf(OfConfig, strings.TrimSpace(name)) != nil
	}
	return isKnown
}

// configOf returns the lines of a sched_config by the names of their settings, which are returned in the order of the text.
func configOf(lines iter.Seq[fstree.ConfigLine]) (names []string, of map[string][]fstree.ConfigLine) {
	of = map[string][]fstree.ConfigLine{}
	for l := range lines {
		if of[l.Name] == nil {
			names = append(names, l.Name)
		}
		of[l.Name] = append(of[l.Name], l)
	}
	return names, of
}

// isAlways reports whether a line holds at all times.
func isAlways(l fstree.ConfigLine) bool {
	return slices.Contains([]string{"", "all", "none"}, strings.ToLower(l.Period))
}

// askConfig asks for what lines of a sched_config that are given over the site's own set otherwise.
func (f *Files) askConfig(s *Site) (remarks []diag.Remark) {
	if f.IsOwn {
		return nil
	}
	var own map[string][]fstree.ConfigLine
	if s.SchedPriv != nil {
		_, own = configOf(slices.Values(s.SchedPriv.configLines))
	}
	isSame := func(a, b fstree.ConfigLine) bool {
		return strings.EqualFold(a.Value, b.Value) && (strings.EqualFold(a.Period, b.Period) || isAlways(a) && isAlways(b))
	}
	for _, from := range f.overrides() {
		text, err := from.Text(maxFile)
		if err != nil || !isConfig(text) {
			continue
		}
		remarks = append(remarks, diag.Notef("%s is a sched_config, whose lines are tried: what it does not name stays as it is", from.Name))
		names, lines := configOf(fstree.ConfigLines(text))
		for _, name := range names {
			of := lines[name]
			where := fmt.Sprint(from.Name, ofLine, of[0].Number)
			isOne := len(of) == 1 && isAlways(of[0])
			switch {
			case slices.EqualFunc(of, own[name], isSame):
			case SettingOf(OfConfig, name) == nil && IsAttribute(name):
				remarks = append(remarks, diag.Damagef("%s: %s does not count: it is an attribute that qmgr sets, and no setting of sched_config", where, name))
			case SettingOf(OfConfig, name) == nil:
				remarks = append(remarks, diag.Damagef("%s: %s does not count: sched_config has no such setting", where, name))
			case isOne:
				s.Asked = append(slices.Clip(s.Asked), Asked{"sched." + name + "=" + of[0].Value, where, name + " of sched_config", true})
			default:
				remarks = append(remarks, diag.Warningf("%s: %s is not tried, since it has several lines, or holds at prime or non-prime time alone: a sched_priv with it (--sched-priv DIR, in compare and replay beside the site's own) tries it", where, name))
			}
		}
	}
	return remarks
}
