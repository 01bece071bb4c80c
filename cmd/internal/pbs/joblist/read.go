package joblist

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/formula"
)

// Options say what to read of a list of jobs.
type Options struct {
	Format      qstat.Format
	Columns     []string // names of resources and keywords whose amounts are kept
	Symbols     *formula.Symbols
	Entity      string    // fairshare_entity
	KeepRecords bool      // whether Record is asked for
	Groups      bool      // whether Groups and Projects are
	Comments    bool      // whether Comments are
	Counted     []Counted // attributes of which it is asked how many jobs have them
	Workers     int       // that parse at a time; 0 is one a processor
	Progress    func(int) // told how many bytes have been read; may be nil
}

// Counted is an attribute, and of which values it is asked how many jobs have them.
type Counted struct {
	Name string
	Is   func(value string) bool
}

// Places in the schema of attributes that are not amounts.
const (
	stateAt = iota
	queueAt
	userAt
	groupAt
	ownerAt
	rankAt
	arrayAt
	submittedAt
	entityAt // whatever fairshare_entity names
	projectAt
	substateAt
	runCountAt
	startAt
	countsAt // of an array's subjobs by their states
	commentAt
	estimatedAt
	estimatedObjectAt // in JSON
	queuedAt
	changedAt
	executionAt
	holdsAt
	dependAt
	endAt
	historyAt
	exitAt
	vnodesAt
	accruesAt
	// Of this program's own output:
	namedAt   // the entity itself
	subjobsAt // how many wait
	reasonAt
	consideredAt
	fixedAttributes
)

// keywordAttributes are the job attributes behind keywords of formulas.
var keywordAttributes = map[string]string{"eligible_time": "eligible_time", "job_priority": "Priority", "accrue_type": "accrue_type"}

// Read reads a list of jobs. An error that comes with a list says why its rest
// could not be read.
func Read(in io.Reader, o Options) (*List, error) {
	attributes := []string{
		stateAt: "job_state", queueAt: "queue", userAt: "euser", groupAt: "egroup", ownerAt: "Job_Owner",
		rankAt: "queue_rank", arrayAt: "array_indices_remaining", submittedAt: "array_indices_submitted", entityAt: o.Entity, projectAt: "project", commentAt: "comment",
		estimatedAt: qstat.EstimatedStart, estimatedObjectAt: qstat.Estimated, queuedAt: "qtime", changedAt: "mtime", executionAt: "Execution_Time",
		holdsAt: "Hold_Types", dependAt: "depend", endAt: "obittime", historyAt: "history_timestamp", exitAt: "Exit_status", vnodesAt: "exec_vnode", accruesAt: "accrue_type",
		substateAt: "substate", runCountAt: "run_count", startAt: "stime", countsAt: "array_state_count",
		namedAt: "entity", subjobsAt: "subjobs", reasonAt: "reason", consideredAt: "considered",
	}
	if !o.Groups {
		attributes[projectAt] = ""
	}
	if !o.Comments {
		for _, at := range []int{commentAt, estimatedAt, estimatedObjectAt, queuedAt, changedAt, executionAt, holdsAt, dependAt, endAt, historyAt, exitAt, vnodesAt, accruesAt} {
			attributes[at] = ""
		}
	}
	for _, column := range o.Columns {
		if attribute, ok := keywordAttributes[column]; ok {
			attributes = append(attributes, attribute)
		} else {
			attributes = append(attributes, column) // as CSV and JSON lines may have it
		}
	}
	for _, c := range o.Counted {
		attributes = append(attributes, c.Name)
	}
	r := &reader{Options: o}
	l := &List{facts: newFacts(len(o.Columns)), Columns: o.Columns}
	plain, err := file.Plain(in)
	if err != nil {
		return nil, err
	}
	format, err := qstat.Read(plain,
		qstat.Options{Format: o.Format, Schema: qstat.NewSchema(attributes...), Workers: o.Workers, Read: o.Progress},
		r.part, func(p *part) error { l.join(p); return nil })
	l.Format = format
	l.IsComplete = format != qstat.CSV && (format != qstat.JSONL || o.Format == qstat.JSONL)
	if l.IsOwn || format == qstat.CSV || format == qstat.JSONL { // whose columns are resources
		delete(l.Missing, resourceList)
	}
	l.settleArrays()
	if err == nil && l.IsOwn && l.Len() > 0 {
		if lacking := l.lacking(); len(lacking) > 0 {
			err = &LackError{lacking}
		}
	}
	return l, err
}

