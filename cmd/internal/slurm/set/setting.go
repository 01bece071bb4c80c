package set

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// Change is something of a site that is other than the site says: what if?
type Change struct {
	Name, Value, Was string
	IsSame           bool // whether it is that already
}

func (c Change) String() string {
	if c.Was == "" {
		return c.Name + "=" + c.Value
	}
	return fmt.Sprintf("%s=%s (was %s)", c.Name, c.Value, c.Was)
}

// asked returns a setting as it was asked for.
func asked(name, value string) string {
	if strings.EqualFold(name, "SLURM_VERSION") { // by the flag for it
		return "--rules " + value
	}
	return name + "=" + value
}

// Remark says what is tried, or warns that it changes nothing: the same in all commands.
func (c Change) Remark() diag.Remark {
	if c.IsSame {
		return diag.Warningf("%s changes nothing: it is so without it", asked(c.Name, c.Value)).OfAsked()
	}
	return diag.WhatIf(c.String())
}

// qosLimits are the limits of a QOS that can be changed, and associationLimits those of an account and of a user's association.
var qosLimits, associationLimits = setup.LimitsOf(setup.OfQOS), setup.LimitsOf(setup.OfAssociation)

// qosKeys are all settings of a QOS.
var qosKeys = append([]string{"priority", "UsageFactor", "Preempt", "PreemptMode"}, qosLimits...)

// partitionFields returns the names of the attributes of a partition that starts alone depend on.
func partitionFields() (names []string) {
	for _, f := range setup.PartitionFields {
		names = append(names, f.Name)
	}
	return names
}

// noQOSSetting says that a QOS has no setting of a name in small letters, and which was meant perhaps, or which it has.
func noQOSSetting(name string) error {
	var small []string
	for _, other := range qosKeys {
		small = append(small, strings.ToLower(other))
	}
	if at := slices.Index(small, report.Nearest(name, small)); at >= 0 {
		return fmt.Errorf("a QOS has no such setting; did you mean qos.NAME.%s?", qosKeys[at])
	}
	return fmt.Errorf("of a QOS there are %s", report.Listed(qosKeys))
}

// Kinds of settings.
type settingKind int

const (
	ofConf      settingKind = iota // a setting of slurm.conf on priorities
	ofScheduler                    // SchedulerType, PreemptType, PreemptMode, or one of SchedulerParameters
	ofTree
	ofQOS
	ofAssociation // a limit of an account or of a user's association
	ofPartition
	ofJob
	ofLicence
	ofNode        // times in which nodes take no job
	ofRemoved     // nodes that are not there
	ofReservation // when and where it is
	ofVersion     // SLURM_VERSION: of which the rules are
)

// setting is a setting whose form and value are right. Whether what it is of exists, the site knows.
type setting struct {
	kind        settingKind
	name, value string
	of, key     string // such as gpu and tier
	number      float64
	seconds     float64        // of MaxWall and GrpWall
	amounts     []slurm.Amount // of MaxTRES and its like
	unset       []string       // the resources of which MaxTRES and its like is to be none (-1)
	limit       *setup.Field   // of a QOS or an association, nil where it is none
	field       *setup.PartitionField
	mode        sched.PreemptMode
	text        string // as it was given
	at          int    // its place among all
}

// isParent reports whether shares are those of the parent.
func (s *setting) isParent() bool { return s.value == "parent" }

// errSame says that something is already what a setting makes of it.
var errSame = errors.New("it is that already")

// wrong returns what is wrong with a setting that was asked for, that of a version by the flag that asks for it.
func wrong(setting string, err error) error {
	if name, value, _ := strings.Cut(setting, "="); strings.EqualFold(strings.TrimSpace(name), "SLURM_VERSION") {
		return diag.Requestf("--rules %s: %w", strings.TrimSpace(value), err)
	}
	return diag.Requestf("--set %w", &diag.SettingError{Setting: setting, Err: err})
}

// applySettings makes the changes that settings ask for, whatever their order: first those on which it depends what others
// mean. set returns what was. The changes are in the order of the settings.
func applySettings(texts []string, set func(*setting) (was string, err error)) ([]Change, error) {
	var list []*setting
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" {
			return nil, wrong(text, errors.New("expected NAME=VALUE"))
		}
		if slices.ContainsFunc(list, func(x *setting) bool { return strings.EqualFold(x.name, name) }) {
			return nil, wrong(text, errors.New("it is set twice"))
		}
		x, err := newSetting(name, value)
		if err != nil {
			return nil, wrong(text, err)
		}
		x.name, x.at, x.text = name, len(list), text
		list = append(list, x)
	}
	changes := make([]Change, len(list))
	slices.SortStableFunc(list, func(a, b *setting) int { return a.turn() - b.turn() })
	for _, x := range list {
		value := strings.TrimSpace(x.text[strings.IndexByte(x.text, '=')+1:])
		was, err := set(x)
		isSame := err == nil && was == value && was != "" || errors.Is(err, errSame)
		if err != nil && !isSame {
			return nil, wrong(x.text, err)
		}
		changes[x.at] = Change{x.name, value, was, isSame}
	}
	return changes, nil
}

