package fstree

import (
	"cmp"
	"math/bits"
	"slices"
)

// walkRules are what the walks that rank users differ in.
type walkRules struct {
	merge   bool // accounts that tie are one, else walked in turn
	inherit bool // what an account ties with, its first member ties with too
	empty   bool // accounts without users count when it comes to ties
	// tied reports that two associations, the first with the higher key, tie
	// nevertheless; nil if none do.
	tied func(x, y int32) bool
}

// walked is what both ways to walk Fair Tree have in common.
type walked struct {
	best []int32 // the rivals of each account, the first of them first; nil where each walk sorts them

	levelsOf *Associations // the tree whose levels under Fair Tree these are; nil for none
	changed  int           // how often its usage had changed by then
}

// bestFirst returns the rivals of each account, each with the highest key first, and of equal ones users before accounts, in memory that is
// spare. They are sorted as one number each, of the first bits of the key and the place, and by the whole key where those are the same: a
// tree of 100,000 users takes half the time.
func (a *Associations) bestFirst(keys []longDouble, memory *spare) []int32 {
	best, codes := room(&memory.order, len(a.rivals)), memory.sorted[0]
	for account := range a.list {
		rivals := a.rivalsAt(int32(account))
		if len(rivals) == 0 {
			continue
		}
		places := uint64(1)<<bits.Len(uint(2*len(rivals))) - 1 // a mask of them
		at := func(code uint64) int32 { return rivals[int(code&places)%len(rivals)] }
		codes = codes[:0]
		for k, i := range rivals {
			if !a.list[i].User {
				k += len(rivals)
			}
			codes = append(codes, keys[i].descending()&^places|uint64(k))
		}
		slices.Sort(codes)
		for from := 0; from < len(codes); {
			to, isSame := from+1, true
			for ; to < len(codes) && codes[to]&^places == codes[from]&^places; to++ {
				isSame = isSame && keys[at(codes[to])] == keys[at(codes[from])]
			}
			if !isSame {
				slices.SortStableFunc(codes[from:to], func(x, y uint64) int { return keys[at(y)].compare(keys[at(x)]) })
			}
			from = to
		}
		for k, code := range codes {
			best[int(a.first[account])+k] = at(code)
		}
	}
	memory.sorted[0] = codes
	return best
}

// rival is one of those who compete at a level.
type rival struct {
	key longDouble // the highest comes first
	at  int32
	// order is where it stands among those that tie: users before accounts,
	// then as they were added.
	order uint32
}

const afterUsers = 1 << 31 // in the order of accounts

func (r rival) account() bool { return r.order >= afterUsers }

func byKey(x, y rival) int {
	if order := y.key.compare(x.key); order != 0 {
		return order
	}
	return cmp.Compare(x.order, y.order)
}

func byOrder(x, y rival) int { return cmp.Compare(x.order, y.order) }

// walker ranks users. It keeps its own stack, so that depth costs memory only.
type walker struct {
	a     *Associations
	s     *Standing
	rules walkRules

	stack  []walkLevel
	rivals []rival // of all levels on the stack
}

// walkLevel is a level whose walk has begun.
type walkLevel struct {
	next, end int  // what is left of it in rivals
	tied      bool // the next one ties with who was ranked before
}

// walk sets the fairshare of every user by the keys of a standing.
func walk(a *Associations, s *Standing, rules walkRules) {
	w := walker{a: a, s: s, rules: rules, rivals: s.rivals[:0], stack: s.stack[:0]}
	remaining, rank := a.users, a.users
	w.descend([]rival{{at: 0}}, false)
	for len(w.stack) > 0 {
		l := &w.stack[len(w.stack)-1]
		w.rivals = w.rivals[:l.end]
		if l.next == l.end {
			w.stack = w.stack[:len(w.stack)-1]
			continue
		}
		from := l.next
		this, tied := w.rivals[from], l.tied
		l.next++
		if this.account() && rules.merge {
			for l.next < l.end && w.tied(l.next) {
				l.next++
			}
		}
		l.tied = l.next < l.end && w.tied(l.next)
		if this.account() {
			w.descend(w.rivals[from:l.next], tied && rules.inherit)
			continue
		}
		if !tied {
			rank = remaining
		}
		s.Fairshare[this.at] = float64(rank) / float64(a.users)
		remaining--
	}
	s.rivals, s.stack = w.rivals, w.stack
}

// tied reports whether a rival ties with the one before it.
func (w *walker) tied(i int) bool {
	x, y := &w.rivals[i-1], &w.rivals[i]
	return x.key == y.key || w.rules.tied != nil && w.rules.tied(x.at, y.at)
}

// descend begins the walk of those who compete at some accounts.
func (w *walker) descend(accounts []rival, tied bool) {
	from := len(w.rivals)
	isSorted := w.s.best != nil && len(accounts) == 1
	for _, account := range accounts {
		rivals := w.a.rivalsAt(account.at)
		if isSorted {
			rivals = w.s.best[w.a.first[account.at]:w.a.first[account.at+1]]
		}
		for _, i := range rivals {
			order := uint32(len(w.rivals))
			if !w.a.list[i].User {
				if w.a.below[i] == 0 && !w.rules.empty {
					continue
				}
				order |= afterUsers
			}
			w.rivals = append(w.rivals, rival{w.s.keys[i], i, order})
		}
	}
	if !isSorted {
		slices.SortFunc(w.rivals[from:], byKey)
	}
	if w.rules.tied != nil {
		w.joinTied(from)
	}
	w.stack = append(w.stack, walkLevel{next: from, end: len(w.rivals), tied: tied})
}

// joinTied orders those who tie with different keys.
func (w *walker) joinTied(from int) {
	for from < len(w.rivals) {
		to := from + 1
		for to < len(w.rivals) && w.tied(to) {
			to++
		}
		slices.SortFunc(w.rivals[from:to], byOrder)
		from = to
	}
}
