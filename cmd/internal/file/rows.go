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
	wanted := strings.Join(columns, ",") + ", with commas between the columns"
	header, err := rows.Read()
	if errors.Is(err, io.EOF) || errors.Is(err, csv.ErrFieldCount) || err == nil && !slices.Equal(header, columns) {
		err = fmt.Errorf("its first line is not %s", wanted)
	}
	if err != nil {
		return err
	}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, csv.ErrFieldCount) {
			return err
		}
		line, _ := rows.FieldPos(0)
		if err != nil {
			return fmt.Errorf("line %d has not as many columns as %s", line, wanted)
		}
		if err := f(row); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}
