package sacct

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
)

// Tables with different columns are joined run by run: all of their rows are kept, those of a run are found by its JobID and its start,
// and what they tell together comes as one row. A table without starts is joined by JobID where one run alone can be meant.

// form is which columns a table has, and whether it can cut values off: tables of one form tell the same of a run.
type form struct {
	has     columnSet
	isFixed bool // in columns of a width
	isJSON  bool
}

// columnSet is a set of columns, a bit for each.
type columnSet uint64

func (s columnSet) has(c Column) bool { return s>>c&1 == 1 }

func (h *Header) form() form {
	if h == whole {
		return form{has: 1<<columns - 1, isJSON: true}
	}
	f := form{isFixed: h.widths != nil}
	for c := range columns {
		if h.Has(c) {
			f.has |= 1 << c
		}
	}
	return f
}

// kept is a row that waits for those of other tables.
type kept struct {
	form
	table *string // its name
	line  int
	text  [columns]*cell

	cluster, step      string
	submit, start, end int64 // a job that waits has no start
	fate               slurm.Fate
	isOnly             bool // whether its table has no other row of the job or step
	short, doubt       columnSet
}

// cell is what stands in a column. Many rows have the same.
type cell string

// run is what is told of one run of a job, or of one step of it.
type run struct {
	rows  []*kept
	steps []*run
}

// jobRows are the rows of one job, with those of its steps.
type jobRows struct {
	id          string
	rows, steps []*kept
	runs        []*run
}

// join is what has been joined.
type join struct {
	runs    int            // that several tables tell of
	again   int            // rows of runs that others of the same form tell of as well
	apart   map[string]int // rows that no run can be told for, by their table
	example map[string]string
	against map[Column]*contradiction
}

// contradiction is what two tables tell differently of runs.
type contradiction struct {
	runs         int
	id           string // of the first of them
	taken, other string
}

// readJoined reads tables of different forms.
func (r *Reader) readJoined(files []file.Source) error {
	jobs, texts := map[string]*jobRows{}, map[string]*cell{}
	var cut []*kept // whose numbers are cut off
	for _, from := range files {
		name := from.Name
		last := map[string]*kept{} // of the table, by job or step
		of := Reader{Zone: r.Zone, Columns: r.Columns, Step: r.Step, Damaged: r.Damaged, clock: r.clock, lists: r.lists, above: r.above,
			Header: func(string, int, *Header) error { clear(last); return nil },
			keep: func(row *Row, line int) {
				k := &kept{form: row.header.form(), table: &name, line: line, isOnly: true}
				for c, text := range row.text {
					if len(text) > 0 {
						if texts[string(text)] == nil {
							made := cell(text)
							texts[string(text)] = &made
						}
						k.text[c] = texts[string(text)]
					}
				}
				if s := row.header.Splitter; s != nil {
					for c, at := range row.header.at {
						if slices.Contains(s.short, at) && at >= 0 {
							k.short |= 1 << c
						}
						if slices.Contains(s.doubt, at) && at >= 0 {
							k.doubt |= 1 << c
						}
					}
				}
				id := string(row.text[JobID])
				if before := last[id]; before != nil {
					before.isOnly, k.isOnly = false, false
				}
				last[id] = k
				if k.isFixed && strings.HasSuffix(id, "+") {
					cut = append(cut, k)
					r.place(k)
					return
				}
				id, k.step, _ = strings.Cut(id, ".")
				id, _, _ = strings.Cut(id, "%") // how many tasks of an array may run at once
				job := jobs[id]
				if job == nil {
					job = &jobRows{id: id}
					jobs[id] = job
				}
				r.place(k)
				if k.step == "" {
					job.rows = append(job.rows, k)
				} else if r.Step != nil {
					k.step = stepName(k.step)
					job.steps = append(job.steps, k)
				}
			}}
		if err := of.read(from); err != nil {
			return err
		}
		r.above = of.above
	}
	r.placeCut(cut, jobs)
	r.join = &join{apart: map[string]int{}, example: map[string]string{}, against: map[Column]*contradiction{}}
	return r.giveJoined(jobs)
}

