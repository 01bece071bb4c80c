package fstree

import "hash/maphash"

// index finds nodes by name: a hash table of places in the arena. A slot
// holds half of the name's hash beside the place, so that looking for a name
// that is not there, as every line of resource_group does, touches one slot
// and no names, and adding it uses the slot that was found. A map of strings
// made the whole program a third slower.
type index struct {
	seed  maphash.Seed
	slots []uint64 // hash's upper half, place + 1; 0 is free
	count int
}

// slot is where a name is, or where it belongs.
type slot struct {
	at   int
	mark uint64 // the hash's upper half, in place
}

func newIndex(size int) index {
	n := 16
	for n*4 < size*5 {
		n *= 2
	}
	return index{seed: maphash.MakeSeed(), slots: make([]uint64, n)}
}

// find returns the place of a name, or the slot for set to put it in.
func (x *index) find(name string, names []string) (ID, slot, bool) {
	hash := maphash.String(x.seed, name)
	mark := hash &^ (1<<32 - 1)
	mask := len(x.slots) - 1
	for at := int(hash) & mask; ; at = (at + 1) & mask {
		s := x.slots[at]
		if s == 0 {
			return none, slot{at, mark}, false
		}
		if s&^(1<<32-1) == mark {
			if id := ID(uint32(s) - 1); names[id] == name {
				return id, slot{}, true
			}
		}
	}
}

// set fills the slot that find returned last.
func (x *index) set(s slot, id ID, names []string) {
	x.slots[s.at] = s.mark | uint64(id+1)
	x.count++
	if x.count*8 > len(x.slots)*7 {
		*x = newIndex(len(x.slots) + 1)
		for id, name := range names {
			_, s, _ := x.find(name, names)
			x.slots[s.at] = s.mark | uint64(id+1)
		}
		x.count = len(names)
	}
}
