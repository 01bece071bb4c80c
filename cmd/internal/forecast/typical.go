package forecast

import (
	"errors"
	"fmt"
	"slices"

	"fairshare/cmd/internal/file"
)

// Typical is a job by which a site tells how long its queues are.
type Typical struct {
	Name, Queue string
	Offer       Offer
}

// maxTypical bounds how many there are, since each is forecast for itself.
const maxTypical = 100

// ParseTypical reads the typical jobs of a site: a table in CSV with the columns name, queue, user and
// resources, which are given as Subject.New takes them.
func ParseTypical(text string, of Subject) ([]Typical, error) {
	var list []Typical
	seen := map[string]bool{}
	err := file.EachRow(text, []string{"name", "queue", "user", "resources"}, func(row []string) (err error) {
		x := Typical{Name: row[0], Queue: row[1]}
		x.Offer, err = of.New(row[2], row[1], row[3])
		switch {
		case err != nil:
		case slices.Contains(row, ""):
			err = errors.New("a job needs a name, a queue, a user and resources")
		case seen[x.Name]:
			err = fmt.Errorf("there are two jobs of the name %q", x.Name)
		case len(list) == maxTypical:
			err = fmt.Errorf("there are more than %d jobs", maxTypical)
		}
		seen[x.Name] = true
		list = append(list, x)
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
