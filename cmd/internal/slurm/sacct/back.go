package sacct

import (
	"fmt"

	"fairshare/cmd/internal/report"
)

// putBack counts the rows of a file whose jobs ran an hour longer than their local times say: the clock was put back while they
// ran, and the times are read in a zone in which it was not.
type putBack struct {
	rows  int
	first int // the line of the first of them
}

// take counts a row if it is such a one, which ends when its start and how long it ran say.
func (b *putBack) take(row *Row) {
	const clocks = 10
	if row.Start == Unknown || row.End == Unknown || row.Elapsed == Unknown || len(row.text[Start]) != len(local) || len(row.text[End]) != len(local) {
		return
	}
	ran := row.Elapsed + max(row.Suspended, 0)
	if longer := ran - (row.End - row.Start); longer >= secondsOfHour-clocks && longer <= secondsOfHour+clocks {
		b.rows++
		row.End = row.Start + ran
	}
}

// at takes in up to which line rows have been read.
func (b *putBack) at(line int) {
	if b.first == 0 && b.rows > 0 {
		b.first = line
	}
}

// text says how many there are, what they are taken for, and how they are read as they were meant.
func (b *putBack) text() string {
	return fmt.Sprintf("jobs of %s ran an hour longer, as Elapsed says, than from their start to their end: the site put its clock back meanwhile, and the times are read in another zone. --tz says which is the site's; without it, these jobs end as Elapsed says, and all times from then on are an hour too early",
		report.Count(b.rows, "row"))
}
