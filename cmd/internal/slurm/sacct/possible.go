package sacct

import "errors"

// possible returns why the times of a row cannot be those of a job, nil where they can. Slurm's own clocks are some seconds apart
// at times, and an hour of autumn comes twice: an end some seconds before the start becomes the start.
// printed is the end that the row has, also where the job runs.
func (row *Row) possible(printed int64) error {
	const slack, clocks, longest = 2 * secondsOfHour, 10, 2 * 365 * secondsOfDay
	switch {
	case row.Start == Unknown:
		return nil
	case row.Submit != Unknown && row.Submit > row.Start+slack:
		return errors.New("the job started before it was submitted, as its times say")
	case row.Suspended > longest:
		return errors.New("the job was suspended for years, as Suspended says")
	case row.End == Unknown && printed != Unknown && printed < row.Start-clocks:
		return errors.New("the job runs and ended before it started, as its times say")
	case row.End == Unknown:
		return nil
	case row.End < row.Start && row.End >= row.Start-clocks:
		row.End = row.Start
		return nil
	case row.End < row.Start:
		return errors.New("the job ended before it started, as its times say")
	case row.Suspended > row.End-row.Start+slack:
		return errors.New("the job was suspended for longer than it ran, as Suspended says")
	case row.End-row.Start > longest && row.Elapsed == Unknown:
		return errors.New("the job ran for years, as its times say")
	case row.Elapsed == Unknown:
		return nil
	}
	paused := row.End - row.Start - row.Elapsed // sacct takes the time in which it was suspended away
	if paused < -slack || row.Suspended != Unknown && max(paused-row.Suspended, row.Suspended-paused) > slack {
		return errors.New("the job did not run from its start to its end, as Elapsed says")
	}
	return nil
}
