package slurm

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"fairshare/cmd/internal/file"
)

// Object is an object of Slurm's JSON, of whatever version of its data_parser: a field is found by its path, such as
// limits/max/tres/per/user.
type Object map[string]any

// At returns a field, nil where there is none.
func (o Object) At(path string) any {
	var at any = map[string]any(o)
	for name := range strings.SplitSeq(path, "/") {
		of, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = of[name]
	}
	return at
}

// Has reports whether a field is there.
func (o Object) Has(path string) bool {
	of, name := o, path
	if at := strings.LastIndexByte(path, '/'); at >= 0 {
		of, name = nil, path[at+1:]
		if inner, ok := o.At(path[:at]).(map[string]any); ok {
			of = inner
		}
	}
	_, has := of[name]
	return has
}

// notSet and infinite are how older versions write that a number is not set, or without a bound.
const (
	infinite = math.MaxUint32
	notSet   = math.MaxUint32 - 1
)

// complexInfinite is how the complex mode of data_parser writes that a number is without a bound.
const complexInfinite = "Infinity"

// Number returns a field as a number, and whether it is there, or has no bound.
func (o Object) Number(path string) (x float64, isSet, isInfinite bool) {
	switch at := o.At(path).(type) {
	case float64:
		return at, at < notSet, at == infinite || at >= math.MaxInt64
	case string: // as some of 22.05, and in the complex mode of data_parser, which writes null for what is not set
		x, err := strconv.ParseFloat(at, 64)
		return x, err == nil && at != complexInfinite, at == complexInfinite
	case bool:
		if at {
			return 1, true, false
		}
		return 0, true, false
	case map[string]any:
		isSet, _ := at["set"].(bool)
		isInfinite, _ := at["infinite"].(bool)
		x, _ := at["number"].(float64)
		return x, isSet && !isInfinite, isInfinite
	}
	return 0, false, false
}

// IsScalar reports whether a field is missing or of a type that Slurm has for a number: that, null for one that is not set, a
// text, or an object that says whether it is set.
func (o Object) IsScalar(path string) bool {
	switch at := o.At(path).(type) {
	case nil, float64, string:
		return true
	case map[string]any:
		_, isSet := at["set"].(bool)
		_, isNumber := at["number"].(float64)
		return isSet && isNumber
	}
	return false
}

// Raw returns a field as it stands in JSON.
func (o Object) Raw(path string) string {
	text, _ := json.Marshal(o.At(path))
	return string(text)
}

// Text returns a field as Slurm prints it in a table: numbers and words, the words of a list with commas between them,
// and "" for one that is not set.
func (o Object) Text(path string) string {
	switch at := o.At(path).(type) {
	case string:
		return at
	case []any:
		var words []string
		for _, x := range at {
			switch x := x.(type) {
			case string:
				words = append(words, x)
			case map[string]any: // an amount of a resource
				words = append(words, amountText(Object(x)))
			}
		}
		return strings.Join(words, ",")
	case bool:
		if at {
			return "1"
		}
		return "0"
	}
	x, isSet, isInfinite := o.Number(path)
	switch {
	case isInfinite:
		return "UNLIMITED"
	case isSet:
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return ""
}

// amountText returns an amount of a resource as tables have it.
func amountText(o Object) string {
	name := o.Text("type")
	if of := o.Text("name"); of != "" {
		name += "/" + of
	}
	return name + "=" + o.Text("count")
}

// Minutes returns a span that is counted in minutes as Slurm prints it, "" for one that is not set.
func (o Object) Minutes(path string) string {
	x, isSet, isInfinite := o.Number(path)
	switch {
	case isInfinite:
		return "UNLIMITED"
	case !isSet || x < 0 || x > notSet:
		return ""
	}
	n := int64(x)
	return fmt.Sprintf("%d-%02d:%02d:00", n/1440, n/60%24, n%60)
}

// parseObject returns what Slurm prints as JSON.
func parseObject(text string) (whole Object, err error) {
	if err := json.Unmarshal([]byte(file.WithoutInfinity(text)), &whole); err != nil {
		return nil, fmt.Errorf("its JSON cannot be read: %w", err)
	}
	return whole, nil
}

// ParseObjects returns the objects of a list that Slurm prints as JSON under a name.
func ParseObjects(text, name string) ([]Object, error) {
	whole, err := parseObject(text)
	if err != nil {
		return nil, err
	}
	list, ok := whole[name].([]any)
	if !ok { // as in 22.05, where QOS is the name of a list
		if list, ok = whole[strings.ToUpper(name)].([]any); !ok {
			return nil, fmt.Errorf("its JSON has no list of %s", name)
		}
	}
	objects := make([]Object, 0, len(list))
	for i, x := range list {
		of, ok := x.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("number %d of its list of %s is no object", i+1, name)
		}
		objects = append(objects, of)
	}
	return objects, nil
}
