package usagefile

// LostRecords returns the records of a backup that a database has lost: it is
// empty, or ends where the backup goes on, with usage that so many decays do not
// explain. Whoever writes such a database would replace the only good copy.
// decayFactor is fairshare_decay_factor; an entity whose usage decays to 1 has
// no record any more.
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