// part is what a batch of records becomes. Its names have numbers of their own.
type part struct {
	facts
	block
	users, queues, entities []*partName
	groups, projects        []*partName
	comments                []*partName
	before, between, after  []byte
	unknown                 map[string]qstat.Having
}

// join appends a part.
func (l *List) join(p *part) {
	first := l.Len()
	if first == 0 {
		l.Before = p.before
	}
	if l.Between == nil {
		l.Between = p.between
	}
	l.After = p.after
	users, queues, entities := l.Users.join(p.users), l.Queues.join(p.queues), l.Entities.join(p.entities)
	groups, projects, comments := l.Groups.join(p.groups), l.Projects.join(p.projects), l.Comments.join(p.comments)
	for i := range p.rows {
		j := &p.rows[i]
		j.User, j.Queue, j.Entity = users[j.User], queues[j.Queue], entities[j.Entity]
		if groups != nil {
			j.Group, j.Project = groups[j.Group], projects[j.Project]
		}
		if comments != nil {
			for _, number := range []*int32{&j.Comment, &j.Changed, &j.Expects, &j.Queued, &j.Until, &j.Asks, &j.Course} {
				*number = comments[*number]
			}
		}
	}
	columns := len(l.Columns)
	for from := 0; from < len(p.rows); {
		if l.Len()%blockRows == 0 {
			l.blocks = append(l.blocks, &block{rows: make([]Job, 0, blockRows), amounts: make([]float64, 0, blockRows*columns)})
		}
		b := l.blocks[len(l.blocks)-1]
		to := min(len(p.rows), from+blockRows-len(b.rows))
		b.rows = append(b.rows, p.rows[from:to]...)
		b.amounts = append(b.amounts, p.amounts[from*columns:to*columns]...)
		if p.records != nil {
			b.records = append(b.records, p.records[from:to]...)
		}
		from = to
	}
	l.seen.add(l, first)
	l.TorqueJobs += p.TorqueJobs
	l.Ranked, l.Unranked = l.Ranked+p.Ranked, l.Unranked+p.Unranked
	maps.Copy(l.Requested, p.Requested)
	for name, n := range p.Asking {
		l.Asking[name] += n
	}
	for name, n := range p.Counts {
		l.Counts[name] += n
	}
	l.Unused, l.IsOwn = p.Unused, l.IsOwn || p.IsOwn // the columns are the same for all parts
	for name, who := range p.unknown {
		l.Unknown.Count(name, who.First, who.Jobs)
	}
	for i, has := range p.HasColumn {
		l.HasColumn[i] = l.HasColumn[i] || has
	}
	for row, amount := range p.Unreadable {
		l.Unreadable[first+row] = amount
	}
	for kind, n := range p.Problems {
		l.Problems[kind] += n
	}
	for name, n := range p.Missing {
		l.Missing[name] += n
	}
}

// reader turns batches of records into parts.
type reader struct {
	Options
	tables sync.Pool // of *tables
}

// tables are what a worker knows of names from the parts before.
type tables struct {
	users, queues, entities partNames
	groups, projects        partNames
	comments                partNames
	resources               resourceTable
}

