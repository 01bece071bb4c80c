package report

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
)

// Marshal returns a value as JSON on one line, without escapes for HTML.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// WriteLine writes a value as JSON on a line.
func WriteLine(w io.Writer, v any) error {
	text, err := Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// WriteArray writes an array in JSON, an element a line.
func WriteArray[E any](w io.Writer, elements iter.Seq[E]) error {
	opening := "[\n"
	for element := range elements {
		text, err := Marshal(element)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, opening+string(text)); err != nil {
			return err
		}
		opening = ",\n"
	}
	if opening == "[\n" {
		opening = "["
	} else {
		opening = ""
	}
	_, err := io.WriteString(w, opening+"\n]\n")
	return err
}
