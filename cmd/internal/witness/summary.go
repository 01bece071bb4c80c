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

	Moments Moments // at which jobs started
	Who     Score   // whether it was the turn of those that started
	Waited  int     // of the starts, those of jobs that had waited, so that another could have gone first
	NoOrder string  // why nothing tells who goes first, as Facts.NoOrder
	Against string  // what the record has and these rules never do, as Facts.Against

	IsOfSite bool // whether they are judged by the site's own rules, beside an answer by others

	queue  string // what a queue is called
	ofSome string // why nothing is judged, as Facts.OfSome
}

// What a record says of rules depends on how much of it agrees. TestVerdict of each wing measures these bounds.
const (
	doubtful = .9  // below which part rules are wrong, or the starts of a party doubtful
	sure     = .98 // from which part on rules hold
	fewest   = 30  // starts of jobs that had waited, without which a record does not tell that they hold
)

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

// Standing is what a record says of rules.
type Standing byte

// What a record may say of rules.
const (
	Untold    Standing = iota // it does not tell whether they hold
	Holds                     // answers can rest on them
	Disagrees                 // answers by them may be wrong
)

// String returns it in a word or two.
func (s Standing) String() string { return [...]string{"cannot tell", "holds", "disagrees"}[s] }

// measure is how much of a record is what the rules give.
type measure struct {
	share   float64 // NaN where nothing is judged
	differs int
}

// isDoubtful reports whether so little of a record is what the rules give that these may be wrong.
func (m measure) isDoubtful() bool { return m.share < doubtful && m.differs >= leastMoments }

// measures returns the starts that are what the rules give, the moments at which they start the same jobs first, and the hours of jobs
// whose turn it was: an order that is wrong shows in these before it shows in the first, which counts by itself each job that kept waiting.
func (s *Summary) measures() []measure {
	return []measure{
		{s.Share(), s.Starts - s.Agree},
		{s.Moments.Share(), s.Moments.Differ},
		{s.Who.HoursShare(), s.Who.Differ},
	}
}

// Standing returns what the record says of the rules.
func (s *Summary) Standing() Standing {
	if s == nil || s.Starts == 0 {
		return Untold
	}
	if s.Against != "" {
		return Disagrees
	}
	holds := s.NoOrder == "" && s.Waited >= fewest
	for _, m := range s.measures() {
		if m.isDoubtful() {
			return Disagrees
		}
		holds = holds && m.share >= sure
	}
	if holds {
		return Holds
	}
	return Untold
}

// Disagrees reports whether so much differs from what the rules give that forecasts and replays by them may be wrong.
func (s *Summary) Disagrees() bool { return s.Standing() == Disagrees }

// untold says why the record does not tell whether the rules hold.
func (s *Summary) untold() string {
	switch {
	case s.NoOrder != "":
		return "nothing tells who goes first"
	case s.Waited < fewest:
		return "only " + report.Count(s.Waited, "job") + " had waited"
	}
	return "what differs may be chance"
}

// first says at how many moments the rules start the same jobs first, with the counts or without, "" where that is not judged.
func (s *Summary) first(counts bool) string {
	if s.Moments.Judged == 0 {
		return ""
	}
	n, part, of := s.Moments.Judged-s.Moments.Differ, percent(s.Moments.Share()), report.Count(s.Moments.Judged, "moment")
	text := fmt.Sprintf(", and at %s of %s they start the same jobs first", part, of)
	if counts {
		text = fmt.Sprintf(", and at %d of %s (%s) they start the same jobs first", n, of, part)
	}
	if hours := s.Who.HoursShare(); hours < doubtful {
		text += fmt.Sprintf(" (by cpu hours, it was the turn of %s)", percent(hours))
	}
	return text
}

// Agreements says in parts of a sentence how much of a record is what its rules give, and whose starts are doubtful.
func (s *Summary) Agreements() []string {
	var parts []string
	if s.Against != "" {
		parts = append(parts, s.Against)
	}
	text := report.Percent(s.Share(), 0) + " of the recorded starts are what its rules give"
	if of := s.doubtful(mostDoubtful); of != nil {
		text += " (" + strings.Join(of, ", ") + ")"
	}
	parts = append(parts, text)
	if s.Moments.Judged > 0 {
		parts = append(parts, "at "+report.Percent(s.Moments.Share(), 0)+" of the moments they start the same jobs first")
	}
	return parts
}

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

// Sentence says in one line how far the rules hold, and whose starts are doubtful, without a full stop.
func (s *Summary) Sentence() string {
	text := s.OfAll()
	if s == nil || s.Starts == 0 || s.ofSome != "" {
		return text
	}
	if parts := s.doubtful(mostDoubtful); parts != nil {
		text += "; " + strings.Join(parts, ", ") + " (formula witness says what differs)"
	}
	return text
}

// OfAll says in one line how far the rules hold, of all starts alike, without a full stop.
func (s *Summary) OfAll() string {
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
	text := fmt.Sprintf("%s of %s%s %s what %s give%s", percent(s.Share()), first, report.Count(s.Starts, "recorded start"), are, rules, s.first(false))
	switch s.Standing() {
	case Disagrees:
		text += ": answers by them may be wrong"
		if s.Against != "" {
			text += ", since " + s.Against
		}
	case Untold:
		text += ": the record cannot tell whether they hold, since " + s.untold()
	}
	return text
}

