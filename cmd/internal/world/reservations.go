package world

// Reservation is vnodes that are kept for a queue of its own during a time.
type Reservation struct {
	ID string // such as R11.pbsref
}
