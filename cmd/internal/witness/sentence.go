package witness

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/report"
)

// Sentence returns what starts of a group have in common, and how they differ from the rules: "41 of 44 starts
// of queue gpu are on vnodes with Qlist=gpu, where the rules would have taken others".
func (c *Cause) Sentence(f Facts) string {
	text := fmt.Sprintf("%d of %s", c.Count, report.Count(c.All, c.noun()))
	place := c.place(f)
	isAsking := false
	for _, feature := range c.Of.Features {
		switch {
		case isPlace(feature) && !c.isOfStart():
		case feature.Kind == OfAsked && isAsking:
			text += " and " + feature.Name
		default:
			text += " " + f.words(feature)
			isAsking = isAsking || feature.Kind == OfAsked
		}
	}
	text += c.Of.when(f)
	switch {
	case c.Side == May:
		text += " " + c.verb("is", "are") + " not allowed by the rules"
		if c.Rule != "" {
			text += " (" + c.Rule + ")"
		}
	case c.Side == Where && c.Rule != "":
		text += " had " + c.Rule
	case c.Side == Where:
		text += " " + c.verb("is", "are") + place
	default:
		did := "started them"
		if 2*c.Kept > c.Count {
			did = "kept free for them what others took"
		}
		text += fmt.Sprintf(" kept waiting for %s on average where the rules would have %s%s", report.Duration(c.Wait), did, place)
		switch {
		case c.areFree():
			text += ", beside free " + f.Words.Node + "s"
		case 2*c.Kept <= c.Count:
			text += ", and others started"
		}
	}
	if also := c.also(f); also != "" {
		text += "; " + also
	}
	return text
}

// Question returns the nearest explanation, as a question to those who know the site. What the record does not tell of the values that
// it is about is to be doubted before the rules are.
func (c *Cause) Question(f Facts) string {
	question := c.question(f)
	if (c.IsOfOrder || c.Side == Wait && f.HasThreshold) && len(f.Values) > 0 {
		return f.askOfValues() + " If not, " + question
	}
	return question
}

// question is Question of the rules.
func (c *Cause) question(f Facts) string {
	if c.Guess != "" {
		return "is it " + c.Guess + "?"
	}
	if len(c.Lacks) > 0 {
		var says []string
		for _, lack := range c.Lacks {
			if text := lack.words(); !slices.Contains(says, text) {
				says = append(says, text)
			}
		}
		return "is it " + strings.Join(says, ", or ") + "?"
	}
	rather, isOne := c.feature(RatherNode)
	_, isOn := c.feature(OnNode, OnCommon)
	kind := c.kind()
	switch {
	case c.Side == Where && c.IsUsed:
		return fmt.Sprintf("is less free on %s, where others started meanwhile, than the rules know?", rather)
	case c.Side != May && isOne && c.Of.To != 0 && !c.IsUsed && (c.Side == Where || c.areFree()) && f.Words.Away != "":
		zone := f.zone()
		at := func(at int64) string { return time.Unix(at, 0).In(zone).Format("2006-01-02 15:04") }
		const minute = 60
		away := fmt.Sprintf(f.Words.Away, rather, at(c.Of.From), at((c.Of.To+minute-1)/minute*minute)) // with the last start
		if c.IsBusy {
			return fmt.Sprintf("is less free on %s, where a job ran meanwhile, than the rules know, or was it %s already? (%s)", rather, f.Words.Closed, away)
		}
		return fmt.Sprintf("was %s down then? (%s)", rather, away)
	case c.Side == Where && isOne || c.Side == Wait && isOne && c.areFree() && !c.IsUsed:
		return fmt.Sprintf("was %s down, or kept from them?", rather)
	case c.Side == May && c.Rule == anyOrder:
		return "is the order of jobs another one, or are " + f.Words.Node + "s kept for fewer of them?"
	case c.isOfStart() && f.nearest(c.Rule) != "":
		return f.nearest(c.Rule)
	case c.Side == May && c.Rule != "":
		return "does that rule hold otherwise there, or did it change?"
	case c.Side == Where && isOn && kind == OfQueue:
		return "is the " + f.Words.Queue + " tied to them?"
	case c.Side == Where && isOn && !c.Of.namesJobs():
		return fmt.Sprintf("are %ss tried in another order, or are those kept for others?", f.Words.Node)
	case c.Side == Where && isOn:
		return "are such jobs tied to them?"
	case c.Side == Where:
		return fmt.Sprintf("are %ss tried in another order, or is something of a %s not known?", f.Words.Node, f.Words.Node)
	case !c.areFree():
		return askOfOrder
	case c.Of.hasTime() && kind <= OfUser:
		return fmt.Sprintf("what kept them then: a limit, %s, or %ss that were down?", f.Words.Shut, f.Words.Node)
	case c.Of.hasTime():
		return fmt.Sprintf("what kept them then: %s, or %ss that were down?", f.Words.Shut, f.Words.Node)
	case kind == OfQueue:
		return "does a limit or a partition keep them out?"
	case kind == OfAsked:
		return "is there less of it than the rules know, or does a limit keep them?"
	case kind <= OfUser:
		return "does a limit keep them?"
	case kind == OfCPUs || kind == OfNodes:
		return "does a limit of size keep them, or is more kept free than the rules know?"
	}
	return "does a limit keep them, or is more kept free for others than the rules know?"
}

