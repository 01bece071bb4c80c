package joblist

import (
	"bufio"
	"io"
	"strings"

	"fairshare/cmd/internal/pbs/qstat"
)

// WriteRecords writes the jobs of rows as they stand in the input, in the order of the rows, with
// what stands before, between and after them there. The list must have kept its records.
func (l *List) WriteRecords(to io.Writer, rows []int) error {
	w := bufio.NewWriter(to)
	between := l.Between
	if between == nil && l.Format == qstat.JSON {
		between = []byte(",\n\t\t")
	}
	if l.Format != qstat.DSV && l.Format != qstat.JSONL {
		w.Write(l.Before)
	}
	for i, row := range rows {
		if i > 0 {
			w.Write(between)
		}
		record := l.Record(row)
		w.WriteString(record)
		if l.Format != qstat.JSON && !strings.HasSuffix(record, "\n") && i+1 < len(rows) {
			w.WriteByte('\n') // the input's last line had no end
		}
	}
	if l.Format == qstat.JSON || l.Format == qstat.Text {
		w.Write(l.After)
	}
	return w.Flush()
}