// part is called for several batches at a time.
func (r *reader) part(b *qstat.Batch) *part {
	p := &part{facts: newFacts(len(r.Columns)), block: block{
		rows:    make([]Job, len(b.Records)),
		amounts: make([]float64, len(b.Records)*len(r.Columns)),
	}}
	maps.Copy(p.Problems, b.Problems)
	p.IsOwn, p.TorqueJobs = b.IsOwn, b.TorqueJobs
	for _, name := range b.Unused {
		if r.Symbols.Type(name) == "" {
			p.Unused = append(p.Unused, name)
		}
	}
	p.unknown = maps.Clone(b.Unknown)
	maps.DeleteFunc(p.unknown, func(name string, _ qstat.Having) bool { return r.Symbols.Type(name) != "" })
	if r.KeepRecords {
		p.before, p.between, p.after = bytes.Clone(b.Before), bytes.Clone(b.Between), bytes.Clone(b.After)
		p.records = make([]string, len(b.Records))
	}
	t, ok := r.tables.Get().(*tables)
	if !ok {
		t = &tables{}
	}
	for _, names := range []*partNames{&t.users, &t.queues, &t.entities, &t.groups, &t.projects, &t.comments} {
		names.next()
	}
	t.resources.forget()
	var ids strings.Builder // one string for the batch
	for i := range b.Records {
		record := &b.Records[i]
		ids.Write(record.ID)
		if r.KeepRecords {
			p.records[i] = string(record.Raw)
		}
		r.job(p, i, record, t)
	}
	all := ids.String()
	for i := range b.Records {
		n := len(b.Records[i].ID)
		p.rows[i].ID, all = all[:n], all[n:]
	}
	for name, resource := range t.resources.byName {
		if resource.numeric {
			p.Requested[name] = true
		}
		p.Asking[name] += resource.asking
		resource.asking = 0
	}
	p.users, p.queues, p.entities = t.users.used, t.queues.used, t.entities.used
	p.groups, p.projects, p.comments = t.groups.used, t.projects.used, t.comments.used
	r.tables.Put(t)
	return p
}

// job keeps what is needed of a record.
func (r *reader) job(p *part, i int, record *qstat.Record, t *tables) {
	j, amounts := &p.rows[i], p.amounts[i*len(r.Columns):(i+1)*len(r.Columns)]
	v := record.Values
	j.State = p.state(v[stateAt])
	if len(v[queueAt]) == 0 {
		p.Missing["queue"]++
	}
	if len(record.Resources) == 0 {
		p.Missing[resourceList]++
	}
	user := v[userAt]
	if len(user) == 0 {
		user, _, _ = bytes.Cut(v[ownerAt], []byte("@"))
		p.Missing["euser"]++
	}
	j.User = t.users.number(user)
	j.Queue = t.queues.number(v[queueAt])
	entity, isPair := r.entity(v, user)
	if isPair && len(v[groupAt]) == 0 {
		p.Missing["egroup"]++
	}
	j.Entity = t.entities.number(entity)
	if r.Groups {
		j.Group, j.Project = t.groups.number(v[groupAt]), t.projects.number(v[projectAt])
	}
	if r.Comments {
		j.Comment = t.comments.number(v[commentAt])
		j.Expects = t.comments.number(qstat.StartOf(v[estimatedAt], v[estimatedObjectAt]))
		j.Changed = t.comments.number(v[changedAt])
		j.Queued, j.Until = t.comments.number(v[queuedAt]), t.comments.number(v[executionAt])
		j.Asks = t.comments.number(asksOf(record.Resources))
		j.IsIneligible = string(v[accruesAt]) == "1"
		if j.State != 'Q' {
			j.Course = t.comments.number(courseOf(v))
		}
	}
	isRanked := true
	if rank, ok := parseDigits(v[rankAt]); ok {
		j.Rank = rank
	} else {
		var err error
		j.Rank, err = strconv.ParseFloat(string(v[rankAt]), 64)
		isRanked = err == nil
	}
	if isRanked {
		p.Ranked++
	} else if !j.HasLeft() {
		p.Unranked++
	}
	left := v[arrayAt]
	if j.isUntold = len(left) == 0; j.isUntold {
		left = v[submittedAt]
	}
	j.Subjobs = countSubjobs(left)
	j.IsPreempted = j.State == 'S' && string(v[substateAt]) == qstat.BySched
	j.HasRun = len(v[runCountAt]) > 0 && string(v[runCountAt]) != "0"
	j.Started = clock(v[startAt])
	j.Running = running(j.State, v[countsAt])
	if p.IsOwn {
		own(p, i, record)
	}
	r.setColumns(p, i, v[fixedAttributes:], amounts)
	for k, c := range r.Counted {
		if value := v[fixedAttributes+len(r.Columns)+k]; value != nil && c.Is(string(value)) {
			p.Counts[c.Name]++
		}
	}
	r.setResources(p, i, record.Resources, amounts, t)
}

