package file

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// EachRow calls f for each row of a table in CSV whose first line names its columns. A line that begins
// with # is a comment. What f says of a row gets the number of its line.
func EachRow(text string, columns []string, f func(row []string) error) error {
	rows := csv.NewReader(strings.NewReader(text))
	rows.TrimLeadingSpace, rows.Comment, rows.FieldsPerRecord = true, '#', len(columns)
	header, err := rows.Read()
	if errors.Is(err, io.EOF) || err == nil && !slices.Equal(header, columns) {
		err = fmt.Errorf("its first line is not %s", strings.Join(columns, ","))
	}
	if err != nil {
		return err
	}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		line, _ := rows.FieldPos(0)
		if err := f(row); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}
