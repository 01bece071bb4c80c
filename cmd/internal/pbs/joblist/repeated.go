package joblist

import "hash/maphash"

// idTable finds jobs whose ID another job before has. Lists have their jobs in
// the order of their numbers, nearly always, so that there is no table until a
// number comes that is not the highest so far.
type idTable struct {
	highest int64
	rows    map[uint64]int32 // the first row of each ID, by the ID's hash; nil until it is needed
}

var hashSeed = maphash.MakeSeed()

// add adds the jobs from a row on and marks those that are repeated.
func (t *idTable) add(l *List, first int) {
	for row := first; row < l.Len(); row++ {
		id := l.Job(row).ID
		if t.rows == nil {
			number, ok := LeadingNumber(id)
			if ok && (number > t.highest || row == 0) {
				t.highest = number
				continue
			}
			t.rows = make(map[uint64]int32, l.Len())
			for before := range row {
				t.rows[maphash.String(hashSeed, l.Job(before).ID)] = int32(before)
			}
		}
		hash := maphash.String(hashSeed, id)
		if before, taken := t.rows[hash]; !taken {
			t.rows[hash] = int32(row)
		} else if l.Job(int(before)).ID == id {
			l.Job(row).IsRepeated = true
			l.Repeats++
		}
	}
}

// LeadingNumber returns the number with which an ID begins.
func LeadingNumber(id string) (number int64, ok bool) {
	x, ok := parseDigits([]byte(leadingDigits(id)))
	return int64(x), ok && x < 1<<53
}