// asksOf returns the select, the place and the walltime of a job, and its cpus and memory where it has no select.
func asksOf(resources []qstat.Resource) []byte {
	of := func(name string) []byte {
		for _, r := range slices.Backward(resources) {
			if string(r.Name) == name {
				return r.Value
			}
		}
		return nil
	}
	names := []string{"select", "place", "walltime"}
	if of("select") == nil {
		names = []string{"ncpus", "mem", "place", "walltime"}
	}
	var text []byte
	for _, name := range names {
		if value := of(name); value != nil {
			if text != nil {
				text = append(text, ", "...)
			}
			text = append(append(text, name+"="...), value...)
		}
	}
	return text
}

// setColumns sets the amounts that a list has as attributes of a job.
func (r *reader) setColumns(p *part, i int, texts [][]byte, amounts []float64) {
	for column, name := range r.Columns {
		text := texts[column]
		if text == nil {
			continue
		}
		if p.IsOwn {
			text = inKB(text, r.Symbols.Type(name))
		}
		amount, kind := readAmount(text, r.Symbols.Type(name))
		p.HasColumn[column] = true
		if kind == isAmount {
			p.checkAmount(name, r.Symbols.Type(name), amount)
			amounts[column] = amount
		} else {
			p.Unreadable[i] = name + "=" + string(text)
		}
		if _, keyword := keywordAttributes[name]; !keyword {
			p.Requested[name] = true
		}
	}
}

// setResources sets the amounts that a job asks for.
func (r *reader) setResources(p *part, i int, list []qstat.Resource, amounts []float64, t *tables) {
	for place, e := range list {
		res := t.resources.find(place, e.Name, r)
		res.asking++
		if res.name == "select" {
			p.countChunks(e.Value, list)
		}
		if res.typ != "" && !res.typ.Numeric() {
			continue
		}
		if res.column < 0 && looksReadable(e.Value, res.typ) {
			res.numeric = true
			continue
		}
		value := e.Value
		if p.IsOwn {
			value = inKB(value, res.typ)
		}
		amount, kind := readAmount(value, res.typ)
		switch {
		case kind == isUnreadable:
			p.Unreadable[i] = string(e.Name) + "=" + string(e.Value)
		case kind == isText:
		default:
			p.checkAmount(res.name, res.typ, amount)
			res.numeric = true
			if res.column >= 0 {
				amounts[res.column] = amount
				p.HasColumn[res.column] = true
			}
		}
	}
}

// entity returns a job's fairshare entity: the attribute that fairshare_entity
// names, "egroup:euser" for a job without it, which isPair reports.
func (r *reader) entity(v [][]byte, user []byte) (name []byte, isPair bool) {
	if len(v[namedAt]) > 0 {
		return v[namedAt], false
	}
	name = v[entityAt]
	switch r.Entity {
	case "euser":
		name = user
	case "egroup":
		name = v[groupAt]
	case "queue":
		name = v[queueAt]
	}
	if len(name) > 0 {
		return name, false
	}
	return append(append(bytes.Clone(v[groupAt]), ':'), user...), true
}
