package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/report"
)

// writePage writes the forecast of some jobs as a page, which tells nothing of other jobs.
func (c *whenCmd) writePage(s *session, f *forecast.Forecast, zone *time.Location, deadline float64) error {
	jobs := f.Jobs
	now := float64(f.At)
	p := page.Forecast{
		Title: "When will it start?", Now: now,
		Facts: []page.Figure{
			{Label: "State of", Value: time.Unix(f.At, 0).In(zone).Format(moment.Layout) + " " + moment.ZoneName(zone, f.At)},
			{Label: "Drawn", Value: fmt.Sprintf("%s, with seed %d", report.Count(f.Runs, "run"), c.Seed)},
		},
		Header: []string{"Place", "Job", "User", capital(f.Words.Queue), "Starts about", "8 of 10 from", "to", "Today", "Waits for"},
	}
	if len(c.User) > 0 {
		p.Facts = append(p.Facts, page.Figure{Label: "Jobs of", Value: strings.Join(c.User, ", ")})
	}
	p.Notes = append(p.Notes, s.notes()...)
	if c.Where {
		p.Header = slices.Insert(p.Header, 8, capital(f.Words.Node)+"s")
	}
	isTold := hasTold(jobs)
	if isTold {
		p.Header = slices.Insert(p.Header, 8, "Slurm says")
	}
	if deadline > 0 {
		p.Header = slices.Insert(p.Header, 8, "By then")
	}
	clock := c.clock(zone)
	today := endOfDay(f.At, zone)
	last := now
	for _, j := range jobs {
		of := page.ForecastJob{Low: j.Low, Median: j.Median, High: j.High}
		if j.Held != "" {
			of.Median = math.NaN()
			of.Cells = []string{"", j.ID, j.User, j.Queue, "", "", "", "", j.Reason}
			if c.Where {
				of.Cells = slices.Insert(of.Cells, 8, "")
			}
			if isTold {
				of.Cells = slices.Insert(of.Cells, 8, "")
			}
			if deadline > 0 {
				of.Cells = slices.Insert(of.Cells, 8, "")
			}
		} else {
			of.Text = fmt.Sprintf("%s starts about %s, in 8 of 10 cases from %s to %s", j.ID, clock(j.Median), clock(j.Low), clock(j.High))
			of.Cells = []string{placeOrEmpty(j.Place), j.ID, j.User, j.Queue, clock(j.Median), clock(j.Low), clock(j.High), likely(j.Within(today)), j.Reason}
			if c.Where {
				of.Cells = slices.Insert(of.Cells, 8, likelyNodes(j))
			}
			if isTold {
				of.Cells = slices.Insert(of.Cells, 8, clockOrNone(clock, j.Told))
			}
			if deadline > 0 {
				of.Cells = slices.Insert(of.Cells, 8, likely(j.Within(deadline)))
			}
			if !math.IsInf(j.High, 1) {
				last = max(last, j.High)
			}
		}
		p.Jobs = append(p.Jobs, of)
	}
	const most = 7 // midnights that are marked
	for n, at := 0, today; at < last && n < most; n++ {
		p.Marks = append(p.Marks, page.Mark{At: at, Name: time.Unix(int64(at), 0).In(zone).Format("midnight to Mon 02 Jan")})
		at = endOfDay(int64(at), zone)
	}
	if deadline > 0 {
		p.Marks = append(p.Marks, page.Mark{At: deadline, Name: "the deadline at " + clock(deadline)})
		slices.SortFunc(p.Marks, func(a, b page.Mark) int { return cmp.Compare(a.At, b.At) })
	}
	if len(p.Marks) == 0 {
		p.Marks = []page.Mark{{At: now, Name: "now"}}
	}
	text, err := page.RenderForecast(p)
	if err != nil {
		return err
	}
	if err := file.Replace(c.HTML, text); err != nil {
		return fail(exitUnreadable, "cannot write the page: %w", err)
	}
	return nil
}

// likely prints the part of the runs in which something happens.
func likely(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }

// capital begins a word with a capital.
func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
