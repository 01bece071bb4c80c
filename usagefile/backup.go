package usagefile

// LostRecords returns the records that a backup has and the database lacks, if
// the database looks cut off: its records are the first of the backup's, and a
// missing one has usage that one decay by decayFactor would not bring down to 1,
// where a record ends. It returns nil otherwise. Writing such a database would
// replace the only good copy.
func LostRecords(db, backup *Database, decayFactor float64) []Record {
	if len(db.Records) >= len(backup.Records) {
		return nil
	}
	for i, r := range db.Records {
		if r.Name != backup.Records[i].Name {
			return nil
		}
	}
	rest := backup.Records[len(db.Records):]
	for _, r := range rest {
		if r.Usage*decayFactor > 1 {
			return rest
		}
	}
	return nil
}
