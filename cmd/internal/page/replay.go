package page

import "encoding/json"

// Replay is what policies come to on recorded work. A row is what was observed, or a
// policy; the first row is observed.
type Replay struct {
	Verdict  []string `json:"verdict"` // sentences that say what it comes to
	From     string   `json:"from"`
	Rows     []string `json:"rows"`
	Policies []string `json:"policies"` // of the rows behind the first
	Changes  []string `json:"changes"`  // what a column that compares a row with another is called

	Trust    []Figure    `json:"trust"`
	OfFirst  string      `json:"ofFirst"` // a label of what is told of the first run alone, "" where there is no other
	Remarks  []string    `json:"remarks"`
	Figures  []FigureRow `json:"figures"`
	Verdicts []Verdict   `json:"verdicts"`

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
	Kinds  []Kind      `json:"kinds"`

	Causes []CauseLine `json:"causes"` // what jobs waited for, where it was asked for
	Since  string      `json:"since"`  // from when on that is known

	JobKinds []string      `json:"jobKinds"` // what the names of a job are: user, group and queue
	Names    []string      `json:"names"`    // that Jobs has numbers of
	Jobs     []ReplayedJob `json:"jobs"`
	Omitted  int           `json:"omitted"` // jobs that are not in Jobs
}

// CauseLine is what jobs waited for, in hours by row behind the first.
type CauseLine struct {
	Name  string    `json:"name"`
	Hours []float64 `json:"hours"`
}

// FigureRow is a figure, by row and then by change.
type FigureRow struct {
	Name   string   `json:"name"` // as conditions have it
	Words  string   `json:"words"`
	Values []string `json:"values"`
}

// Verdict is what a condition says.
type Verdict struct {
	Text  string `json:"text"`
	Fails bool   `json:"fails"`
}

// ShareLine is what a group has used over time.
type ShareLine struct {
	Name    string    `json:"name"`
	Targets []Ratio   `json:"targets"` // by row
	Used    [][]Ratio `json:"used"`    // by row and time
}

// Kind is a way to tell jobs apart.
type Kind struct {
	Name  string    `json:"name"`
	Names []NameRow `json:"names"`
	Total int       `json:"total"` // of names, of which Names may be the first
}

// NameRow is the jobs of one name.
type NameRow struct {
	Name    string   `json:"name"`
	Jobs    int      `json:"jobs"`
	Waits   []Ratio  `json:"w"` // the mean by row, in seconds
	Changes []string `json:"c"` // by change
	By      []Ratio  `json:"d"` // the same in seconds
	Sooner  int      `json:"s"` // jobs, under the last policy
	Later   int      `json:"l"`
}

// ReplayedJob is a job and how long it waits.
type ReplayedJob struct {
	ID      string
	Names   []int // by Replay.JobKinds, in Replay.Names
	NCPUs   int64
	Arrival int64
	Waits   []Ratio // by row, in seconds
}

// MarshalJSON writes a job as a list, which is a third of an object's size.
func (j ReplayedJob) MarshalJSON() ([]byte, error) {
	list := []any{j.ID, j.NCPUs, j.Arrival}
	for _, name := range j.Names {
		list = append(list, name)
	}
	for _, wait := range j.Waits {
		list = append(list, wait)
	}
	return json.Marshal(list)
}

// What a page shows of replays, so that it stays below 5 MB.
const (
	MaxReplayed = 20_000 // jobs
	maxNamed    = 500    // names of a kind
)

// bounded returns what a page has room for, with lists that are never null.
func (r *Replay) bounded() *Replay {
	b := *r
	b.Trust, b.Remarks, b.Changes, b.Verdicts = append([]Figure{}, b.Trust...), append([]string{}, b.Remarks...), append([]string{}, b.Changes...), append([]Verdict{}, b.Verdicts...)
	b.Verdict, b.Causes = append([]string{}, b.Verdict...), append([]CauseLine{}, b.Causes...)
	b.Shares, b.Kinds = append([]ShareLine{}, b.Shares...), append([]Kind{}, b.Kinds...)
	b.Jobs, b.Names = append([]ReplayedJob{}, b.Jobs...), append([]string{}, b.Names...)
	if n := len(b.Jobs); n > MaxReplayed {
		b.Jobs, b.Omitted = b.Jobs[:MaxReplayed], b.Omitted+n-MaxReplayed
	}
	for i := range b.Kinds {
		k := &b.Kinds[i]
		k.Total = max(k.Total, len(k.Names))
		k.Names = append([]NameRow{}, k.Names[:min(len(k.Names), maxNamed)]...)
	}
	return &b
}
