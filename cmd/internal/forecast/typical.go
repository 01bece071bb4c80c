package forecast

import (
	"errors"
	"fmt"
	"slices"

	"fairshare/cmd/internal/file"
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
	var list []Typical
	seen := map[string]bool{}
	err := file.EachRow(text, []string{"name", "queue", "user", "resources"}, func(row []string) (err error) {
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
		seen[of.Name] = true
		list = append(list, of)
		return err
	})
	if err == nil && len(list) == 0 {
		err = errors.New("it has no job")
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}
