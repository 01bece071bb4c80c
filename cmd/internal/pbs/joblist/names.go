package joblist

// Names numbers strings, from 0 on in the order in which they first come.
type Names struct {
	List  []string
	index map[string]int32
}

// Find returns a name's number. ok is false for a name that has none.
func (n *Names) Find(name string) (number int32, ok bool) {
	number, ok = n.index[name]
	return number, ok
}

// Of returns the name of a number, "" where names of its kind were not asked for.
func (n *Names) Of(number int32) string {
	if int(number) < len(n.List) {
		return n.List[number]
	}
	return ""
}

// number returns a name's number, a new one for a name that is new.
func (n *Names) number(name string) int32 {
	if i, ok := n.index[name]; ok {
		return i
	}
	if n.index == nil {
		n.index = map[string]int32{}
	}
	i := int32(len(n.List))
	n.List = append(n.List, name)
	n.index[name] = i
	return i
}

// partNames numbers the names of one part after another, each from 0 on. Most
// names come in many parts, so that what is known of them stays.
type partNames struct {
	index map[string]*partName
	part  int
	used  []*partName // in the current part, by number
	last  *partName   // that was asked for, nil if none was in the current part
}

// partName is a name, and its number in the part in which it came last.
type partName struct {
	name   string
	part   int
	number int32
	listed int32 // one more than its number in the whole list, 0 while that is not known
}

// next begins another part.
func (n *partNames) next() {
	const most = 100_000
	n.part++
	n.used, n.last = nil, nil
	if n.index == nil || len(n.index) > most {
		n.index = map[string]*partName{}
	}
}

// number returns a name's number in the part.
func (n *partNames) number(name []byte) int32 {
	if n.last != nil && n.last.name == string(name) {
		return n.last.number
	}
	p := n.index[string(name)]
	if p == nil {
		p = &partName{name: string(name)}
		n.index[p.name] = p
	}
	if p.part != n.part {
		p.part, p.number = n.part, int32(len(n.used))
		n.used = append(n.used, p)
	}
	n.last = p
	return p.number
}

// join numbers the names of a part and returns their numbers in the whole list,
// nil for a part without names.
func (n *Names) join(part []*partName) []int32 {
	if len(part) == 0 {
		return nil
	}
	numbers := make([]int32, len(part))
	for i, p := range part {
		if p.listed == 0 {
			p.listed = n.number(p.name) + 1
		}
		numbers[i] = p.listed - 1
	}
	return numbers
}
