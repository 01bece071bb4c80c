package site

import (
	"fmt"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/report"
)

// OnlyTables reports whether a place has tables of qstat without -f in place of a list of jobs.
func (p *Place) OnlyTables() bool { return len(p.Jobs) == 0 && len(p.Tables) > 0 }

// onlyTables returns what is wrong with such a place for whoever needs a list of jobs, nil for another one.
func (p *Place) onlyTables() error {
	if !p.OnlyTables() {
		return nil
	}
	return fmt.Errorf("%s: %w", p.TablesNamed(), qstat.ErrTable)
}

// TablesNamed returns the names of the tables of a place.
func (p *Place) TablesNamed() string {
	var names []string
	for _, from := range p.Tables {
		names = append(names, from.Name)
	}
	return report.Listed(slices.Compact(names))
}

// Table returns what the tables of a place tell together, job by job.
func (p *Place) Table() (t qstat.Table, remarks []diag.Remark, err error) {
	var texts [][]byte
	for _, from := range p.Tables {
		text, err := from.Text(file.MostPrinted)
		if err != nil {
			return t, nil, err
		}
		texts = append(texts, []byte(text))
	}
	t = qstat.ReadTable(texts...)
	if t.Lines > 0 {
		remarks = append(remarks, diag.Damagef("%s: %s cannot be read as rows of the table, and are left out", p.TablesNamed(), report.Count(t.Lines, "line")))
	}
	if len(t.Differ) > 0 {
		remarks = append(remarks, diag.Warningf("what is told of a job differs, as of different moments: %s; of two states the later one counts, and else what is told first", report.First(t.Differ)))
	}
	if servers := t.Servers(); servers != nil {
		remarks = append(remarks, diag.Warningf("%s: jobs of several servers (%s); beside a job those of its own server alone count", p.TablesNamed(), report.Listed(servers)))
	}
	return t, remarks, nil
}
