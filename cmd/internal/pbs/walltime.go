package pbs

import (
	"errors"
	"fmt"
	"slices"

	"fairshare/cmd/internal/report"
	"fairshare/formula"
)

// walltime sets what jobs would ask for.
func (e *editor) walltime(text string) error {
	f, err := formula.Parse(text)
	if err != nil {
		return fmt.Errorf("%q is no formula: %w", text, err)
	}
	known := []string{"asked", "used"}
	functions, _, _ := formula.Functions()
	for _, name := range f.Names() {
		if !slices.Contains(known, name) && !slices.Contains(functions, name) {
			return errors.New(report.NoSuch("name for a walltime", name, known))
		}
	}
	e.site.Walltime = f
	return nil
}
