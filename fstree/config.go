package fstree

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Config is what fairshare, the order of jobs and their start take from
// sched_config.
type Config struct {
	Prime, NonPrime Policy

	Hours HourSettings // what else depends on the time

	UsageRes        string  // fairshare_usage_res: a resource or an expression
	Entity          string  // fairshare_entity: the job attribute that names the entity
	DecayTime       int64   // fairshare_decay_time, in seconds
	DecayFactor     float32 // fairshare_decay_factor, above 0 and below 1
	UnknownShares   int32   // unknown_shares
	EnforceNoShares bool    // fairshare_enforce_no_shares

	MaxStarve int64 // max_starve: after how many seconds a job that waits is starving

	// Old are settings that are attributes of the scheduler since PBS 19: preempt_prio,
	// preempt_queue_prio and preempt_order.
	Old map[string]string

	// Others are the values of further settings that PBS knows and that nothing above holds, such
	// as server_dyn_res, by name in their order.
	Others map[string][]string

	Resources []string // those that are checked when a job is placed; nil for PBS's own

	// UnsetInfinite are resource_unset_infinite: those of which a vnode that does not say how much it has has enough.
	UnsetInfinite []string
}

// Policy is the part of Config that can differ between prime and non-prime
// time.
type Policy struct {
	FairShare  bool
	ByQueue    bool
	RoundRobin bool
	Preemptive bool // preemptive_sched

	HelpStarving bool // help_starving_jobs

	// StrictOrdering and NodeSortKeys decide which jobs start and where, not their
	// order.
	StrictOrdering bool
	NodeSortKeys   []string // as they are written, the first one first

	SortKeys []SortKey // job_sort_key, the first one first
}

// SortKey is one job_sort_key line: "RESOURCE HIGH" or "RESOURCE LOW".
type SortKey struct {
	Resource string
	High     bool // the highest amount first
}

// DefaultConfig returns what PBS assumes where sched_config says nothing.
func DefaultConfig() Config {
	return Config{
		UsageRes:        "cput",
		Entity:          "euser",
		DecayTime:       24 * 60 * 60,
		DecayFactor:     0.5,
		EnforceNoShares: true,
		MaxStarve:       24 * 60 * 60,
	}
}

// ParseConfig reads the text of a sched_config file, whose lines are
//
//	NAME: VALUE [prime|non_prime|all]
//
// as PBS's parse_config: the value may be quoted, a backslash at the end of
// a line continues it, the colon may be missing, and the last line about a
// setting wins. Settings that Config does not have
// are passed over, names that PBS does not know are problems.
func ParseConfig(text string) (Config, []Problem) {
	p := configParser{config: DefaultConfig()}
	for line := range ConfigLines(text) {
		p.line = line.Number
		had := len(p.problems)
		p.set(line.Name, line.Value, line.Period)
		if line.IsSpaced() && slices.Contains(settingNames(), line.Name) {
			p.problems = p.problems[:had]
			p.warn("%s: PBS takes %q, which stands behind a blank, for the value: write %s: %s", line.Name, line.Value, line.Name, cmp.Or(line.Value[1:], line.Period, "VALUE"))
		}
	}
	return p.config, p.problems
}

// ConfigLine is a line of sched_config as PBS cuts it up.
type ConfigLine struct {
	Number              int // of the first of a continued line, from 1
	Name, Value, Period string
}

// IsSpaced reports whether a blank stands before the colon, or = in the place of one, which PBS takes for the value.
func (l ConfigLine) IsSpaced() bool {
	return strings.HasPrefix(l.Value, ":") || strings.HasPrefix(l.Value, "=")
}

// ConfigLines yields the lines of a sched_config that are neither blank nor comments.
func ConfigLines(text string) iter.Seq[ConfigLine] {
	return func(yield func(ConfigLine) bool) {
		for number := 1; text != ""; {
			line, rest, taken := joinLines(text)
			at := ConfigLine{Number: number}
			if text, number = rest, number+taken; skipLine(line) {
				continue
			}
			at.Name, line = scanWord(line, ':')
			at.Value, line = scanWord(line, 0)
			at.Period, _ = scanWord(line, 0)
			if !yield(at) {
				return
			}
		}
	}
}

