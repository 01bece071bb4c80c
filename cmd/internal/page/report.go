package page

import (
	"bytes"
	_ "embed"
	"html/template"

	"fairshare/cmd/internal/report"
)

// Report is a page to print and to file: tables with a chart above them. It has no script.
type Report struct {
	Summary  string // what it comes to, in a sentence
	Title    string
	Facts    []Figure // of which site and time, from what and when it was made
	Lacks    []string // what is missing, which is said first
	Names    int      // the first columns of each table, which have names
	Sections []Section
	Notes    []string // that stand at the end
}

// Section is a table and what it includes.
type Section struct {
	Title, About string
	Header       []string
	Rows         []Row
	More         int    // rows that are shown when they are asked for
	Chart        *Chart // nil for none
	IsOfFew      bool   // whether the rows are few, so that on a narrow screen each is a block, in place of a table that scrolls
}

// Row is a line of a table.
type Row struct {
	Cells   []string
	IsMore  bool // whether it is shown only when it is asked for
	IsTotal bool
}

//go:embed report.html
var reportText string

var reportTemplate = templateOf("report", reportText)

// RenderReport makes the page of a report.
func RenderReport(r Report) ([]byte, error) {
	const narrow = 6 // columns of a table that has room beside its picture
	type section struct {
		Section
		ID       int
		Drawn    []*drawing
		IsNarrow bool
		MoreRows string
	}
	sections := make([]section, len(r.Sections))
	for i, s := range r.Sections {
		drawn := s.Chart.draw()
		sections[i] = section{s, i, drawn, drawn != nil && len(s.Header) <= narrow, report.Count(s.More, "more row")}
	}
	var b bytes.Buffer
	err := reportTemplate().Execute(&b, map[string]any{
		"Title": r.Title, "Summary": r.Summary, "Facts": r.Facts, "Lacks": r.Lacks, "Names": r.Names, "Sections": sections, "Notes": r.Notes, "Blocks": template.CSS(blocksText), "CSS": template.CSS(cssText),
	})
	return b.Bytes(), err
}