// Brief says what Sentence does in as few words as an administrator needs at once: what may be wrong, and by how much.
func (s *Summary) Brief() string {
	const more = " (formula witness says what differs)"
	if s == nil || s.Starts == 0 || s.ofSome != "" {
		return s.OfAll()
	}
	first, least := "", ""
	if s.IsCut {
		first = "the first "
	}
	part := fmt.Sprintf("%s of %s%s", percent(s.Share()), first, report.Count(s.Starts, "recorded start"))
	if len(s.Doubts) > 0 {
		worst := slices.MinFunc(s.Doubts, func(a, b Doubt) int { return cmp.Compare(a.Share(), b.Share()) })
		least = fmt.Sprintf(", and %s of those of %s %s", report.Percent(worst.Share(), 0), s.Word(worst.Of.Kind), worst.Of.Name)
	}
	rules := "the rules"
	if s.IsOfSite {
		rules += " without what is set"
	}
	switch s.Standing() {
	case Disagrees:
		why := rules + " give " + part + least
		if s.Against != "" {
			why = s.Against
		} else if of := s.measures(); !of[0].isDoubtful() && of[1].isDoubtful() {
			why = fmt.Sprintf("%s start the same jobs first at %s of %s", rules, percent(s.Moments.Share()), report.Count(s.Moments.Judged, "recorded moment"))
		} else if !of[0].isDoubtful() {
			why = fmt.Sprintf("by cpu hours, it was the turn of %s of the jobs that started", percent(s.Who.HoursShare()))
		}
		return "these answers may be wrong: " + why + more
	case Untold:
		return fmt.Sprintf("%s give %s%s; if they hold is not known: %s", rules, part, least, s.untold())
	}
	return rules + " give " + part + least + more
}

// mostDoubtful is of how many a sentence says that their starts are doubtful.
const mostDoubtful = 3

// doubtful names whose starts are doubtful, at most so many.
func (s *Summary) doubtful(most int) (parts []string) {
	for i, d := range s.Doubts {
		if i == most {
			return append(parts, "…")
		}
		parts = append(parts, fmt.Sprintf("%s %s: %s", s.Word(d.Of.Kind), d.Of.Name, report.Percent(d.Share(), 0)))
	}
	return parts
}

// Word returns what those of a kind are called in sentences, in the scheduler's own words.
func (s *Summary) Word(kind Kind) string {
	switch kind {
	case OfQueue:
		return s.queue
	case OfQOS:
		return "QOS"
	}
	return kind.String()
}

// SummaryLine is a summary in JSON.
type SummaryLine struct {
	Starts    int            `json:"starts"`
	Agree     int            `json:"agree"`
	IsCut     bool           `json:"is_cut"`     // whether these are only the first starts
	Share     *report.Number `json:"share"`      // null where nothing is judged
	Moments   MomentsLine    `json:"moments"`    // at which the rules start the same jobs first
	TurnHours *report.Number `json:"turn_hours"` // the part of cpu hours of jobs whose turn it was, null where nothing is judged
	Waited    int            `json:"waited"`     // of the starts, those of jobs that had waited
	Verdict   string         `json:"verdict"`    // holds, disagrees or cannot tell
	Doubts    []DoubtLine    `json:"doubts"`
	Says      string         `json:"says"`
}

// DoubtLine is a doubt in JSON.
type DoubtLine struct {
	FeatureLine
	Starts int           `json:"starts"`
	Share  report.Number `json:"share"`
}

// Line returns a summary in JSON.
func (s *Summary) Line() SummaryLine {
	line := SummaryLine{Share: report.Optional(s.Share()), Doubts: []DoubtLine{}, Says: s.Sentence(), Verdict: s.Standing().String()}
	if s == nil {
		return line
	}
	line.Starts, line.Agree, line.IsCut = s.Starts, s.Agree, s.IsCut
	line.Moments, line.TurnHours, line.Waited = s.Moments.Line(), report.Optional(s.Who.HoursShare()), s.Waited
	for _, d := range s.Doubts {
		line.Doubts = append(line.Doubts, DoubtLine{FeatureLine{d.Of.Kind.String(), d.Of.Name}, d.Starts, report.Number(d.Share())})
	}
	return line
}

// parties counts the starts of each queue, user and the like.
type parties struct {
	facts   Facts
	all     count
	of      map[Feature]*party
	moments Moments
	who     Score
	waited  int
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
	p.moments.add(s)
	p.who.add(s, Who)
	if s.At == 0 || s.May.Finding == Unjudged {
		return
	}
	differs, at := s.May.Finding == Differs || s.Where.Finding == Differs, s.At
	if s.Waited > 0 {
		differs, at = true, s.Since
	}
	p.all.add(differs)
	if float64(s.At-s.Came) > p.facts.Uncertainty {
		p.waited++
	}
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
	p.moments.close(p.facts)
	s := &Summary{Starts: p.all.bad + p.all.good, Agree: p.all.good, Moments: p.moments, Who: p.who, Waited: p.waited, NoOrder: p.facts.NoOrder, Against: p.facts.Against,
		queue: cmp.Or(p.facts.Words.Queue, "queue")}
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
