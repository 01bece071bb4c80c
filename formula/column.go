package formula

import "math"

// tag is what a column holds in one row.
type tag uint8

const (
	tagFloat tag = iota
	tagInt       // of at most maxExact in size, so that a double holds it
	tagBool
	tagOther // a value that no column holds, or an error: the row is evaluated by itself

	// What all rows of a column are together, beside those that one tag says.
	tagNumbers // of several kinds, none of which is tagOther
	tagAny
)

// maxExact is the size up to which every integer is a double.
const maxExact = 1 << 53

// column is the value of one operand in each row of a batch.
type column struct {
	v   []float64
	tag []tag
	all tag // of the rows of this run
	// known is how many of the first rows have all as their tag, 0 if not every tag that
	// was written since has been looked at.
	known int
}

func newColumn(size int) column {
	return column{v: make([]float64, size), tag: make([]tag, size)}
}

func (c *column) fill(v float64, t tag) {
	for i := range c.v {
		c.v[i], c.tag[i] = v, t
	}
	c.known = 0
}

// fillTags makes the first rows of one kind.
func (c *column) fillTags(rows int, t tag) {
	if c.all == t && rows <= c.known {
		return
	}
	tags := c.tag[:rows]
	for i := range tags {
		tags[i] = t
	}
	c.all, c.known = t, rows
}

// survey finds out what the first rows are together.
func (c *column) survey(rows int) {
	if rows <= c.known {
		return
	}
	var seen [tagOther + 1]bool
	for _, t := range c.tag[:rows] {
		seen[t] = true
	}
	switch {
	case seen[tagOther] || rows == 0:
		c.all = tagAny
	case seen[tagFloat] && !seen[tagInt] && !seen[tagBool]:
		c.all = tagFloat
	case seen[tagInt] && !seen[tagFloat] && !seen[tagBool]:
		c.all = tagInt
	case seen[tagBool] && !seen[tagFloat] && !seen[tagInt]:
		c.all = tagBool
	default:
		c.all = tagNumbers
	}
	if c.known = 0; c.all < tagOther {
		c.known = rows
	}
}

func (c *column) set(i int, v Value) { c.v[i], c.tag[i] = narrow(v) }

// setInt keeps the integer result of a row; the zero of integers has no sign.
func (c *column) setInt(i int, f float64) {
	// maxExact itself may be the next integer, rounded.
	if c.v[i], c.tag[i] = f+0, tagInt; math.Abs(f) >= maxExact {
		c.tag[i] = tagOther
	}
}

func (c *column) setBool(i int, b bool) {
	c.tag[i] = tagBool
	if c.v[i] = 0; b {
		c.v[i] = 1
	}
}

// narrow returns a value as a column holds it.
func narrow(v Value) (float64, tag) {
	switch {
	case v.kind == kFloat:
		return v.f, tagFloat
	case v.kind == kBool:
		return float64(v.i), tagBool
	case v.kind == kInt && v.large() == nil && magnitude(v.i) <= maxExact:
		return float64(v.i), tagInt
	}
	return 0, tagOther
}

// widen returns the value that a column holds in a row, where its tag is not
// tagOther.
func widen(f float64, t tag) Value {
	switch t {
	case tagFloat:
		return Float(f)
	case tagBool:
		return boolean(f != 0)
	}
	return Int(int64(f))
}
