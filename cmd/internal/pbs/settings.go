package pbs

import (
	"iter"
	"slices"
	"strings"

	"fairshare/fstree"
)

// Setting is something that PBS's scheduler reads, by the name under which qstat, qmgr, pbsnodes, pbs_rstat or
// sched_config have it, and what becomes of it here: it acts, or it is read, or what is lacking is said, or
// nothing depends on it. All of them stand in the table of settings, which every other question is asked of.
type Setting struct {
	Name        string // without the resource: max_run_res for max_run_res.ncpus
	Logged      string // further names that accounting logs have for it
	Of          Owner
	PerResource bool // whether it has a value for each resource

	Acts    Effect // what changes with it under another policy
	isLater bool   // whether it acts on usage as it decays, and so on the order over days and weeks
	IsRead  bool   // whether it is read as it is, and no policy changes it
	Lacks   string // what of it is not modelled, in words that follow "not modelled: "; "" for nothing
	Without string // why no answer depends on it
	isGone  bool   // whether that is because PBS itself no longer reads it

	usual []string // begins of values, in lower case, under which what lacks does not matter; "*" is all, and nil those of a switch that is off

	Copy   Copy   // how a copy of the site for others keeps it
	Secret string // why such a copy leaves out what answers depend on

	check    func(value string) error                    // what is wrong with a value; nil where it is checked as it is read
	field    *field                                      // where Sched keeps the value, nil for a text among its Attributes
	queue    *queueField                                 // where Queue does, likewise
	limit    *limitForm                                  // of a limit
	idle     func(s *Site, c Change, name string) string // what keeps a change of it from having an effect, "" if nothing does
	isText   bool                                        // whether it is kept as a text though no policy changes it
	isSwitch bool                                        // whether it is true or false

	isOfQueues bool // whether it is names of queues
	isOfWords  bool // whether its value may be any text
	isCount    bool // whether it counts what comes and goes, so that two prints differ in it

	always bool // of sched_config: whether it has no word for prime or non-prime time

	// resources returns the resources that a value of sched_config names, and words that stand for none.
	resources func(config *fstree.Config) (names, words []string, err error)
}

// Owner is of whom a setting is. One that is of several has several bits.
type Owner uint16

// Of whom a setting may be.
const (
	OfServer Owner = 1 << iota
	OfScheduler
	OfQueue
	OfResource // as qmgr defines it
	OfConfig   // sched_config
	OfEntity   // resource_group and the usage database
	OfJob
	OfRequest // resources of PBS's own that a job may ask for
	OfVnode
	OfReservation

	// OfAttributes are those whose attributes qmgr sets. Some have moved from one to another in the course of time,
	// so that one is taken wherever it stands.
	OfAttributes = OfServer | OfScheduler | OfQueue
)

// Effect is what a setting changes.
type Effect uint8

// What a setting may change. Whoever changes the order changes all that follows from it.
const (
	OnOrder  Effect = 1 << iota // the order of jobs
	OnStarts                    // which of them start in a cycle and where, and so replays and forecasts
	OnCourse                    // what happens from cycle to cycle, in replays and forecasts

	// onSubmissions is what settings change of jobs that are yet to be submitted, whether PBS takes them and what they ask for.
	onSubmissions

	// onReplays is all on which a replay depends.
	onReplays = OnOrder | OnStarts | OnCourse
)

// Copy is how a copy of a site for others keeps a value.
type Copy int

// How a value may be kept.
const (
	NotCopied     Copy = iota
	CopyAsIs           // a formula, which has no names of people
	CopyPlain          // numbers and words that PBS itself makes
	CopyAmounts        // of a resource: amounts stay, words become others
	CopyLimits         // whom they limit is renamed
	CopyResources      // names of resources
	CopyQueues         // names of queues, which may be on other servers
	CopySelect         // chunks
	CopyPlaces         // vnodes and what is taken of them

	CopyUser // and what follows are names, each always replaced by the same one
	CopyGroup
	CopyAccount
	CopyProject
	CopyJobName
	CopyHost
	CopyHosts
	CopyAddress // user@host
	CopyQueue
	CopyID
	CopyIDs // with numbers behind them, such as "1.srv/0, 2.srv/0"
	CopyDependencies
	CopyPath
	CopyPartitions
	CopySchedPriv

	CopyMoment // moved with all times
	CopyRule   // by which a reservation comes again
	CopyZone

	CopyWords      // of sched_config: words of PBS and of the site's resources
	CopySortKeys   // likewise, with resources that are renamed
	CopyUsage      // likewise, of resources whose names stay
	CopyEntityName // likewise, or an attribute of jobs that PBS does not have
	CopyPrefix     // of names of queues
)