// joinLines cuts off a line together with those that continue it, as PBS's
// pbs_fgets_extend, and counts them.
func joinLines(text string) (line, rest string, taken int) {
	line, rest, _ = strings.Cut(text, "\n")
	taken = 1
	if !strings.HasSuffix(line, `\`) {
		return line, rest, taken
	}
	var b strings.Builder
	for strings.HasSuffix(line, `\`) {
		b.WriteString(strings.TrimSuffix(line, `\`))
		line, rest, _ = strings.Cut(rest, "\n")
		taken++
	}
	b.WriteString(line)
	return b.String(), rest, taken
}

type configParser struct {
	config   Config
	line     int
	problems []Problem
	asked    map[string]string // by name, what meant has returned
}

// meant asks which setting is meant by a name that is none, "" where none is like it. A file that is no sched_config has
// many lines with the same first word.
func (p *configParser) meant(name string) string {
	question, isAsked := p.asked[name]
	if !isAsked {
		if p.asked == nil {
			p.asked = map[string]string{}
		}
		question = didYouMean(strings.ToLower(name), settingNames())
		p.asked[name] = question
	}
	return question
}

func (p *configParser) warn(format string, args ...any) {
	p.problems = append(p.problems, Problem{Line: p.line, Message: fmt.Sprintf(format, args...)})
}

// remark takes in what is worth knowing of a line that counts as it stands.
func (p *configParser) remark(format string, args ...any) {
	p.warn(format, args...)
	p.problems[len(p.problems)-1].Counts = true
}

// set sets a setting to what stands behind its name in a line.
func (p *configParser) set(name, value, period string) {
	s, known := settings[name]
	if !known {
		switch {
		case value != "" && IsOldAttribute(name):
			if p.config.Old == nil {
				p.config.Old = map[string]string{}
			}
			p.config.Old[name] = value
		case value != "" && slices.Contains(otherSettings, name):
			if p.config.Others == nil {
				p.config.Others = map[string][]string{}
			}
			p.config.Others[name] = append(p.config.Others[name], value)
		case value == "":
			p.warn("expected NAME: VALUE")
		default:
			p.warn("%s is not a setting that PBS knows%s", name, p.meant(name))
		}
		return
	}
	if value == "" {
		p.warn("%s has no value", name)
		return
	}
	s.set(p, name, value, period)
}

// scanWord cuts off the next word, which ends at white space or at the stop
// character, or what a pair of quotes holds, as PBS's scan.
func scanWord(s string, stop byte) (word, rest string) {
	s = strings.TrimLeft(s, " \t")
	if s == "" {
		return "", ""
	}
	if quote := s[0]; quote == '"' || quote == '\'' {
		word, rest, _ = strings.Cut(s[1:], string(quote))
		return word, rest
	}
	for i := range len(s) {
		if isSpace(s[i]) || s[i] == stop && stop != 0 {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// With returns a configuration in which a setting has one value at all times instead of all that it had, and
// what is wrong with the value.
func (c Config) With(name, value string) (Config, []Problem) {
	switch name {
	case "job_sort_key":
		c.Prime.SortKeys, c.NonPrime.SortKeys = nil, nil
	case "node_sort_key":
		c.Prime.NodeSortKeys, c.NonPrime.NodeSortKeys = nil, nil
	}
	c.Old, c.Others = maps.Clone(c.Old), maps.Clone(c.Others)
	delete(c.Others, name)
	p := configParser{config: c, line: 1}
	p.set(name, value, "all")
	return p.config, p.problems
}

// Setting returns the value of a setting as sched_config has it. It is "" for one
// that Config does not have, for job_sort_key and node_sort_key, which have
// several values, and for one that differs between prime and non-prime time.
func (c *Config) Setting(name string) string {
	if s := settings[name]; s.get != nil {
		return s.get(c)
	}
	return ""
}

func (p *configParser) entity(_, value, _ string) {
	p.config.Entity = value
	if !slices.Contains(entities, value) {
		p.remark("fairshare_entity: a job without an attribute %s has the entity egroup:euser%s", value, didYouMean(value, entities))
	}
}

// number reads a value as PBS does for all settings alike: true is 1, false
// is 0, what begins with a digit counts up to the first other character, and
// anything else is -1. exact reports whether the value is a number by common
// sense too.
func number(value string) (n int32, exact bool) {
	switch {
	case strings.EqualFold(value, "true"):
		return 1, false
	case strings.EqualFold(value, "false"):
		return 0, false
	case !isDigit(value[0]):
		return -1, false
	}
	v, rest := strtol(value)
	return int32(v), rest == ""
}

// boolean returns true for every number but 0, and so for any word but "false".
func (p *configParser) boolean(name, value string) bool {
	n, _ := number(value)
	if !strings.EqualFold(value, "true") && !strings.EqualFold(value, "false") {
		p.warn("%s: %q is neither true nor false, PBS takes it for %t", name, value, n != 0)
	}
	return n != 0
}

func (p *configParser) unknownShares(name, value, _ string) {
	n, exact := number(value)
	if !exact || strings.TrimLeft(value, "0") != strings.TrimLeft(strconv.Itoa(int(n)), "0") {
		p.warn("%s: %q is not a number of shares, PBS takes it for %d", name, value, n)
	}
	p.config.UnknownShares = n
}

// policies returns those that a word for prime or non-prime time means.
func (p *configParser) policies(period string) []*Policy {
	return ofPeriod(p, period, &p.config.Prime, &p.config.NonPrime)
}

// ofPeriod returns which of what holds in prime time and what holds in non-prime time a word behind a value means.
func ofPeriod[T any](p *configParser, word string, prime, nonPrime *T) (list []*T) {
	isPrime, isNonPrime, isKnown := Period(word)
	switch {
	case !isKnown:
		p.warn("%q is none of prime, non_prime and all: the line holds at all times", word)
	case !isPrime && !isNonPrime:
		p.warn("it holds at no time, since %s stands behind the value", word)
	}
	if isPrime {
		list = append(list, prime)
	}
	if isNonPrime {
		list = append(list, nonPrime)
	}
	return list
}

// Period returns whether a line of sched_config with a word behind its value holds in prime time and in non-prime time, and whether it
// is a word that PBS knows. A line with any other one holds at all times.
func Period(word string) (isPrime, isNonPrime, isKnown bool) {
	switch strings.ToLower(word) {
	case "prime":
		return true, false, true
	case "non_prime":
		return false, true, true
	case "none":
		return false, false, true
	case "", "all":
		return true, true, true
	}
	return true, true, false
}

func (p *configParser) sortKey(name, value, period string) {
	words := strings.Fields(value)
	if len(words) != 2 || words[1] != "HIGH" && words[1] != "LOW" {
		p.warn(`%s: expected "RESOURCE HIGH" or "RESOURCE LOW" in quotes, found %q, which does not count`, name, value)
		return
	}
	for _, q := range p.policies(period) {
		q.SortKeys = append(q.SortKeys, SortKey{Resource: words[0], High: words[1] == "HIGH"})
	}
}

func (p *configParser) nodeSortKey(name, value, period string) {
	words := strings.Fields(value)
	isKey := len(words) == 2 || len(words) == 3 && slices.Contains([]string{"total", "assigned", "unused"}, words[2])
	if !isKey || words[1] != "HIGH" && words[1] != "LOW" {
		p.warn(`%s: expected "RESOURCE HIGH" or "RESOURCE LOW" in quotes, perhaps with total, assigned or unused, found %q, which does not count`, name, value)
		return
	}
	for _, q := range p.policies(period) {
		q.NodeSortKeys = append(q.NodeSortKeys, value)
	}
}

func (p *configParser) decayFactor(name, value, _ string) {
	f, err := strconv.ParseFloat(value, 64)
	if err != nil || !(float32(f) > 0 && float32(f) < 1) { // as the C float that PBS keeps
		p.warn("%s: %q is not between 0 and 1, PBS uses %v", name, value, p.config.DecayFactor)
		return
	}
	p.config.DecayFactor = float32(f)
}

// decayTime reads HH:MM:SS, MM:SS or seconds.
func (p *configParser) decayTime(name, value, _ string) {
	if seconds, ok := p.seconds(name, value); ok {
		if p.config.DecayTime = seconds; seconds == 0 {
			p.warn("%s: %s leaves no time between two decays: it is taken for one second, so that usage is forgotten at once", name, value)
		}
	}
}

func (p *configParser) maxStarve(name, value, _ string) {
	if seconds, ok := p.seconds(name, value); ok {
		p.config.MaxStarve = seconds
	}
}

// seconds returns a time that a setting has, as PBS's res_to_num.
func (p *configParser) seconds(name, value string) (seconds int64, ok bool) {
	if seconds, ok = Seconds(value); !ok {
		p.warn("%s: %q is not a time (HH:MM:SS or seconds), and does not count", name, value)
	}
	return seconds, ok
}
