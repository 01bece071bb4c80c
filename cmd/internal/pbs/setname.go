package pbs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
)

// noSetting says that there is no setting of a name, and which one is meant: people leave out of what it is a setting, or
// name a queue or an entity alone.
func (e *editor) noSetting(name string) error {
	if near := e.meant(name); near != nil {
		return errors.New("there is no such setting; did you mean " + strings.Join(near, " or ") + "?")
	}
	return errors.New("there is no such setting; there are ENTITY.shares, ENTITY.usage, queue.NAME.priority, sched.NAME and server.NAME, such as sched.job_sort_key (docs/pbs-settings.md has all)")
}

// noSettingOf says that a queue, or for "" the server or the scheduler, has no setting of a whole name, and which one is near.
func (e *editor) noSettingOf(queue, name string) error {
	of, key, _ := strings.Cut(name, ".")
	if old := report.Typo(key, []string{oldDecayTime}); old != "" {
		return errors.New("there is no setting " + name + report.Meant("sched."+nameNow(old)))
	}
	isOther := func(setting string) bool { return !strings.HasPrefix(setting, of+".") }
	return errors.New(report.NoSuch("setting", name, slices.DeleteFunc(settable(queue, e.replays), isOther)))
}

// isReadAlone reports whether a site is read with a setting, and no change of it is tried.
func (s *Setting) isReadAlone() bool { return s != nil && s.Acts == 0 && (s.IsRead || s.Lacks != "") }

// isOfSubmissions reports whether a setting of a name counts for jobs alone that are yet to be submitted.
func (s *Setting) isOfSubmissions(name string) bool {
	is := func(prefix string) bool { return strings.HasPrefix(s.Name, prefix) }
	return s.Acts == 0 && s.isText && s.PerResource == strings.Contains(name, ".") && (s.Secret == ofAccess || slices.ContainsFunc(ofSubmissions, is))
}

// readAlone says how a change of an attribute is asked for that is not tried here.
func readAlone(of, name, value string) error {
	if s := SettingOf(OfAttributes, name); s.isOfSubmissions(name) {
		return errors.New("it counts for jobs that are yet to be submitted, and changes nothing for those that are there: nodes and when try it with --submit")
	}
	return fmt.Errorf("it is not tried: a file (--sched FILE) with the line: set %s %s = %s lets the site be read with it, as for --submit", of, name, report.Quote(value))
}

// noQueue says that there is no queue of a name, and which one is near.
func (e *editor) noQueue(name string) error {
	var names []string
	for _, q := range e.site.Queues {
		names = append(names, q.Name)
	}
	return errors.New(report.NoSuch("queue", name, names))
}

// meant returns the whole names of the settings that a part of a name may stand for, nil where nothing is near.
func (e *editor) meant(name string) []string {
	if key, isOfConfig := strings.CutPrefix(name, "sched_config."); isOfConfig {
		return e.meant(key)
	}
	name = strings.TrimPrefix(name, "queue.")
	of, what, isOf := strings.Cut(name, ".")
	for _, q := range e.site.Queues {
		if !strings.EqualFold(q.Name, of) {
			continue
		}
		if !isOf {
			return []string{"queue." + q.Name + ".priority"}
		}
		if near := report.Nearest("queue."+q.Name+"."+strings.ToLower(what), settable(q.Name, true)); near != "" {
			return []string{near}
		}
	}
	if e.isEntity(name) {
		return []string{name + ".shares", name + ".usage"}
	}
	if near := e.keyed(func(key string) bool { return strings.EqualFold(key, name) }); near != nil {
		return near
	}
	typo := report.Typo(name, e.keys())
	return e.keyed(func(key string) bool { return typo != "" && key == typo })
}

// keyed returns the settings of the server, the scheduler and a queue whose own name, without of what it is, fits.
func (e *editor) keyed(fits func(key string) bool) (names []string) {
	for _, full := range e.settings() {
		if fits(keyOf(full)) {
			names = append(names, strings.TrimSuffix(full, keyOf(full))+nameNow(keyOf(full)))
		}
	}
	return names
}

// keys returns the own names of these settings.
func (e *editor) keys() (keys []string) {
	for _, full := range e.settings() {
		keys = append(keys, keyOf(full))
	}
	return keys
}

// settings returns the settings of the server, the scheduler and a queue, with those that a replay alone depends on, of
// which it is said then.
func (e *editor) settings() []string {
	return slices.Concat(settable("", true), settable("NAME", true))
}

// keyOf returns the own name of a setting, without of what it is.
func keyOf(full string) string {
	full = strings.TrimPrefix(full, "queue.NAME.")
	full = strings.TrimPrefix(full, "server.")
	return strings.TrimPrefix(full, "sched.")
}

func (e *editor) isEntity(name string) bool {
	if !e.site.HasTree() {
		return false
	}
	_, isThere := e.site.SchedPriv.Tree.Lookup(name)
	return isThere
}