// turn returns when a setting is applied, by what others of it depend on: a QOS preempts under a PreemptType alone, a
// partition has the PreemptMode of all where it has none of its own, the damping factor counts under some PriorityFlags,
// and a reservation may be set when all others are gone.
func (s *setting) turn() int {
	switch {
	case s.kind == ofVersion, s.kind == ofScheduler && (s.key == "preempttype" || s.key == "schedulertype"), s.kind == ofConf && s.key == "priorityflags":
		return 0
	case s.kind == ofScheduler, s.kind == ofConf, s.kind == ofReservation && s.of == "*":
		return 1
	}
	return 2
}

// settingOf returns a setting as it was given, nil for one that is none.
func settingOf(text string) *setting {
	name, value, _ := strings.Cut(text, "=")
	x, err := newSetting(strings.TrimSpace(name), strings.TrimSpace(value))
	if err != nil {
		return nil
	}
	return x
}

// is reports whether a change is one of a setting of some kind.
func (c Change) is(ofKind func(*setting) bool) bool {
	x, err := newSetting(c.Name, c.Value)
	return err == nil && ofKind(x)
}

// newSetting reads a setting, and checks its value.
func newSetting(name, value string) (*setting, error) {
	if x, err := newWorldSetting(name, value); x != nil || err != nil {
		return x, err
	}
	x := &setting{name: name, value: value, key: strings.ToLower(name)}
	at := strings.LastIndexByte(name, '.')
	switch isScheduler := slices.Contains(sched.Parameters(), x.key) || strings.HasPrefix(x.key, "bf_") || x.key == "schedulertype" || x.key == "preempttype" || x.key == "preemptmode"; {
	case at < 0 && value == "" && !slices.Contains([]string{"priorityflags", "priorityweighttres"}, x.key): // which may be empty
		return nil, errors.New("expected NAME=VALUE")
	case at < 0 && x.key == "slurm_version":
		x.kind = ofVersion
		v, err := sched.ParseVersion(value)
		if err == nil {
			err = sched.CheckVersion(v)
		}
		x.value = sched.VersionText(v)
		return x, err
	case at < 0 && isScheduler:
		x.kind = ofScheduler
		return x, nil
	case at < 0 && !slurm.IsSetting(name):
		return nil, noSetting(name)
	case at < 0:
		return x, nil // whose value slurm.Conf checks
	}
	if kind, of, _ := strings.Cut(name, "."); strings.EqualFold(kind, "licences") || strings.EqualFold(kind, "licenses") {
		x.kind, x.of = ofLicence, of
		return x, x.checkValue()
	}
	x.of, x.key = name[:at], x.key[at+1:]
	kind, object, isOfKind := strings.Cut(x.of, ".")
	for _, k := range []struct {
		word string
		kind settingKind
	}{{"qos", ofQOS}, {"partition", ofPartition}, {"job", ofJob}} {
		if isOfKind && strings.EqualFold(kind, k.word) {
			x.kind, x.of = k.kind, object
		}
	}
	if x.kind == ofConf {
		x.limit = setup.FieldNamed(x.key, setup.OfAssociation)
		switch {
		case x.key == "shares" || x.key == "usage":
			x.kind = ofTree
		case x.limit != nil && x.limit.IsLimit():
			x.kind = ofAssociation
		default:
			return nil, noSetting(name)
		}
	}
	return x, x.checkValue()
}

// meant returns the setting that somebody means perhaps who leaves out of what it is, as high.priority is qos.high.priority, ""
// for none.
func meant(name string) string {
	if near := slurm.NearestSetting(name); near != "" {
		return near
	}
	at := strings.LastIndexByte(name, '.')
	if at < 0 {
		return ""
	}
	of, key := name[:at], strings.ToLower(name[at+1:])
	if key == "fairshare" { // as sacctmgr calls shares
		kind, object, _ := strings.Cut(of, ".")
		if strings.EqualFold(kind, "user") || strings.EqualFold(kind, "account") {
			of = cmp.Or(object, of)
		}
		key = "shares"
	}
	isOfBoth := func(limit string) bool { return slices.Contains(associationLimits, limit) }
	for _, kind := range []struct {
		of   string
		keys []string
	}{
		{"", []string{"shares", "usage"}},
		{"partition.", append([]string{"tier", "factor", "PriorityTier", "PriorityJobFactor", "PreemptMode"}, partitionFields()...)},
		{"qos.", slices.DeleteFunc(slices.Clone(qosKeys), isOfBoth)}, {"", associationLimits}, {"job.", []string{"nice", "qos"}},
	} {
		var small []string
		for _, k := range kind.keys {
			small = append(small, strings.ToLower(k))
		}
		if at := slices.Index(small, cmp.Or(report.Typo(key, small), key)); at >= 0 {
			if kind.of == "job." && strings.Trim(of, "0123456789_[]-%,") != "" { // which is the ID of none
				of = "ID"
			}
			return kind.of + of + "." + kind.keys[at]
		}
	}
	return ""
}