// place finds out when the run of a row was.
func (r *Reader) place(k *kept) {
	time := func(c Column) int64 {
		if k.text[c] == nil {
			return Unknown
		}
		at, _ := r.clock.time([]byte(*k.text[c]))
		return r.byClock(at)
	}
	if k.text[Cluster] != nil {
		k.cluster = string(*k.text[Cluster])
	}
	k.submit, k.start, k.end = time(Submit), time(Start), time(End)
	if k.text[State] != nil {
		k.fate = slurm.StateNamed(word([]byte(*k.text[State]))).Fate
	}
	if k.fate == 0 && k.end != Unknown {
		k.fate = slurm.IsOver
	}
	if k.fate == slurm.Waits {
		k.start = Unknown // which may be when it is expected to
	}
}

// byClock returns a time as the clock shows it: one of the second of two hours that a local time may mean is that of the first.
func (r *Reader) byClock(at int64) int64 {
	if at != Unknown && moment.ComesTwice(r.Zone, at-secondsOfHour) {
		return at - secondsOfHour
	}
	return at
}

// stepName returns the name of a step, whole where the width of a column has cut off that of one which Slurm makes by itself.
func stepName(step string) string {
	for _, name := range []string{batchStep, externStep} {
		if isStep([]byte(step), name) {
			return name
		}
	}
	return step
}

// isOfCluster reports whether a row may be of the cluster of a run: each gives its jobs the same numbers.
func (x *run) isOfCluster(k *kept) bool {
	return !slices.ContainsFunc(x.rows, func(other *kept) bool {
		return k.form.has.has(Cluster) && other.form.has.has(Cluster) && k.cluster != other.cluster
	})
}

// mayBeOf reports whether a row without a start may be of a run: neither its cluster nor when it came or ended says otherwise.
func (x *run) mayBeOf(k *kept) bool {
	return x.isOfCluster(k) && !slices.ContainsFunc(x.rows, func(other *kept) bool {
		differ := func(a, b int64) bool { return a != Unknown && b != Unknown && a != b }
		return differ(k.submit, other.submit) || k.fate == slurm.IsOver && other.fate == slurm.IsOver && differ(k.end, other.end)
	})
}

// start returns when a run started, Unknown for one that did not.
func (x *run) start() int64 {
	at := int64(Unknown)
	for _, k := range x.rows {
		at = max(at, k.start)
	}
	return at
}

// endsAt reports whether a run is told to have ended at a time.
func (x *run) endsAt(at int64) bool {
	return at != Unknown && slices.ContainsFunc(x.rows, func(k *kept) bool { return k.fate == slurm.IsOver && k.end == at })
}

// Rows by how much they tell of which run they are of.
const (
	tellsAll   = iota // its start and its cluster
	tellsStart        // and no cluster, or there is one alone
	hasNoStart        // as of a job that waits, or was deleted before it ran
	tellsNoStart
)

// telling returns how much a row tells of which run it is of.
func (k *kept) telling() int {
	switch {
	case !k.form.has.has(Start):
		return tellsNoStart
	case k.start == Unknown:
		return hasNoStart
	case !k.form.has.has(Cluster):
		return tellsStart
	}
	return tellsAll
}

// isOf reports whether a row is of a run, as far as it tells.
func (x *run) isOf(k *kept) bool {
	switch k.telling() {
	case hasNoStart:
		isEarlier := k.fate == slurm.Waits && !x.mayRunAgain() // it was printed while the job waited
		return x.mayBeOf(k) && (x.start() == Unknown || isEarlier)
	case tellsNoStart:
		return x.mayBeOf(k) && (k.isOnly || x.endsAt(k.end))
	}
	return x.isOfCluster(k) && x.start() == k.start
}

