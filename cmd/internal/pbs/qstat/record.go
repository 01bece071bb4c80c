// Package qstat reads lists of jobs as qstat prints them (text, JSON, DSV), and
// as CSV and JSON lines, in chunks that several workers parse at a time.
//
// Real lists are often damaged: a second "Jobs" object, objects cut off, plain
// text mixed in, duplicate keys, bytes that no JSON may have. The readers take
// what makes sense and count what does not, by kind.
package qstat

import "bytes"

// Record is one job of a list. Its bytes belong to the chunk that
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
	// likely has a bit for the first letter of each wanted name by its
	// length: most names are told apart without looking them up.
	likely [64]uint64
}

// NewSchema returns a schema whose attributes have the places of names.
func NewSchema(names ...string) *Schema {
	s := &Schema{names: names, index: map[string]int{}}
	for i, name := range names {
		if _, ok := s.index[name]; !ok {
			s.index[name] = i
		}
		if name != "" {
			s.likely[len(name)&63] |= 1 << (name[0] & 63)
		}
	}
	return s
}

// wants returns the place of an attribute that is kept.
func (s *Schema) wants(name []byte) (int, bool) {
	if len(name) == 0 || s.likely[len(name)&63]>>(name[0]&63)&1 == 0 {
		return 0, false
	}
	i, ok := s.index[string(name)]
	return i, ok
}

// Batch is the jobs of a chunk.
type Batch struct {
	Records    []Record
	Problems   map[string]int    // what made no sense, by kind
	Unused     []string          // columns of CSV that nobody knows
	Unknown    map[string]Having // attributes that are not known here, and who has them
	IsOwn      bool              // whether this program wrote the list
	TorqueJobs int               // that ask for nodes=N:ppn=P as TORQUE's do, see settleTorque
	Before     []byte            // what stands before the first record
	Between    []byte            // and between the first two
	After      []byte            // and after the last

	schema    *Schema
	values    [][]byte   // backs Record.Values
	resources []Resource // backs Record.Resources
	closed    int        // of them belong to finished records
	chunk     []byte
	last      bool      // nothing comes after the chunk
	isCutOff  bool      // what unpacks the list failed
	header    []byte    // that begins a job of text
	delimiter []byte    // of DSV
	strangers strangers // of text and DSV
	columns   *csvColumns

	// Of JSON:
	whole         bool            // whether no chunk follows, so that a job cut off at the end is damaged and not continued
	from, to      jsonState       // where the reader stands before and after
	rest          int             // where the part begins that cannot be read without the next chunk
	hasJobs       bool            // whether "Jobs" has come
	isStrange     bool            // whether there are members beside "Jobs" that qstat does not print
	order         []attributeName // of the attributes
	resourceOrder []attributeName // of the resources
}

// Kinds of problems after which a list may have had more jobs.
const (
	cutList   = "a list that is cut off"
	cutPacked = "a packed list that is cut off"
)

// IsCutOff reports whether a kind of problem is that a list ends too early, so that nobody knows what is missing.
func IsCutOff(kind string) bool { return kind == cutList || kind == cutPacked }

func (b *Batch) problem(kind string) {
	if b.Problems == nil {
		b.Problems = map[string]int{}
	}
	b.Problems[kind]++
}

// reset empties a batch for another chunk; its memory serves again.
func (b *Batch) reset(chunk []byte) {
	*b = Batch{
		Records: b.Records[:0], schema: b.schema, values: b.values[:0], resources: b.resources[:0],
		chunk: chunk, header: b.header, delimiter: b.delimiter, columns: b.columns, order: b.order, resourceOrder: b.resourceOrder,
		strangers: b.strangers,
	}
}

// add begins a record.
func (b *Batch) add(id []byte) *Record {
	b.close()
	b.strangers.at = 0
	n := len(b.schema.names)
	if cap(b.values)-len(b.values) < n {
		b.values = make([][]byte, 0, max(2*cap(b.values), n*512)) // records keep the old one
	}
	from := len(b.values)
	b.values = b.values[:from+n]
	values := b.values[from : from+n : from+n]
	clear(values)
	b.Records = append(b.Records, Record{ID: id, Values: values})
	return &b.Records[len(b.Records)-1]
}

// clearLast takes back what is known of the record begun last.
func (b *Batch) clearLast() {
	clear(b.Records[len(b.Records)-1].Values)
	b.resources = b.resources[:b.closed]
}

// dropLast takes the record begun last away.
func (b *Batch) dropLast() {
	b.clearLast()
	b.Records = b.Records[:len(b.Records)-1]
	b.values = b.values[:len(b.values)-len(b.schema.names)]
}

// addResource adds an entry of Resource_List to the record begun last.
func (b *Batch) addResource(name, value []byte) {
	b.resources = append(b.resources, Resource{name, value})
}

// close ends the record begun last.
func (b *Batch) close() {
	if n := len(b.Records); n > 0 && b.closed < len(b.resources) {
		if b.settleTorque() {
			b.TorqueJobs++
		}
		b.Records[n-1].Resources = b.resources[b.closed:len(b.resources):len(b.resources)]
	}
	b.closed = len(b.resources)
}

const resourcePrefix = "Resource_List."

var resourceBytes = []byte(resourcePrefix)

// asks reports whether an attribute is one that set may keep.
func (b *Batch) asks(name []byte) bool {
	_, wanted := b.schema.wants(name)
	return wanted || len(name) > 0 && name[0] == resourcePrefix[0] && bytes.HasPrefix(name, resourceBytes)
}

// set keeps an attribute if the schema wants it.
func (b *Batch) set(r *Record, name, value []byte) {
	if i, ok := b.schema.wants(name); ok {
		r.Values[i] = value
	}
	if len(name) > len(resourcePrefix) && string(name[:len(resourcePrefix)]) == resourcePrefix {
		b.addResource(name[len(resourcePrefix):], value)
	}
}

// setOnce is set for lists in which a value with line breaks or delimiters can
// look like an attribute: of one that comes twice, the first counts.
func (b *Batch) setOnce(r *Record, name, value []byte) {
	const most = 100 // resources that are looked at
	if i, ok := b.schema.wants(name); ok && r.Values[i] != nil {
		b.problem(repeatedAttribute)
		return
	}
	if resource, ok := bytes.CutPrefix(name, resourceBytes); ok {
		for _, before := range b.resources[b.closed:min(len(b.resources), b.closed+most)] {
			if bytes.Equal(before.Name, resource) {
				b.problem(repeatedAttribute)
				return
			}
		}
	}
	if value == nil {
		value = []byte{} // nil is absent
	}
	b.set(r, name, value)
}

const repeatedAttribute = "an attribute that a job has twice, of which the first counts"
