package usagefile

import "slices"

// LostRecords returns the records that a backup has and the database lacks, if
// the database looks cut off: its records, but for empty ones at its end, are
// the first of the backup's, and a missing one has usage that one decay by
// decayFactor would not bring down to 1, where a record ends. It returns nil
// otherwise. Writing such a database would replace the only good copy.
//
// isNamed reports whether resource_group names an entity. If the database has
// only such entities, all others may have been dropped on purpose (pbsfs -e).
func LostRecords(db, backup *Database, decayFactor float64, isNamed func(name string) bool) []Record {
	have, want := db.Records, backup.Records
	for len(have) > 0 && have[len(have)-1] == (Record{}) {
		have = have[:len(have)-1]
	}
	if len(have) >= len(want) {
		return nil // nearly always, and without a look at any name
	}
	isOther := func(r Record) bool { return !isNamed(r.Name) }
	if !slices.ContainsFunc(have, isOther) {
		want = slices.DeleteFunc(slices.Clone(want), isOther)
	}
	if len(have) >= len(want) {
		return nil
	}
	for i, r := range have {
		if r.Name != want[i].Name {
			return nil
		}
	}
	lost := want[len(have):]
	if !slices.ContainsFunc(lost, func(r Record) bool { return r.Usage*decayFactor > 1 }) {
		return nil
	}
	return lost
}