// runsOf returns the runs that some rows of a job, or of one of its steps, tell of: those that tell their start before the others. A
// row that may be of several is of the one with its state, or else one by itself.
func runsOf(rows []*kept) (list []*run) {
	slices.SortStableFunc(rows, func(a, b *kept) int {
		return cmp.Or(cmp.Compare(a.telling(), b.telling()), -cmp.Compare(a.fate, b.fate), -cmp.Compare(a.submit, b.submit), strings.Compare(a.cluster, b.cluster), a.compare(b))
	})
	for _, k := range rows {
		var may []*run
		for _, x := range list {
			if x.isOf(k) {
				may = append(may, x)
			}
		}
		if len(may) > 1 {
			may = slices.DeleteFunc(may, func(x *run) bool { return !x.hasState(k) })
		}
		if len(may) == 1 {
			may[0].rows = append(may[0].rows, k)
		} else {
			list = append(list, &run{rows: []*kept{k}})
		}
	}
	slices.SortStableFunc(list, func(a, b *run) int { return cmp.Compare(uint64(a.start()), uint64(b.start())) }) // Unknown last
	return list
}

// mayRunAgain reports whether another run may follow a run.
func (x *run) mayRunAgain() bool {
	return slices.ContainsFunc(x.rows, func(k *kept) bool {
		return k.text[State] != nil && slurm.StateNamed(word([]byte(*k.text[State]))).MayRunAgain
	})
}

// hasState reports whether a row tells the state that another one of a run does.
func (x *run) hasState(k *kept) bool {
	return k.text[State] != nil && slices.ContainsFunc(x.rows, func(other *kept) bool {
		return other.text[State] != nil && bytes.Equal(word([]byte(*k.text[State])), word([]byte(*other.text[State])))
	})
}

// takeSteps gives each step of a job to the run in which it began.
func (job *jobRows) takeSteps() {
	const clocks = 10
	if len(job.steps) > 0 && len(job.runs) == 0 {
		job.runs = []*run{{}}
	}
	by := map[string][]*kept{}
	for _, k := range job.steps {
		by[k.step] = append(by[k.step], k)
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		for _, x := range runsOf(by[name]) {
			at := job.runs[len(job.runs)-1]
			for _, of := range job.runs {
				if begin := of.start(); x.start() != Unknown && begin != Unknown && begin <= x.start()+clocks && of.isOfCluster(x.rows[0]) {
					at = of
				}
			}
			at.steps = append(at.steps, x)
		}
	}
}

// giveJoined gives each run to who asks, as one row: those of the first number first, as sacct prints them.
func (r *Reader) giveJoined(jobs map[string]*jobRows) error {
	list := make([]*jobRows, 0, len(jobs))
	for _, job := range jobs {
		list = append(list, job)
	}
	slices.SortFunc(list, func(a, b *jobRows) int {
		return cmp.Or(cmp.Compare(numberOf([]byte(a.id)), numberOf([]byte(b.id))), cmp.Compare(len(a.id), len(b.id)), strings.Compare(a.id, b.id))
	})
	r.before, r.ended = map[string]submission{}, map[string]int64{}
	headers, refused, isAnyTaken := map[columnSet]*Header{}, error(nil), false // nil for columns that are not taken
	for _, job := range list {
		job.runs = runsOf(job.rows)
		for _, x := range job.runs {
			has := x.has()
			if _, isKnown := headers[has]; isKnown {
				continue
			}
			header := joinedHeader(has)
			err := r.Header(x.name(), x.rows[0].line, header)
			if err == nil && !header.IsWhole() && !r.IsTimed {
				err = fmt.Errorf("%s:%d: sacct's table needs the columns "+Needed, x.name(), x.rows[0].line)
			}
			if isAnyTaken = isAnyTaken || err == nil || errors.Is(err, errFound); err != nil {
				header, refused = nil, cmp.Or(refused, err)
			}
			headers[has] = header
		}
	}
	if refused != nil && !isAnyTaken {
		return refused
	}
	for _, job := range list {
		job.takeSteps()
		for _, x := range job.runs {
			r.giveRun(job.id, x, headers)
		}
	}
	if r.open > 0 && len(list) > 0 {
		r.Damaged(list[0].name(), 1, fmt.Sprintf(openTimes, report.Count(r.open, "row")))
	}
	if r.back.rows > 0 {
		r.Damaged(list[0].name(), 1, r.back.text())
	}
	return nil
}

