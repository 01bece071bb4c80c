package sacct

import (
	"errors"
	"fmt"

	"fairshare/cmd/internal/report"
)

// putBack counts the rows of a file whose jobs ran an hour longer than their local times say: the clock was put back while they
// ran, and the times are read in a zone in which it was not.
type putBack struct {
	rows, left int // left are those that end before they start, and are left out
	first      int // the line of the first of them
}

// errPutBack says that a job ended before it started since the clock was put back in between.
var errPutBack = errors.New("the clock was put back while the job ran")

// take counts a row if it is such a one, and says whether it is left out.
func (b *putBack) take(row *Row) error {
	const clocks = 10
	if row.Start == Unknown || row.End == Unknown || row.Elapsed == Unknown || len(row.text[Start]) != len(local) || len(row.text[End]) != len(local) {
		return nil
	}
	longer := row.Elapsed + max(row.Suspended, 0) - (row.End - row.Start)
	if longer < secondsOfHour-clocks || longer > secondsOfHour+clocks {
		return nil
	}
	b.rows++
	if row.End < row.Start {
		b.left++
		return errPutBack
	}
	return nil
}

// at takes in up to which line rows have been read.
func (b *putBack) at(line int) {
	if b.first == 0 && b.rows > 0 {
		b.first = line
	}
}

// text says how many there are, what becomes of them, and how they are read as they were meant.
func (b *putBack) text() string {
	return fmt.Sprintf("jobs of %s ran an hour longer, as Elapsed says, than from their start to their end: the site put its clock back meanwhile, and the times are read in another zone. --tz says which is the site's; without it, an hour of each is not counted, and nothing of those left out since they end before they start: %d",
		report.Count(b.rows, "row"), b.left)
}
