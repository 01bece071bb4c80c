package accrual

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/report"
	"fairshare/usagefile"
)

// Line is an entity's usage as it was computed, beside what a database has of it.
type Line struct {
	Entity   string         `json:"entity"`
	Recorded *report.Number `json:"recorded"` // null where there is no database to compare with
	Rebuilt  report.Number  `json:"rebuilt"`
	Low      report.Number  `json:"low"`
	High     report.Number  `json:"high"`
}

// Difference returns by how much the usage differs from the recorded one, and which part of that
// it is; NaN where there is none.
func (l Line) Difference() (by, part float64) {
	if l.Recorded == nil {
		return math.NaN(), math.NaN()
	}
	recorded := float64(*l.Recorded)
	if recorded == 0 {
		return float64(l.Rebuilt), math.NaN()
	}
	return float64(l.Rebuilt) - recorded, float64(l.Rebuilt)/recorded - 1
}

// Beside returns the usage of all entities beside a recorded one, the largest first. Those
// that only the record has are among them. Where logs are broken nobody knows the limits.
func (d *Database) Beside(recorded iter.Seq2[string, float64], isBroken bool) []Line {
	all := map[string]float64{}
	for name, usage := range recorded {
		all[name] = usage
	}
	orNull := func(name string) *report.Number {
		if usage, ok := all[name]; ok {
			delete(all, name)
			return report.Optional(usage)
		}
		return nil
	}
	var lines []Line
	for _, e := range d.Entities {
		lines = append(lines, Line{e.Name, orNull(e.Name), report.Number(e.Usage), report.Number(e.Low), report.Number(e.High)})
	}
	for name, usage := range all {
		lines = append(lines, Line{name, report.Optional(usage), 1, 1, 1})
	}
	slices.SortFunc(lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(b.Rebuilt, a.Rebuilt), cmp.Compare(a.Entity, b.Entity))
	})
	for i := range lines {
		if isBroken {
			lines[i].Low, lines[i].High = report.Number(math.NaN()), report.Number(math.NaN())
		}
	}
	return lines
}

// Total returns the sum of lines, with a recorded one where all of them have one.
func Total(lines []Line) Line {
	total := Line{Entity: "all"}
	recorded, isCompared := 0., true
	for _, l := range lines {
		total.Rebuilt, total.Low, total.High = total.Rebuilt+l.Rebuilt, total.Low+l.Low, total.High+l.High
		if isCompared = isCompared && l.Recorded != nil; isCompared {
			recorded += float64(*l.Recorded)
		}
	}
	if isCompared {
		total.Recorded = report.Optional(recorded)
	}
	return total
}

// Save writes the usage file, in place of one that is there if that is forced: as the
// scheduler's own, with its backup and lock, where it is called so. waits is told when
// another program has the lock.
func (d *Database) Save(name string, force bool, waits func()) ([]diag.Remark, error) {
	if _, err := os.Lstat(name); err == nil && !force {
		return nil, diag.Requestf("%s is there already: --force replaces it", name)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, saving(err)
	}
	write := func(w io.Writer) error { return usagefile.Write(w, d.LastDecay, d.Records()) }
	dir := filepath.Dir(name)
	const wait = 10 * time.Second
	unlock, err := pbs.LockUsage(dir, wait, waits)
	if err != nil {
		return nil, saving(err)
	}
	defer unlock()
	var remarks []diag.Remark
	if filepath.Base(name) == usagefile.Name {
		if target := usagefile.LinkTarget(dir); target != "" {
			remarks = append(remarks, diag.Warningf("%s was a symbolic link to %s, and is a file of its own now", name, target))
		}
		err = usagefile.Replace(dir, write)
		if errors.Is(err, usagefile.ErrNoBackup) {
			err = nil // there was none
		}
	} else {
		var text bytes.Buffer
		if err = write(&text); err == nil {
			err = file.Replace(name, text.Bytes())
		}
	}
	var unfinished *usagefile.UnfinishedError
	if errors.As(err, &unfinished) {
		return append(remarks, diag.Warningf("%v", err)), nil
	}
	if err != nil {
		return remarks, saving(err)
	}
	return remarks, nil
}

// saving says what an error has kept from being done.
func saving(err error) error { return fmt.Errorf("cannot write the usage: %w", err) }
