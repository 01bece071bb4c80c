package queue

// Names numbers strings, from 0 on in the order in which they first come.
type Names struct {
	List  []string
	index map[string]int32
}

// Number returns a name's number, a new one for a name that is new.
func (n *Names) Number(name []byte) int32 {
	if i, ok := n.index[string(name)]; ok {
		return i
	}
	if n.index == nil {
		n.index = map[string]int32{}
	}
	i := int32(len(n.List))
	n.List = append(n.List, string(name))
	n.index[n.List[i]] = i
	return i
}

// Find returns a name's number. ok is false for a name that has none.
func (n *Names) Find(name string) (number int32, ok bool) {
	number, ok = n.index[name]
	return number, ok
}

// join numbers the names of another list and returns their new numbers.
func (n *Names) join(other Names) []int32 {
	numbers := make([]int32, len(other.List))
	for i, name := range other.List {
		numbers[i] = n.Number([]byte(name))
	}
	return numbers
}
