// Package jobs reads lists of jobs as qstat prints them (text, JSON, DSV), and
// as CSV and JSON lines, in chunks that several workers parse at a time.
//
// Real lists are often damaged: a second "Jobs" object, objects cut off, plain
// text mixed in, duplicate keys, bytes that no JSON may have. The readers take
// what makes sense and count what does not, by kind.
package jobs

// Record is one job (or queue) of a list. Its bytes belong to the chunk that
// it was read from and are gone when the chunk is.
type Record struct {
	ID        []byte
	Values    [][]byte // of the attributes of the Schema; nil is absent
	Resources []Resource
	Raw       []byte // as it stands in the input
}

// Resource is an entry of Resource_List.
type Resource struct{ Name, Value []byte }

// Schema is the attributes that a reader keeps, all others are skipped.
type Schema struct {
	names []string
	index map[string]int
}

// NewSchema returns a schema whose attributes have the places of names.
func NewSchema(names ...string) *Schema {
	s := &Schema{names: names, index: map[string]int{}}
	for i, name := range names {
		if _, ok := s.index[name]; !ok {
			s.index[name] = i
		}
	}
	return s
}

// Place is an attribute's index in Record.Values.
func (s *Schema) Place(name string) (int, bool) {
	i, ok := s.index[name]
	return i, ok
}

// Batch is the jobs of a chunk.
type Batch struct {
	Records  []Record
	Problems map[string]int // what made no sense, by kind
	Before   []byte         // what stands before the first record
	Between  []byte         // and between the first two
	After    []byte         // and after the last

	schema    *Schema
	values    [][]byte // backs Record.Values
	chunk     []byte
	queues    bool   // the records are queues
	delimiter []byte // of DSV
	header    []byte // of CSV
}

func (b *Batch) problem(kind string) {
	if b.Problems == nil {
		b.Problems = map[string]int{}
	}
	b.Problems[kind]++
}

// add begins a record.
func (b *Batch) add(id []byte) *Record {
	n := len(b.schema.names)
	if cap(b.values)-len(b.values) < n {
		b.values = make([][]byte, 0, max(n*256, 1))
	}
	from := len(b.values)
	b.values = b.values[:from+n]
	values := b.values[from : from+n : from+n]
	clear(values)
	b.Records = append(b.Records, Record{ID: id, Values: values})
	return &b.Records[len(b.Records)-1]
}

const resourcePrefix = "Resource_List."

// set keeps an attribute if the schema wants it.
func (b *Batch) set(r *Record, name, value []byte) {
	if i, ok := b.schema.index[string(name)]; ok {
		r.Values[i] = value
	}
	if len(name) > len(resourcePrefix) && string(name[:len(resourcePrefix)]) == resourcePrefix {
		r.Resources = append(r.Resources, Resource{name[len(resourcePrefix):], value})
	}
}
