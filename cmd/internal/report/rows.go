package report

import (
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// WriteRows writes lines as CSV. Its columns are the fields of a line that JSON has too, under
// the same names and in the same order.
func WriteRows[L any](w io.Writer, lines iter.Seq[L]) error {
	var none L
	out := NewCSV(w)
	out.Write(Keys(none)...)
	for line := range lines {
		out.Write(Cells(line)...)
	}
	return out.Flush()
}

// WriteFields writes lines as CSV. Its columns are those of the fields that JSON has under some names, in the order
// of these.
func WriteFields[L any](w io.Writer, names []string, lines iter.Seq[L]) error {
	out := NewCSV(w)
	out.Write(names...)
	for line := range lines {
		keys, all := Keys(line), Cells(line)
		cells := make([]string, len(names))
		for i, name := range names {
			cells[i] = all[slices.Index(keys, name)]
		}
		out.Write(cells...)
	}
	return out.Flush()
}

// Keys returns the names that the fields of a line have in JSON.
func Keys(line any) []string {
	var keys []string
	for _, f := range fieldsOf(reflect.TypeOf(line)) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		keys = append(keys, name)
	}
	return keys
}

// Cells returns the fields of a line as CSV has them: "" where JSON has null or where a Number is
// NaN, which stands for one that is not known. A value with a method Cell says itself what CSV has.
func Cells(line any) []string {
	whole := reflect.ValueOf(line)
	fields := fieldsOf(whole.Type())
	cells := make([]string, len(fields))
	for i := range fields {
		v := whole.FieldByIndex(fields[i].Index)
		switch x := v.Interface().(type) {
		case interface{ Cell() string }:
			cells[i] = x.Cell()
		case Number:
			if !x.IsNaN() {
				cells[i] = cell(v)
			}
		default:
			cells[i] = cell(v)
		}
	}
	return cells
}

// known are the fields of types of lines, of which a table has many: map[reflect.Type][]reflect.StructField.
var known sync.Map

// fieldsOf returns the fields of a struct that JSON has, those of embedded structs among them. Each has the Index by which
// the struct itself has it.
func fieldsOf(t reflect.Type) []reflect.StructField {
	if fields, isKnown := known.Load(t); isKnown {
		return fields.([]reflect.StructField)
	}
	var fields []reflect.StructField
	for i := range t.NumField() {
		switch field := t.Field(i); {
		case field.Anonymous:
			for _, inner := range fieldsOf(field.Type) {
				inner.Index = append([]int{i}, inner.Index...)
				fields = append(fields, inner)
			}
		case field.Tag.Get("json") != "" && field.Tag.Get("json") != "-":
			fields = append(fields, field)
		}
	}
	known.Store(t, fields)
	return fields
}

// cell returns a text, a number or a truth value as CSV has it.
func cell(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface:
		if v.IsNil() {
			return ""
		}
		return cell(v.Elem())
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanFloat():
		return Shortest(v.Float())
	}
	return fmt.Sprint(v)
}
