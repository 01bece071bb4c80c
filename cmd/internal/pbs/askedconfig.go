package pbs

import (
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

// AreConfigLines reports whether each line of a text that is none of comments is NAME: VALUE, and one of them sets what PBS knows, as sched_config
// does: in capitals too, which count there for other letters.
func AreConfigLines(text string) bool {
	isKnown := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, isOne := strings.Cut(line, ":")
		if !isOne || !isName(name) || strings.TrimSpace(value) == "" {
			return false
		}
		isKnown = isKnown || SettingOf(OfConfig, strings.ToLower(name)) != nil || IsAttribute(strings.ToLower(name))
	}
	return isKnown
}

// isConfig reports whether a text is a sched_config, or lines of one, some of which may be damaged: one is of a setting that PBS knows,
// and none is a command for qmgr.
func isConfig(text string) bool {
	isKnown := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if isCommand(line) {
			return false
		}
		name, _, _ := strings.Cut(line, ":")
		isKnown = isKnown || lineOfConfig().MatchString(line) && SettingOf(OfConfig, strings.TrimSpace(name)) != nil
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

// isAlways reports whether a line holds at all times, as one does that has a word which PBS does not know behind its value.
func isAlways(l fstree.ConfigLine) bool {
	isPrime, isNonPrime, _ := fstree.Period(l.Period)
	is := SettingOf(OfConfig, l.Name)
	return is != nil && is.always || isPrime && isNonPrime
}

// isSame reports whether two lines of a setting say the same. Of values, the case of letters counts, but in true and false.
func isSame(a, b fstree.ConfigLine) bool {
	isSwitch := slices.Contains([]string{"true", "false"}, strings.ToLower(a.Value))
	return (a.Value == b.Value || isSwitch && strings.EqualFold(a.Value, b.Value)) && (strings.EqualFold(a.Period, b.Period) || isAlways(a) && isAlways(b))
}

// configOver is a sched_config that is given over a site's own.
type configOver struct{ name, text string }

// askConfig asks for what lines of a sched_config that are given over the site's own set otherwise.
func (f *Files) askConfig(s *Site) (remarks []diag.Remark) {
	if f.IsOwn {
		return nil
	}
	for _, from := range f.overrides() {
		if text, err := from.Text(maxFile); err == nil && isConfig(text) {
			remarks = append(remarks, diag.Notef("%s is a sched_config, whose lines are tried: what it does not name stays as it is", from.Name))
			s.configs = append(s.configs, configOver{from.Name, text})
		}
	}
	asked, more := s.askedOfConfigs()
	s.Asked = slices.Concat(s.Asked, asked)
	return append(remarks, more...)
}

// askedOfConfigs returns what each sched_config that is given over the site's own sets otherwise.
func (s *Site) askedOfConfigs() (asked []Asked, remarks []diag.Remark) {
	var own map[string][]fstree.ConfigLine
	if s.SchedPriv != nil {
		_, own = configOf(slices.Values(s.SchedPriv.configLines))
	}
	for _, from := range s.configs {
		names, lines := configOf(fstree.ConfigLines(from.text))
		read, problems := fstree.ParseConfig(from.text)
		for _, name := range names {
			of := lines[name]
			where := Place{from.name, of[0].Number}
			isOne := len(of) == 1 && isAlways(of[0])
			switch {
			case slices.EqualFunc(of, own[name], isSame):
			case SettingOf(OfConfig, name) == nil && IsAttribute(name):
				remarks = append(remarks, diag.Damagef("%s: %s does not count: it is an attribute that qmgr sets, and no setting of sched_config", where, name).At(from.name, where.Line))
			case SettingOf(OfConfig, name) == nil && of[0].Value == "":
				remarks = append(remarks, diag.Damagef("%s: expected NAME: VALUE", where).At(from.name, where.Line))
			case SettingOf(OfConfig, name) == nil:
				remarks = append(remarks, diag.Damagef("%s: %s does not count: sched_config has no such setting", where, name).At(from.name, where.Line))
			case of[0].Value == "":
				remarks = append(remarks, diag.Damagef("%s: %s has no value", where, name).At(from.name, where.Line))
			case isOne:
				value, said := asPBSReads(of[0], &read, problems)
				for _, p := range said {
					remark := diag.Warningf("%s: %s", where, p.Message).At(from.name, where.Line)
					remark.IsWrong = !p.Counts
					remarks = append(remarks, remark)
				}
				asked = append(asked, Asked{Setting: "sched." + name + "=" + value, Where: where, what: name + ofConfig, isSaid: true})
			default:
				remarks = append(remarks, diag.Warningf("%s: %s is not tried, since it has several lines, or does not hold at all times: a sched_priv with it (--sched-priv DIR, in compare and replay beside the site's own) tries it", where, name).At(from.name, where.Line))
			}
		}
	}
	return asked, remarks
}

// asPBSReads returns the value of the one line of a setting, which PBS may take for another one than it is, and what is to be said of
// that. A value of which PBS makes nothing is as it is written.
func asPBSReads(line fstree.ConfigLine, read *fstree.Config, problems []fstree.Problem) (value string, said []fstree.Problem) {
	value = read.Setting(nameNow(line.Name))
	said = slices.DeleteFunc(slices.Clone(problems), func(p fstree.Problem) bool { return p.Line != line.Number })
	switch {
	case len(said) == 0 || value == "":
		return line.Value, nil
	case strings.EqualFold(value, line.Value):
		return line.Value, said
	}
	return value, said
}

// ofConfig stands behind the name of a setting of sched_config that a file asks for.
const ofConfig = " of sched_config"

// askConfigAgain asks for what the lines of a sched_config set otherwise than another sched_priv that a site has in the place of one.
func (s *Site) askConfigAgain(before *Site) []diag.Remark {
	if s.configs == nil {
		return nil
	}
	s.Asked = slices.DeleteFunc(slices.Clone(s.Asked), func(a Asked) bool { return strings.HasSuffix(a.what, ofConfig) })
	asked, remarks := s.askedOfConfigs()
	s.Asked = append(s.Asked, asked...)
	_, said := before.askedOfConfigs()
	remarks = slices.DeleteFunc(remarks, func(r diag.Remark) bool { return slices.Contains(said, r) })
	return append(remarks, s.checkAsked()...)
}
