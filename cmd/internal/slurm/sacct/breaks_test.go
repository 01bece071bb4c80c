package sacct

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
)

// A line break in what people write parts a row, which is put together; one that is cut off is left out, and none else.
func TestBreaks(t *testing.T) {
	const header = "JobID|User|State|Submit|Start|End|AllocCPUS|SubmitLine|Partition\n"
	row := func(id int, line string) string {
		return fmt.Sprintf("%d|u|COMPLETED|2026-03-02T08:00:00|2026-03-02T08:10:00|2026-03-02T09:00:00|16|%s|batch\n", id, line)
	}
	for text, want := range map[string]string{
		row(1, "sbatch a") + row(2, "sbatch --wrap=a\nb\n\nc") + row(3, "x"):            "1 2 3",
		row(1, "sbatch a")[:60] + "\n" + row(2, "sbatch b") + row(3, "x"):               "2 3; 2: 6 columns, the header has 9: the row is left out",
		row(1, "sbatch a") + row(2, "sbatch b") + row(3, "x")[:50]:                      "1 2; 4: 5 columns, the header has 9: the row is left out",
		row(1, "a\nb")[:80] + "\n" + header + row(2, "sbatch b"):                        "2; 2: ",
		strings.ReplaceAll(row(1, "a\nb"), "|batch", "|batch|") + row(2, "sbatch b\nc"): "1 2",
	} {
		var got []string
		said := ""
		r := &Reader{Zone: time.UTC, Columns: []Column{JobID, Submit, Start, SubmitLine}, MostTasks: 10, Header: func(string, int, *Header) error { return nil },
			Row:     func(row *Row) error { got = append(got, string(row.text[JobID])); return nil },
			Damaged: func(_ string, line int, why string) { said += fmt.Sprintf("; %d: %s", line, why) },
		}
		if err := r.Read(file.Source{Name: "sacct", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(header + text)), nil }}); err != nil {
			t.Fatal(err)
		}
		if is := strings.Join(got, " ") + said; !strings.HasPrefix(is, want) || !strings.Contains(want, ";") && said != "" {
			t.Errorf("%q gives %q, want %q", text, is, want)
		}
	}
}
