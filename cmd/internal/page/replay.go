package page

import (
	"encoding/json"
	"html/template"
	"math"
	"strconv"
	"strings"

	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/report"
)

// Replay is what policies come to on recorded work. A row is what was observed, or a
// policy; the first row is observed. Sentences and tables stand in the page itself, and what its
// pictures and the list of jobs are made of in its data.
type Replay struct {
	Verdict  []string `json:"-"` // sentences that say what it comes to
	Rows     []string `json:"rows"`
	Policies []Figure `json:"-"` // of the rows behind the first
	Changes  []string `json:"-"` // what a column that compares a row with another is called

	Trust    []Figure    `json:"-"`
	Judged   string      `json:"-"`       // a sentence on how far the rules of the first policy hold, where they do not
	OfFirst  string      `json:"ofFirst"` // a label of what is told of the first run alone, "" where there is no other
	Remarks  []string    `json:"-"`
	Figures  []FigureRow `json:"-"`
	Legend   []string    `json:"-"` // sentences that say how the figures are to be read
	Verdicts []Verdict   `json:"-"`

	Start    int64      `json:"start"` // seconds since 1970
	End      int64      `json:"end"`
	Offsets  [][2]int64 `json:"offsets"` // of the logs' zone from UTC, in seconds: from when on, and how many
	Capacity float64    `json:"capacity"`
	InUse    [][]Ratio  `json:"inUse"` // by row and part of the time
	Waiting  [][]Ratio  `json:"waiting"`
	Distance [][]Ratio  `json:"distance"`

	Bounds []string  `json:"bounds"` // of waits
	Waits  [][]Ratio `json:"waits"`  // by row, the part of the jobs that have started and waited no longer than each bound

	Shares []ShareLine `json:"shares"`
	Kinds  []Kind      `json:"-"`

	Causes []CauseLine `json:"-"` // what jobs waited for, where it was asked for
	Since  string      `json:"-"` // from when on that is known

	JobKinds []string      `json:"jobKinds"` // what the names of a job are: user, group and queue
	Names    []string      `json:"names"`    // that Jobs has numbers of
	Jobs     []ReplayedJob `json:"jobs"`
	Omitted  int           `json:"omitted"` // jobs that are not in Jobs
}

// CauseLine is what jobs waited for, in hours by row behind the first.
type CauseLine struct {
	Name  string
	Hours []float64
}

// FigureRow is a figure, by row and then by change.
type FigureRow struct {
	Name   string // as conditions have it
	Words  string
	Values []string
}

// Verdict is what a condition says.
type Verdict struct {
	Text  string
	Fails bool
}

// ShareLine is what a group has used over time.
type ShareLine struct {
	Name    string    `json:"name"`
	Targets []Ratio   `json:"targets"` // by row
	Used    [][]Ratio `json:"used"`    // by row and time
}

// Kind is a way to tell jobs apart.
type Kind struct {
	Name  string
	Names []NameRow
	Total int // of names, of which Names may be the first
}

// NameRow is the jobs of one name.
type NameRow struct {
	Name    string
	Jobs    int
	Waits   []Ratio  // the mean by row, in seconds
	Changes []string // by change
	By      []Ratio  // the same in seconds
	Sooner  int      // jobs, under the last policy
	Later   int
}

// ReplayedJob is a job and how long it waits.
type ReplayedJob struct {
	ID      string
	Names   []int // by Replay.JobKinds, in Replay.Names
	NCPUs   int64
	Arrival string  // a time
	Waits   []Ratio // by row, in seconds
}

// MarshalJSON writes a job as a list, which is a third of an object's size.
func (j ReplayedJob) MarshalJSON() ([]byte, error) {
	list := []any{j.ID, j.NCPUs, j.Arrival}
	for _, name := range j.Names {
		list = append(list, name)
	}
	for _, wait := range j.Waits {
		list = append(list, span(wait))
	}
	return json.Marshal(list)
}

// What a page shows of replays, so that it stays below 5 MB.
const (
	MaxReplayed = 20_000 // jobs
	maxNamed    = 300    // names of a kind
	firstJobs   = 50     // jobs that stand in the page itself
)

// bounded returns what a page has room for, with lists of its data that are never null.
func (r *Replay) bounded() *Replay {
	b := *r
	b.Shares = append([]ShareLine{}, b.Shares...)
	b.Jobs, b.Names = append([]ReplayedJob{}, b.Jobs...), append([]string{}, b.Names...)
	if n := len(b.Jobs); n > MaxReplayed {
		b.Jobs, b.Omitted = b.Jobs[:MaxReplayed], b.Omitted+n-MaxReplayed
	}
	b.Kinds = append([]Kind{}, b.Kinds...)
	for i := range b.Kinds {
		k := &b.Kinds[i]
		k.Total = max(k.Total, len(k.Names))
		k.Names = k.Names[:min(len(k.Names), maxNamed)]
	}
	return &b
}

// replayFuncs are what the page writes tables with.
var replayFuncs = template.FuncMap{
	"days": inDays, "span": span, "hours": func(x float64) string { return report.Fixed(x, 1) }, "bind": bind, "grouped": report.Grouped, "name": report.DashIfEmpty, "title": report.Capital,
}

var longTime = pattern.Of(`(\d+):(\d\d:\d\d)`)

// inDays writes the times in a text that are of two days and more with days.
func inDays(text string) string {
	return longTime().ReplaceAllStringFunc(text, func(found string) string {
		hours, rest, _ := strings.Cut(found, ":")
		n, err := strconv.Atoi(hours)
		if err != nil || n < 48 {
			return found
		}
		return strconv.Itoa(n/24) + " d " + strconv.Itoa(n%24) + ":" + rest
	})
}

// span returns seconds as people read them.
func span(seconds Ratio) string { return inDays(report.Duration(float64(seconds))) }

// bind keeps the mark of a name on its line.
func bind(name string) string {
	if of, isMarked := strings.CutSuffix(name, " *"); isMarked {
		return of + "\u00a0*"
	}
	return name
}

// IsPair reports whether two policies are compared, so that jobs are sooner or later under the second one.
func (r *Replay) IsPair() bool { return len(r.Rows) == 3 }

// FirstJobs are those of Jobs that stand in the page itself.
func (r *Replay) FirstJobs() []ReplayedJob { return r.Jobs[:min(len(r.Jobs), firstJobs)] }

// All is how many jobs there are.
func (r *Replay) All() int { return len(r.Jobs) + r.Omitted }

// Omitted is how many names are left out.
func (k Kind) Omitted() int { return k.Total - len(k.Names) }

// changeBar is the bar of a change: to the left where jobs wait less, and to the right where they wait longer. The largest change of its
// kind goes to the edge.
type changeBar struct {
	Class       string
	Left, Width float64 // in per cent
}

// Bar returns the bar of a name.
func (k Kind) Bar(n NameRow) changeBar {
	by := func(n NameRow) float64 {
		if len(n.By) == 0 || math.IsNaN(float64(n.By[0])) {
			return 0
		}
		return float64(n.By[0])
	}
	largest := 0.
	for _, other := range k.Names {
		largest = max(largest, math.Abs(by(other)))
	}
	const half = 50
	b := changeBar{Class: "later", Left: half}
	if largest > 0 {
		b.Width = round(half * math.Abs(by(n)) / largest)
	}
	if by(n) < 0 {
		b.Class, b.Left = "earlier", half-b.Width
	}
	return b
}
