package obfuscate

import (
	"maps"
	"slices"

	"fairshare/cmd/internal/file"
)

// checkMoved returns an error if something of a copy that is moved tells by how much.
func (o *obfuscator) checkMoved() error {
	taken := o.takenAt()
	for _, name := range slices.Sorted(maps.Keys(o.files)) {
		if err := o.shift.Check(name, string(o.files[name]), taken, nil); err != nil {
			return err
		}
	}
	for _, logs := range [][]file.Source{o.logs, o.serverLog} {
		for _, log := range logs {
			err := file.EachLine(log, func(_ int, line []byte) error { return o.shift.Check(log.Name, string(line), taken, nil) }, func(int, string) {})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
