package slurm

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Number is a number in Slurm's JSON, where newer versions write it as
// {"set": true, "infinite": false, "number": N}.
type Number struct {
	Value float64
	IsSet bool // whether it is there and finite
}

// UnmarshalJSON implements json.Unmarshaler. Null is not set; what else is no number is a *json.UnmarshalTypeError.
func (n *Number) UnmarshalJSON(text []byte) error {
	*n = Number{}
	var wrapped struct {
		Set, Infinite bool
		Number        float64
	}
	switch {
	case string(text) == "null":
	case text[0] == '{':
		if json.Unmarshal(text, &wrapped) != nil {
			return &json.UnmarshalTypeError{Value: string(text), Type: reflect.TypeFor[float64]()}
		}
		if wrapped.Set {
			*n = Number{wrapped.Number, !wrapped.Infinite}
		}
	default:
		x, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
		if err != nil && string(text) != `""` {
			return &json.UnmarshalTypeError{Value: string(text), Type: reflect.TypeFor[float64]()}
		}
		*n = Number{x, err == nil && !math.IsInf(x, 0)}
	}
	return nil
}

// Int returns the number as a whole one, the nearest that an int64 holds.
func (n Number) Int() int64 {
	const most = math.MaxInt64 / 2
	return int64(max(-most, min(n.Value, most)))
}

// Text returns the number as a table has it, "" where it is not set.
func (n Number) Text() string {
	if !n.IsSet {
		return ""
	}
	return strconv.FormatInt(n.Int(), 10)
}

// Words are words in Slurm's JSON, where older versions write one by itself.
type Words []string

// UnmarshalJSON implements json.Unmarshaler. What is no word is none.
func (w *Words) UnmarshalJSON(text []byte) error {
	*w = nil
	var one string
	if json.Unmarshal(text, &one) == nil {
		*w = Words{one}
		return nil
	}
	var list []string
	if json.Unmarshal(text, &list) == nil {
		*w = list
	}
	return nil
}

// Word is a word in Slurm's JSON, of a list the first.
type Word string

// UnmarshalJSON implements json.Unmarshaler. What is no word is "".
func (w *Word) UnmarshalJSON(text []byte) error {
	*w = ""
	var list Words
	if err := list.UnmarshalJSON(text); err == nil && len(list) > 0 {
		*w = Word(list[0])
	}
	return nil
}
