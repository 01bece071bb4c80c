package witness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
)

// Summary is how far the rules hold at a site in a few numbers, for answers that depend on them.
type Summary struct {
	Starts int     // that are judged
	IsCut  bool    // whether they are only the first ones
	Agree  int     // that are what the rules give: allowed, on the vnodes that they choose, and no sooner
	Doubts []Doubt // those with most starts that differ first

	IsOfSite bool // whether they are judged by the site's own rules, beside an answer by others

	queue  string // what a queue is called
	ofSome string // why nothing is judged, as Facts.OfSome
}

// doubtful is the part of starts that agree below which those of a party are doubtful.
const doubtful = .9

// Doubt is the starts of a queue, a user or an account, so many of which differ that this is no chance.
type Doubt struct {
	Of     Feature
	Starts int
	Agree  int
}

// Share returns the part of the starts that are what the rules give.
func (d Doubt) Share() float64 { return float64(d.Agree) / float64(d.Starts) }

// Share returns the part of the starts that are what the rules give, NaN where none is judged.
func (s *Summary) Share() float64 {
	if s == nil {
		return share(0, 0)
	}
	return share(s.Agree, s.Starts)
}

func share(part, of int) float64 { return float64(part) / float64(of) }

// Disagrees reports whether so many starts differ from what the rules give that forecasts and replays by them may be wrong.
func (s *Summary) Disagrees() bool { return s.Share() < doubtful }

// Doubt returns what is doubtful of a queue, a user or another party, nil for nothing.
func (s *Summary) Doubt(kind Kind, name string) *Doubt {
	if s == nil {
		return nil
	}
	at := slices.IndexFunc(s.Doubts, func(d Doubt) bool { return d.Of == Feature{kind, name} })
	if at < 0 {
		return nil
	}
	return &s.Doubts[at]
}

// NothingJudged is what is said where no start is judged.
const NothingJudged = "nothing has judged these rules: there is no record of where jobs started"

// Sentence says in one line how far the rules hold, without a full stop.
func (s *Summary) Sentence() string {
	switch {
	case s != nil && s.ofSome != "":
		return "the record judges no rules: " + s.ofSome
	case s == nil || s.Starts == 0:
		return NothingJudged
	}
	first := ""
	if s.IsCut {
		first = "the first "
	}
	are := "are"
	if s.Starts == 1 {
		are = "is"
	}
	rules := "the present rules" // of a file that was edited too
	if s.IsOfSite {
		rules += ", without what is set,"
	}
	text := fmt.Sprintf("%s of %s%s %s what %s give", percent(s.Share()), first, report.Count(s.Starts, "recorded start"), are, rules)
	const most = 3
	if parts := s.doubtful(most); parts != nil {
		text += "; " + strings.Join(parts, ", ") + " (formula witness says what differs)"
	}
	return text
}

// doubtful names whose starts are doubtful, at most so many.
func (s *Summary) doubtful(most int) (parts []string) {
	for i, d := range s.Doubts {
		if i == most {
			return append(parts, "…")
		}
		kind := d.Of.Kind.String()
		switch d.Of.Kind {
		case OfQueue:
			kind = s.queue
		case OfQOS:
			kind = "QOS"
		}
		parts = append(parts, fmt.Sprintf("%s %s: %s", kind, d.Of.Name, report.Percent(d.Share(), 0)))
	}
	return parts
}

// SummaryLine is a summary in JSON.
type SummaryLine struct {
	Starts int            `json:"starts"`
	Agree  int            `json:"agree"`
	IsCut  bool           `json:"is_cut"` // whether these are only the first starts
	Share  *report.Number `json:"share"`  // null where nothing is judged
	Doubts []DoubtLine    `json:"doubts"`
	Says   string         `json:"says"`
}

// DoubtLine is a doubt in JSON.
type DoubtLine struct {
	FeatureLine
	Starts int           `json:"starts"`
	Share  report.Number `json:"share"`
}

// Line returns a summary in JSON.
func (s *Summary) Line() SummaryLine {
	line := SummaryLine{Share: report.Optional(s.Share()), Doubts: []DoubtLine{}, Says: s.Sentence()}
	if s == nil {
		return line
	}
	line.Starts, line.Agree, line.IsCut = s.Starts, s.Agree, s.IsCut
	for _, d := range s.Doubts {
		line.Doubts = append(line.Doubts, DoubtLine{FeatureLine{d.Of.Kind.String(), d.Of.Name}, d.Starts, report.Number(d.Share())})
	}
	return line
}

// parties counts the starts of each queue, user and the like.
type parties struct {
	facts Facts
	all   count
	of    map[Feature]*party
}

// party is the starts of one of them.
type party struct {
	count
	differing []int64 // when they differ
	all       moments // at which they start
}

func newParties(f Facts) *parties { return &parties{facts: f, of: map[Feature]*party{}} }

// partyKinds are the kinds of whom starts are counted.
var partyKinds = []Kind{OfQueue, OfQOS, OfAccount, OfProject, OfGroup, OfUser}

// add counts a start. One that the rules would have given sooner is none that they give. Those that it passed are
// such starts, and it is none for having passed them.
func (p *parties) add(s *Start) {
	if s.At == 0 || s.May.Finding == Unjudged {
		return
	}
	differs, at := s.May.Finding == Differs || s.Where.Finding == Differs, s.At
	if s.Waited > 0 {
		differs, at = true, s.Since
	}
	p.all.add(differs)
	for i, name := range [...]string{s.Queue, s.QOS, s.Account, s.Project, s.Group, s.User} {
		if name == "" {
			continue
		}
		f := Feature{partyKinds[i], name}
		c := p.of[f]
		if c == nil {
			f.Name = strings.Clone(name)
			c = new(party)
			p.of[f] = c
		}
		if c.add(differs); differs {
			c.differing = append(c.differing, at)
		}
		c.all.add(s.At, p.facts.Uncertainty)
	}
}

// areMany reports whether starts differ at so many moments that it is no chance: what is wrong at one may be wrong for all
// that start then.
func (p *party) areMany(unsure float64) bool {
	slices.Sort(p.differing)
	var differ moments
	for _, at := range p.differing {
		differ.add(at, unsure)
	}
	return differ.count >= leastMoments && isUnlikely(differ.count, p.all.count)
}

// summary returns what is counted.
func (p *parties) summary() *Summary {
	s := &Summary{Starts: p.all.bad + p.all.good, Agree: p.all.good, queue: cmp.Or(p.facts.Words.Queue, "queue")}
	for of, c := range p.of {
		n := c.bad + c.good
		if share(c.good, n) < doubtful && c.areMany(p.facts.Uncertainty) {
			s.Doubts = append(s.Doubts, Doubt{of, n, c.good})
		}
	}
	slices.SortFunc(s.Doubts, func(a, b Doubt) int {
		return cmp.Or(cmp.Compare(b.Starts-b.Agree, a.Starts-a.Agree), compareFeatures(a.Of, b.Of))
	})
	return s
}