// noSetting says that there is no setting of a name, and which was meant perhaps, or which there are.
func noSetting(name string) error {
	if word := map[string]string{"schedulerparameters": "bf_interval=30", "preemptparameters": "preempt_strict_order=1"}[strings.ToLower(name)]; word != "" {
		return fmt.Errorf("each of its words is a setting of its own, such as --set %s; --set FILE takes a slurm.conf with the whole list", word)
	}
	if near := meant(name); near != "" {
		return fmt.Errorf("there is no such setting; did you mean %s?", near)
	}
	if x := slurm.PartitionAttributes.Of(name); x != nil && setup.PartitionFieldNamed(x.Name) == nil {
		return errors.New(setup.WhyNotSet(name))
	}
	return errors.New("there is no such setting; there are those of slurm.conf, such as PriorityWeightAge and bf_window, ACCOUNT.shares, ACCOUNT/USER.usage, qos.NAME.priority, partition.NAME.tier, job.ID.nice, node.NAMES.down and limits, such as qos.NAME.MaxWall (docs/slurm-settings.md has all)")
}

// Bounds of Slurm's numbers.
const (
	mostShares   = 4294967293
	mostPriority = 4294967295
	MostNice     = 2147483645 // NICE_OFFSET less 3
	mostUsage    = 1e18
	mostJobs     = 1 << 31
)

// checkValue checks the value of a setting that is of something.
func (s *setting) checkValue() (err error) {
	whole := func(least, most float64) {
		n, wrong := strconv.ParseInt(s.value, 10, 64)
		if s.number = float64(n); wrong != nil || s.number < least || s.number > most {
			err = fmt.Errorf("%q is not a whole number from %s to %s", s.value, report.Plain(least), report.Plain(most))
		}
	}
	real := func(most float64) {
		if s.number, err = strconv.ParseFloat(s.value, 64); err != nil || !(s.number >= 0) || s.number > most {
			err = fmt.Errorf("%q is not a number from 0 to %s", s.value, report.Plain(most))
		}
	}
	limit := func() {
		switch {
		case s.limit.Amounts != nil:
			s.amounts, s.unset, err = limitedAmounts(s.value)
		case s.limit.Seconds > 0:
			s.seconds, err = slurm.Duration(s.value)
		case s.value != "": // else no limit
			whole(0, mostJobs)
		}
	}
	switch s.kind {
	case ofTree:
		switch {
		case s.key == "usage":
			real(mostUsage)
		case !s.isParent():
			whole(0, mostShares)
		}
	case ofLicence:
		whole(0, mostJobs)
	case ofPartition:
		switch s.key {
		case "tier", "prioritytier":
			s.key = "tier"
		case "factor", "priorityjobfactor":
			s.key = "factor"
		case "preemptmode":
			return s.readMode()
		default:
			if s.field = setup.PartitionFieldNamed(s.key); s.field == nil {
				if why := setup.WhyNotSet(s.key); why != "" {
					return errors.New(why)
				}
				return fmt.Errorf("of a partition there are partition.NAME.tier (PriorityTier), partition.NAME.factor (PriorityJobFactor), partition.NAME.PreemptMode, and likewise %s", report.Listed(partitionFields()))
			}
			return nil
		}
		whole(0, slurm.MostTier)
	case ofQOS:
		switch s.limit = setup.FieldNamed(s.key, setup.OfQOS); {
		case s.key == "priority":
			whole(0, mostPriority)
		case s.key == "usagefactor":
			real(mostUsage)
		case s.key == "preempt":
		case s.key == "preemptmode":
			return s.readMode()
		case s.limit == nil || !s.limit.IsLimit():
			return noQOSSetting(s.key)
		default:
			limit()
		}
	case ofAssociation:
		limit()
	case ofJob:
		switch {
		case s.key == "nice":
			whole(-MostNice, MostNice)
		case s.key != "qos":
			return errors.New("of a job there are job.ID.nice and job.ID.qos")
		case s.value == "":
			return errors.New("expected NAME=VALUE")
		}
	}
	return err
}

// limitedAmounts reads a limit of amounts as sacctmgr does: -1 says that there is none of a resource, and those that
// are not named stay as they are.
func limitedAmounts(text string) (amounts []slurm.Amount, unset []string, err error) {
	var set []string
	for part := range strings.SplitSeq(text, ",") {
		if name, value, _ := strings.Cut(part, "="); value == "-1" {
			unset = append(unset, strings.ToLower(name))
		} else {
			set = append(set, part)
		}
	}
	amounts, err = slurm.ParseAmounts(strings.Join(set, ","))
	return amounts, unset, err
}