// limitForm is how a limit is written.
type limitForm struct {
	isSoft bool
	kind   byte   // whom a limit of old is for, as Limit.Kind; 0 for one that says it itself
	name   string // likewise Limit.Name
}

// named has the settings of each name, without the resource, in the order of the table.
var named = func() map[string][]*Setting {
	named := map[string][]*Setting{}
	for _, rows := range [][]Setting{attributeSettings, limitSettings, configSettings, entitySettings, jobSettings, placeSettings, otherSettings} {
		for i := range rows {
			s := &rows[i]
			named[s.Name] = append(named[s.Name], s)
		}
	}
	return named
}()

// Settings yields all settings.
func Settings() iter.Seq[*Setting] {
	return func(yield func(*Setting) bool) {
		for _, all := range named {
			for _, s := range all {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// SettingOf returns a setting of one of some owners by its name, with or without a resource; nil for none.
func SettingOf(of Owner, name string) *Setting {
	name, _, _ = strings.Cut(name, ".")
	for _, s := range named[name] {
		if s.Of&of != 0 {
			return s
		}
	}
	return nil
}

// CopyOf returns how a copy of the site for others keeps an attribute of one of some owners, as it is written.
func CopyOf(of Owner, name string) Copy {
	s := SettingOf(of, name)
	if s == nil || s.PerResource != strings.Contains(name, ".") {
		return NotCopied
	}
	return s.Copy
}

// textSetting returns the setting of an attribute of a server, a scheduler or a queue that is kept as a text; nil for none.
func textSetting(name string) *Setting {
	s := SettingOf(OfAttributes, name)
	if s == nil {
		return nil
	}
	isOfResource, hasField := strings.Contains(name, "."), s.field != nil || s.queue != nil
	if s.isText && s.PerResource == isOfResource || s.Acts != 0 && !hasField || s.Lacks != "" && !isOfResource && !hasField {
		return s
	}
	return nil
}

// fieldOf returns where Sched keeps an attribute, nil if it does not.
func fieldOf(name string) *field {
	for _, s := range named[name] {
		if s.field != nil {
			return s.field
		}
	}
	return nil
}

// IsAttribute reports whether a setting that --set knows is an attribute of the scheduler or the server, which
// qmgr sets, and not of sched_config.
func IsAttribute(name string) bool {
	s := textSetting(name)
	return fieldOf(name) != nil || s != nil && s.Acts != 0
}

// HasPeriod reports whether a setting of sched_config may differ between prime and non-prime time, so that a word
// for the time stands behind its value.
func HasPeriod(name string) bool {
	s := SettingOf(OfConfig, name)
	return s == nil || !s.always
}

// isOldLimit reports whether it is a limit as PBS had them before 10.1, which are not named to those who ask what
// there is in an order.
func (s *Setting) isOldLimit() bool { return s.limit != nil && s.limit.kind != 0 }

// set returns what --set calls it, of a queue or for "" of the server, the scheduler or sched_config.
func (s *Setting) set(queue string) string {
	switch {
	case queue != "" && s.Name == "Priority":
		return "queue." + queue + ".priority"
	case queue != "":
		return "queue." + queue + "." + s.Name
	case s.Of&OfServer != 0:
		return "server." + s.Name
	}
	return "sched." + s.Name
}

// settable returns the names of what can be set of a queue, or for "" of the server, the scheduler and
// sched_config; with replays also what the order does not depend on.
func settable(queue string, replays bool) []string {
	of := OfServer | OfScheduler | OfConfig
	if queue != "" {
		of = OfQueue
	}
	var names []string
	for s := range Settings() {
		isAsked := s.Acts&OnOrder != 0 && !s.isOldLimit() || replays && s.Acts != 0
		if s.Of&of != 0 && isAsked && s.Name != "job_sort_formula" {
			names = append(names, s.set(queue))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ReplaySettings returns the names of the settings that WithReplayed knows of the scheduler, the
// server and a queue, those of resources without the resource.
func ReplaySettings(queue string) []string {
	return append(settable("", true), settable(queue, true)...)
}
