package cli

import (
	"bytes"
	"encoding/csv"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
)

// withoutNames are the columns of an order that have no names in them.
var withoutNames = []string{"rank", "value", "state", "considered"}

// checkCopy says whether the copy without names that was written has the order of its site.
func (c *collectCmd) checkCopy(s *session, names site.Names) {
	names.WantsJobs = true
	of, err := orderOf(s, names)
	if err != nil {
		return // of a site without an order there is nothing to compare
	}
	copied, err := orderOf(s, site.Names{Argument: c.Output, WantsJobs: true, Only: names.Only})
	if err != nil {
		s.say(diag.Warningf("%s has no order, and its site has one: %v", c.Output, err))
		return
	}
	differ := 0
	for i := range min(len(of), len(copied)) {
		if !slices.Equal(of[i], copied[i]) {
			differ++
		}
	}
	if differ += max(len(of), len(copied)) - min(len(of), len(copied)); differ > 0 {
		s.say(diag.Warningf("%s has another order than its site: %s have another place, value or state", c.Output, report.Count(differ, "row")))
		return
	}
	s.say(diag.Notef("%s has the order of its site, with the same values and states of %s", c.Output, report.Count(len(of), "row")))
}

// orderOf returns the order of a site, of each row what has no names, and says nothing of it.
func orderOf(s *session, names site.Names) ([][]string, error) {
	console := *s.console()
	console.Say, console.Fault = func(...diag.Remark) {}, func(error) {}
	at, err := site.Open(s.ctx, names, &console, schedulers())
	if err != nil {
		return nil, err
	}
	orderer, ok := at.Able.(site.Orderer)
	if !ok {
		return nil, at.Cannot("sort")
	}
	order, err := orderer.Order(s.ctx, site.Ordering{All: true})
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := order.Jobs.WriteCSV(&text); err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		return nil, err
	}
	for i, row := range slices.Backward(rows) {
		kept := make([]string, 0, len(withoutNames))
		for at, cell := range row {
			if slices.Contains(withoutNames, rows[0][at]) {
				kept = append(kept, cell)
			}
		}
		rows[i] = kept
	}
	return rows[1:], nil
}
