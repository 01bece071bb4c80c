package pbs

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/fstree"
)

// Sched is what the attributes of the server and of its scheduler say about the
// order of jobs.
type Sched struct {
	Formula          string   // job_sort_formula, "" if it is not set
	Threshold        float64  // job_sort_formula_threshold
	PreemptQueuePrio int      // preempt_queue_prio
	PreemptPrio      []string // the levels of preempt_prio

	// Sources are the names of what the attributes were read from. Where there
	// is one, a formula that none of them sets is not set.
	Sources []string
	// Server and Scheduler are the attributes that a replay depends on, see Setting.
	// Values that were added to each other are joined with commas.
	Server, Scheduler Attributes
	// OfServer and OfSched are whether one of the sources has the attributes of the
	// server, and of the scheduler.
	OfServer, OfSched bool
	// IsCut is whether a source with those of the server is cut off, so that a formula that it lacks may be set.
	IsCut bool

	Hooks []Hook // of the server, as far as the sources tell them

	Version string // of PBS, as the server tells it; "" where nothing does
}

// noThreshold is job_sort_formula_threshold where it is not set.
const noThreshold = math.MinInt32

// TellsFormula reports whether the sources tell the formula, or that none is set.
func (s *Sched) TellsFormula() bool { return s.Formula != "" || len(s.Sources) > 0 && !s.IsCut }

// HasThreshold reports whether job_sort_formula_threshold is set.
func (s *Sched) HasThreshold() bool { return s.Threshold > noThreshold }

// defaultSched returns the attributes of a scheduler for which nothing is set.
func defaultSched() Sched {
	return Sched{Threshold: noThreshold, PreemptQueuePrio: 150, PreemptPrio: []string{"express_queue", "normal_jobs"}}
}

// read reads the attributes from what qmgr's print or list of the server or the
// scheduler, or qstat -Bf, prints: of several schedulers those of one, "" for the default one. before is what others of
// them have told. It is an error if the text is none of these.
func (s *Sched) read(from file.Source, of string, before prints) ([]diag.Remark, error) {
	text, err := from.Text(maxFile)
	if err != nil {
		return nil, err
	}
	objects, remarks := ParseObjects(from.Name, text)
	remarks = append(remarks, before.differ(objects, from.Name, of)...)
	isKnown, more := s.take(objects, from.Name, of)
	if remarks = append(remarks, more...); !s.takeHooks(objects) && !isKnown {
		return nil, errNoAttributes(from)
	}
	s.Sources = append(s.Sources, from.Name)
	s.IsCut = s.IsCut || isCutOff(text) && slices.ContainsFunc(objects, func(o *Object) bool { return o.Kind == "server" })
	return slices.Concat(remarks, wrongHooks(from.Name, objects), sayUnknown(from.Name, objects, "server", "sched")), nil
}

// errNoAttributes says that a file does not have the attributes of a server or a scheduler.
func errNoAttributes(from file.Source) error {
	return fmt.Errorf("%s is neither qmgr's \"print server\", \"list server\", \"print sched\" or \"list sched\" nor qstat -Bf", from.Name)
}

// isOf reports whether an object is the server, or one of its schedulers by its name, "" for the default one.
func (o *Object) isOf(scheduler string) bool {
	isOwn := o.Name == scheduler || IsDefaultScheduler(o.Name) && IsDefaultScheduler(scheduler)
	return o.Kind == "server" || o.Kind == "sched" && isOwn
}

// take takes the attributes of the server and of one scheduler, and reports whether the objects have one of any. What is
// wrong with a value is told of a place, the name of a file.
func (s *Sched) take(objects []*Object, place, of string) (isKnown bool, remarks []diag.Remark) {
	for _, o := range objects {
		isKnown = isKnown || o.Kind == "server" || o.Kind == "sched"
		if !o.isOf(of) {
			continue
		}
		s.OfServer = s.OfServer || o.Kind == "server" && !o.IsAssumed
		s.OfSched = s.OfSched || o.Kind == "sched" && !o.IsAssumed
		attributes := &s.Server
		if o.Kind == "sched" {
			attributes = &s.Scheduler
		}
		var problems []*file.Problem
		*attributes, problems = attributes.with(o)
		for _, problem := range problems {
			remarks = append(remarks, diag.Damagef("%s: %v", place, problem).At(place, problem.Line))
		}
		for _, a := range o.Attributes {
			if o.Kind == "server" && a.Name == "pbs_version" {
				s.Version = a.Value
			}
			if problem := s.set(a.Name, a.Value); problem != nil {
				remarks = append(remarks, diag.Damagef("%s: line %d: %s of %s does not count: %v", place, a.Line, a.Name, o, problem).At(place, a.Line))
			}
		}
	}
	return isKnown, remarks
}

// set sets an attribute; those that do not matter here are passed over.
func (s *Sched) set(name, value string) error {
	if f := fieldOf(name); f != nil {
		return f.set(s, value)
	}
	return nil
}

// attributesOf returns the attributes that have one of a setting: those of the scheduler, unless the server may have it.
func (s *Sched) attributesOf(setting *Setting) *Attributes {
	if setting.Of&OfServer == 0 {
		return &s.Scheduler
	}
	return &s.Server
}

// IsOfAttributes reports whether the scheduler goes by its attributes and no longer by those settings of sched_config which they were
// before PBS 19: by its own version, or since it has attributes that are told.
func (s *Sched) IsOfAttributes() bool {
	const first, ofYears = 19, 2000 // 2020.1 is as 20.1
	digits := strings.TrimLeftFunc(s.Version, func(r rune) bool { return r < '0' || r > '9' })
	major, _, _ := strings.Cut(digits, ".")
	n, err := strconv.Atoi(major)
	return s.OfSched || err == nil && (n >= first && n < ofYears || n >= ofYears+first)
}

// takeOld takes attributes from sched_config, which had them before PBS 19.
func (s *Sched) takeOld(priv *SchedPriv) []diag.Remark {
	var remarks []diag.Remark
	old := priv.Config.Old
	for _, name := range slices.Sorted(maps.Keys(old)) {
		err := s.set(name, old[name])
		if text := textSetting(name); text != nil {
			if err = text.checkText(name, old[name]); err == nil {
				s.Scheduler = s.Scheduler.set(name, old[name])
			}
		}
		if err != nil {
			remarks = append(remarks, priv.wrongOld(lineOf(priv.configLines, name), err))
			continue
		}
		remarks = append(remarks, diag.Notef("%s is that of sched_config, which PBS has gone by before 19: nothing tells the scheduler's attributes", name))
	}
	return remarks
}

// lineOf returns the last of some lines of sched_config that is of a setting.
func lineOf(lines []fstree.ConfigLine, name string) (last fstree.ConfigLine) {
	for _, line := range lines {
		if line.Name == name {
			last = line
		}
	}
	return last
}

// PreemptsFairshare reports whether jobs of entities over their share have a
// preemption level of their own.
func (s Sched) PreemptsFairshare() bool { return slices.Contains(s.PreemptPrio, "fairshare") }