// isOfStart reports whether a group is of what starts are themselves: not allowed by a rule, or with what no rule gives them.
func (c *Cause) isOfStart() bool { return c.Side == May || c.Rule != "" }

// words returns a setting, and what of it is not modelled.
func (l Lack) words() string {
	switch {
	case l.Says == "":
		return l.Setting
	case strings.HasPrefix(l.Says, l.Setting):
		return l.Says + " (not modelled)"
	}
	return l.Setting + " (not modelled: " + l.Says + ")"
}

// namesJobs reports whether a description is of some jobs, not of vnodes and a time alone.
func (d Description) namesJobs() bool {
	return slices.ContainsFunc(d.Features, func(f Feature) bool { return !isPlace(f) })
}

// areFree reports whether vnodes stayed free beside most of the jobs that kept waiting.
func (c *Cause) areFree() bool { return 2*c.Free >= c.Count }

// kind returns of what kind the first feature of a group is that names jobs, else of what kind its first one is.
func (c *Cause) kind() Kind {
	const none = RatherNode + 1
	if len(c.Of.Features) == 0 {
		return none
	}
	return c.Of.Features[0].Kind
}

// feature returns the first feature of some kinds that a group has.
func (c *Cause) feature(kinds ...Kind) (name string, ok bool) {
	for _, of := range [][]Feature{c.Of.Features, c.Shared} {
		for _, feature := range of {
			if slices.Contains(kinds, feature.Kind) {
				return feature.Name, true
			}
		}
	}
	return "", false
}

func (c *Cause) noun() string {
	if c.Side == Wait {
		return "job"
	}
	return "start"
}

func (c *Cause) verb(one, more string) string {
	if c.Count == 1 {
		return one
	}
	return more
}

// isPlace reports whether a feature is of vnodes.
func isPlace(f Feature) bool { return f.Kind >= OnCommon }

// place says on which vnodes starts are, and which the rules would have taken.
func (c *Cause) place(f Facts) string {
	on, isOn := c.placeOf(f, OnCommon, OnNode)
	rather, isRather := c.placeOf(f, RatherThere, RatherNode)
	switch {
	case c.Side == May:
		return ""
	case c.Side == Wait && isRather:
		return ", on " + rather
	case c.Side == Wait:
		return ""
	case isOn && isRather:
		return " on " + on + ", where the rules would have taken " + rather
	case isOn:
		return " on " + on + ", where the rules would have taken others"
	case isRather:
		return " on other " + f.Words.Node + "s, where the rules would have taken " + rather
	}
	return " on other " + f.Words.Node + "s than the rules would have taken"
}

func (c *Cause) placeOf(f Facts, common, node Kind) (text string, ok bool) {
	if name, ok := c.feature(node); ok {
		return f.Words.Node + " " + name, true
	}
	if name, ok := c.feature(common); ok {
		return f.Words.Node + "s with " + name, true
	}
	return "", false
}

// also says what the starts have in common besides.
func (c *Cause) also(f Facts) string {
	var are, ask []string
	for _, feature := range c.Shared {
		switch {
		case isPlace(feature):
		case feature.Kind == OfAsked:
			ask = append(ask, feature.Name)
		default:
			are = append(are, f.words(feature))
		}
	}
	var parts []string
	if len(are) > 0 {
		parts = append(parts, "are "+strings.Join(are, ", "))
	}
	if len(ask) > 0 {
		parts = append(parts, "ask for "+strings.Join(ask, ", "))
	}
	if len(parts) == 0 {
		return ""
	}
	return "nearly all " + strings.Join(parts, " and ")
}

// words returns a feature as it follows "starts".
func (f Facts) words(feature Feature) string {
	switch name := feature.Name; feature.Kind {
	case OfQueue:
		return "of " + f.Words.Queue + " " + name
	case OfQOS:
		return "of QOS " + name
	case OfAccount:
		return "of account " + name
	case OfProject:
		return "of project " + name
	case OfGroup:
		return "of group " + name
	case OfUser:
		return "of user " + name
	case OfAsked:
		return "that ask for " + name
	case OfCPUs:
		return "of " + name + " cpus or more"
	case OfNodes:
		return "on " + name + " " + f.Words.Node + "s or more"
	case OnCommon, RatherThere:
		return "on " + f.Words.Node + "s with " + name
	default:
		return "on " + f.Words.Node + " " + name
	}
}

func (f Facts) nearest(rule string) string {
	if f.Nearest == nil {
		return ""
	}
	return f.Nearest(rule)
}

func (f Facts) zone() *time.Location {
	if f.Zone == nil {
		return time.UTC
	}
	return f.Zone
}

// when says in which time the starts of a description are.
func (d Description) when(f Facts) string {
	switch {
	case d.To != 0:
		const form = "2006-01-02 15:04"
		return fmt.Sprintf(" from %s to %s", time.Unix(d.From, 0).In(f.zone()).Format(form), time.Unix(d.To, 0).In(f.zone()).Format(form))
	case d.Hours != [2]int{}:
		return fmt.Sprintf(" between %d and %d o'clock", d.Hours[0], d.Hours[1])
	}
	return ""
}

// askOfOrder asks for the order of jobs.
const askOfOrder = "is the order of jobs another one: shares, usage, priorities or a formula?"

// askOfValues asks for what the record does not tell of the values by which jobs are ordered.
func (f Facts) askOfValues() string { return "is it " + strings.Join(f.Values, ", or ") + "?" }
