package forecast

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Typical is a job by which a site tells how long its queues are.
type Typical struct {
	Name string
	Ask  Ask
}

// maxTypical bounds how many there are, since each is forecast for itself.
const maxTypical = 100

// ParseTypical reads the typical jobs of a site: a table in CSV with the columns name, queue, user and
// resources, which are given as with qsub -l.
func ParseTypical(text string) ([]Typical, error) {
	rows := csv.NewReader(strings.NewReader(text))
	rows.TrimLeadingSpace, rows.Comment = true, '#'
	columns := []string{"name", "queue", "user", "resources"}
	rows.FieldsPerRecord = len(columns)
	header, err := rows.Read()
	if errors.Is(err, io.EOF) || err == nil && !slices.Equal(header, columns) {
		err = fmt.Errorf("its first line is not %s", strings.Join(columns, ","))
	}
	if err != nil {
		return nil, err
	}
	var list []Typical
	seen := map[string]bool{}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		line, _ := rows.FieldPos(0)
		of := Typical{row[0], Ask{Queue: row[1], User: row[2]}}
		of.Ask.Resources, err = ParseResources(row[3])
		switch {
		case err != nil:
		case slices.Contains(row, ""):
			err = errors.New("a job needs a name, a queue, a user and resources")
		case seen[of.Name]:
			err = fmt.Errorf("there are two jobs of the name %q", of.Name)
		case len(list) == maxTypical:
			err = fmt.Errorf("there are more than %d jobs", maxTypical)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		seen[of.Name] = true
		list = append(list, of)
	}
	if len(list) == 0 {
		return nil, errors.New("it has no job")
	}
	return list, nil
}
