package sacct

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/slurm"
)

// compare puts the rows of a run into the order in which they are believed: one that tells of its end before one of a run that goes on,
// and that before one of a job that waits; of those that run, the one that has run for longer; then the one that tells more.
func (k *kept) compare(other *kept) int {
	return cmp.Or(-cmp.Compare(k.fate, other.fate), -cmp.Compare(k.elapsed(), other.elapsed()), -cmp.Compare(k.told(), other.told()),
		slices.CompareFunc(k.text[:], other.text[:], func(a, b *cell) int { return strings.Compare(string(known(a)), string(known(b))) }))
}

// known returns a cell, "" for none.
func known(c *cell) cell {
	if c == nil {
		return ""
	}
	return *c
}

// elapsed returns for how long the job of a row has run.
func (k *kept) elapsed() int64 {
	return max(integer([]byte(known(k.text[ElapsedRaw]))), duration([]byte(known(k.text[Elapsed]))))
}

// told returns how many columns of a row tell something.
func (k *kept) told() (n int) {
	for c := range columns {
		if k.isTold(c) && !k.short.has(c) {
			n++
		}
	}
	return n
}

// isTold reports whether a column of a row tells something.
func (k *kept) isTold(c Column) bool {
	switch known(k.text[c]) {
	case "":
		return false
	case "Unknown", "None", "N/A", "None assigned":
		return !slices.Contains([]Column{Submit, Eligible, Start, End, NodeList}, c)
	case "0": // AllocNodes and NCPUS of a job that waits, of which NNodes and AllocCPUS may tell what it asks for
		return !slices.Contains([]Column{AllocCPUS, NNodes}, c)
	}
	return true
}

// merge makes one row of what several tell of a run: each field from the first of them, in the order of compare, that has it.
func (r *Reader) merge(row *Row, x *run, header *Header) {
	slices.SortStableFunc(x.rows, (*kept).compare)
	if x.rows[0].step == "" {
		r.join.count(x)
	}
	best := x.rows[0]
	row.header = header
	header.short, header.doubt = header.short[:0], header.doubt[:0]
	for c := range columns {
		var from *kept
		for _, k := range x.rows {
			switch {
			case c == State && k.fate != best.fate: // what became of it is told by the others
			case !k.isTold(c):
			case from == nil, k.fate == from.fate && (from.short.has(c) && !k.short.has(c) || r.isClearer(k, from, c)):
				from = k
			}
		}
		row.text[c] = nil
		if from != nil {
			row.text[c] = []byte(known(from.text[c]))
			r.join.compare(x, c, from, r)
		} else if at := slices.IndexFunc(x.rows, func(k *kept) bool { return k.text[c] != nil && (c != State || k.fate == best.fate) }); at >= 0 {
			row.text[c] = []byte(known(x.rows[at].text[c])) // such as Unknown
		}
		isIn := func(set func(*kept) columnSet) bool {
			if from != nil {
				return set(from).has(c)
			}
			return slices.ContainsFunc(x.rows, func(k *kept) bool { return set(k).has(c) })
		}
		if isIn(func(k *kept) columnSet { return k.short }) {
			header.short = append(header.short, header.at[c])
		}
		if from == nil && isIn(func(k *kept) columnSet { return k.doubt }) {
			header.doubt = append(header.doubt, header.at[c])
		}
	}
	if row.text[State] == nil && header.Has(State) { // the table that tells when it ended does not tell how
		own := *header
		own.at[State] = -1
		row.header = &own
	}
}

// isClearer reports whether a row tells a time without doubt, and another as the clock shows it, which may mean two.
func (r *Reader) isClearer(k, from *kept, c Column) bool {
	if !slices.Contains([]Column{Submit, Eligible, Start, End}, c) || len(*from.text[c]) != len(local) || len(*k.text[c]) == len(local) {
		return false
	}
	at, _ := r.clock.time([]byte(*from.text[c]))
	return moment.ComesTwice(r.Zone, at) && r.isAlike(c, from, k)
}

// count counts a run that several rows tell of.
func (j *join) count(x *run) {
	forms := map[form]bool{}
	for _, k := range x.rows {
		forms[k.form] = true
	}
	if len(forms) > 1 {
		j.runs++
	}
	j.again += len(x.rows) - len(forms)
}

// compare notes where another row contradicts the one from which a field is taken: both know as much of the run, or it is what does
// not change.
func (j *join) compare(x *run, c Column, from *kept, r *Reader) {
	for _, k := range x.rows {
		isLater := k.fate != from.fate && k.fate != 0 && from.fate != 0 || from.fate == slurm.Runs
		if k == from || !k.isTold(c) || isLater && c != User || r.isAlike(c, from, k) {
			continue
		}
		if j.against[c] == nil {
			j.against[c] = &contradiction{id: string(known(from.text[JobID])), taken: string(known(from.text[c])), other: string(known(k.text[c]))}
		}
		j.against[c].runs++
		return
	}
}

// isAlike reports whether two rows tell the same in a column, be it written in another way, or cut off in one of them.
func (r *Reader) isAlike(c Column, one, other *kept) bool {
	a, b := []byte(known(one.text[c])), []byte(known(other.text[c]))
	if bytes.Equal(a, b) {
		return true
	}
	for _, x := range [][2][]byte{{a, b}, {b, a}} {
		if begin, isCut := bytes.CutSuffix(x[0], []byte("+")); isCut && bytes.HasPrefix(x[1], begin) {
			return true
		}
	}
	switch c {
	case JobID:
		return true // by it they were joined
	case State:
		return bytes.Equal(word(a), word(b))
	case Submit, Eligible, Start, End:
		p, _ := r.clock.time(a)
		q, _ := r.clock.time(b)
		return r.byClock(p) == r.byClock(q)
	case Elapsed, Suspended, TotalCPU, Timelimit:
		return duration(a) == duration(b)
	case ReqTRES, AllocTRES, TRESUsageInTot:
		return maps.Equal(r.amounts(a), r.amounts(b))
	case ReqMem:
		size := sizeInKB(string(a)) // 0 for that of old versions, of each node or CPU
		return size > 0 && size == sizeInKB(string(b))
	case MaxRSS, AveRSS:
		return sizeInKB(string(a)) == sizeInKB(string(b))
	}
	return false
}