// name returns the name of a table with rows of a job.
func (j *jobRows) name() string { return *slices.Concat(j.rows, j.steps)[0].table }

// giveRun gives a run and its steps to who asks.
func (r *Reader) giveRun(id string, x *run, headers map[columnSet]*Header) {
	var row Row
	if len(x.rows) > 0 {
		header := headers[x.has()]
		if header == nil {
			for _, k := range x.rows {
				r.join.apart[*k.table]++
				r.join.example[*k.table] = cmp.Or(r.join.example[*k.table], id)
			}
			return
		}
		r.merge(&row, x, header)
		if err := r.give(&row); err == nil {
			r.countCut(&row)
		} else if !errors.Is(err, errFound) {
			r.Damaged(*x.rows[0].table, x.rows[0].line, err.Error()+": the row is left out")
		}
	}
	for _, step := range x.steps {
		var row Row
		r.merge(&row, step, joinedHeader(step.has()))
		r.Step([]byte(id), &row)
	}
}

// has returns the columns of all tables that tell of a run.
func (x *run) has() (has columnSet) {
	for _, k := range x.rows {
		has |= k.form.has
	}
	return has
}

// name returns what the tables are called that tell of a run.
func (x *run) name() string {
	var names []string
	for _, k := range x.rows {
		if !slices.Contains(names, *k.table) {
			names = append(names, *k.table)
		}
	}
	slices.Sort(names)
	return report.Listed(names)
}

// joinedHeader returns the header of a row with some columns.
func joinedHeader(has columnSet) *Header {
	h := &Header{Splitter: &Splitter{}}
	for c := range columns {
		if h.at[c] = -1; has.has(c) {
			h.at[c] = len(h.Names)
			h.Names = append(h.Names, c.String())
		}
	}
	return h
}

// Remarks says what is to be known of all that was read: which values are cut off, what has been joined, and what could not be.
func (r *Reader) Remarks() (remarks []diag.Remark) {
	remarks = append(r.sayAbove(), r.Cut()...)
	if r.join == nil {
		return remarks
	}
	if r.join.runs > 0 {
		remarks = append(remarks, diag.Generalf("%s in several tables of sacct with different columns: each is joined from all of them, by its JobID and its start", standing(r.join.runs, "run", "stands", "stand")))
	}
	switch tables := slices.Sorted(maps.Keys(r.join.apart)); {
	case len(tables) == 1:
		remarks = append(remarks, diag.Damagef("left out: %s of %s, such as that of job %s: the table does not have all of %s, and which run of another table it is of cannot be told", report.Count(r.join.apart[tables[0]], "row"), tables[0], r.join.example[tables[0]], Needed))
	case len(tables) > 1:
		rows := 0
		for _, n := range r.join.apart {
			rows += n
		}
		remarks = append(remarks, diag.Damagef("left out: %s of %s, such as that of job %s: these tables do not have all of %s, and which runs of others they are of cannot be told", report.Count(rows, "row"), report.Listed(tables), r.join.example[tables[0]], Needed).
			Briefly("left out: %s of %s of sacct that do not have all of %s, such as that of job %s", report.Count(rows, "row"), report.Count(len(tables), "table"), Needed, r.join.example[tables[0]]))
	}
	return append(remarks, r.join.contradictions()...)
}

// standing returns a number of things with a verb behind it.
func standing(n int, noun, one, several string) string {
	if n == 1 {
		return report.Count(n, noun) + " " + one
	}
	return report.Count(n, noun) + " " + several
}

// contradictions says what tables tell differently of runs.
func (j *join) contradictions() (remarks []diag.Remark) {
	for _, c := range slices.Sorted(maps.Keys(j.against)) {
		x := j.against[c]
		remarks = append(remarks, diag.Damagef("tables of sacct contradict each other: %s of %s, such as %s, is %q in one and %q in another; the first is taken", c, report.Count(x.runs, "run"), x.id, x.taken, x.other))
	}
	return remarks
}
