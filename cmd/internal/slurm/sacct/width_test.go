package sacct

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
)

// A table without -P says the same as one with it, but for what its widths cut off.
func TestWidths(t *testing.T) {
	narrow := ""
	for i, cells := range [][]any{
		{"JobID", "JobName", "User", "Account", "AllocCPUS", "Submit", "Start", "End", "State", "Elapsed"},
		{"11", "my job", "dan", "long_acco+", "4", "2026-03-02T09:00:00", "2026-03-02T09:10:00", "2026-03-02T10:10:00", "COMPLETED", "01:00:00"},
		{"11.batch", "batch", "", "", "4", "2026-03-02T09:10:00", "2026-03-02T09:10:00", "2026-03-02T10:10:00", "COMPLETED", "01:00:00"},
		{"12", "sim", "eva", "chem", "8", "2026-03-02T09:00:00", "2026-03-02T09:10:00", "2026-03-02T09:40:00", "CANCELLED+", "00:30:00"},
		{"14", "sim", "eva", "chem", "8", "2026-03-02T09:00:00", "2026-03-02T09:10:0+", "2026-03-02T09:40:00", "COMPLETED", "00:30:00"},
		{"13", "sim", "eva", "chem", "8", "2026-03-02T09:00:00", "2026-03-02T09:10:00", "2026-03-02T09:40:00", "OUT_OF_ME+", "00:30:00"},
		{"12345678901+", "sim", "eva", "chem", "8", "2026-03-02T09:00:00", "2026-03-02T09:10:00", "2026-03-02T09:40:00", "COMPLETED", "00:30:00"},
	} {
		const columns = "%-12s %10s %9s %10s %9s %19s %19s %19s %10s %10s \n"
		if narrow += fmt.Sprintf(columns, cells...); i == 0 {
			narrow += fmt.Sprintf(columns, dashes(12), dashes(10), dashes(9), dashes(10), dashes(9), dashes(19), dashes(19), dashes(19), dashes(10), dashes(10))
		}
	}
	const piped = `JobID|JobName|User|Account|AllocCPUS|Submit|Start|End|State|Elapsed
11|my job|dan|long_acco+|4|2026-03-02T09:00:00|2026-03-02T09:10:00|2026-03-02T10:10:00|COMPLETED|01:00:00
12|sim|eva|chem|8|2026-03-02T09:00:00|2026-03-02T09:10:00|2026-03-02T09:40:00|CANCELLED by 7|00:30:00
13|sim|eva|chem|8|2026-03-02T09:00:00|2026-03-02T09:10:00|2026-03-02T09:40:00|OUT_OF_MEMORY|00:30:00
`
	read := func(text string) *trace.Trace {
		if !IsTable([]byte(text)) {
			t.Fatal("it is not taken for a table of sacct")
		}
		source := file.Source{Name: "sacct.txt", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
		got, err := ReadTrace([]file.Source{source}, time.UTC, trace.Keep{})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	got, want := read(narrow), read(piped)
	if g, w := all(got), all(want); g != w || len(want.Jobs) != 3 {
		t.Errorf("%s\nnot\n%s", g, w)
	}
	if said := fmt.Sprint(got.Problems); len(got.Problems) != 2 || strings.Count(said, "cut off by the width") != 2 || !strings.Contains(said, "the time in the column start") {
		t.Errorf("problems: %v", got.Problems)
	}
	if got := read(Piped(narrow)); len(got.Jobs) != 3 {
		t.Errorf("%d jobs in the copy", len(got.Jobs))
	}
}

// Whatever column a value is cut off in is named: as names that may be several, as what is not known, or with the row that is
// left out for it. A state is told by its begin.
func TestCut(t *testing.T) {
	table := func(cells map[Column]string) string {
		header, rule, line := "", "", ""
		for _, c := range slices.Sorted(maps.Keys(cells)) {
			width := max(len(cells[c]), len(c.String()))
			header, rule, line = header+fmt.Sprintf("%*s ", width, c), rule+dashes(width)+" ", line+fmt.Sprintf("%*s ", width, cells[c])
		}
		return header + "\n" + rule + "\n" + line + "\n"
	}
	for _, c := range traceColumns {
		cells := map[Column]string{JobID: "7", State: "COMPLETED", Submit: "2026-03-02T09:00:00", Start: "2026-03-02T09:10:00", End: "2026-03-02T10:10:00", AllocCPUS: "4", User: "eva", Eligible: "2026-03-02T09:00:00", ExitCode: "0:0", TotalCPU: "00:00:01"}
		whole := fmt.Sprint(readSacct(t, table(cells)).Remarks)
		if cells[c] = "OUT_OF_ME+"; c != State {
			cells[c] = "12345678901234+"
		}
		got := readSacct(t, table(cells))
		said := fmt.Sprint(got.Remarks)
		isTime, isName := slices.Contains(times, c.String()), slices.Contains(mayBeCut, c.String())
		switch {
		case whole != "[]":
			t.Fatal(whole)
		case c == State && said == "[]" && len(got.Jobs) == 1:
		case (isTime || c == JobID) && said == "[]" && len(got.Jobs) == 0 && len(got.Problems) == 1:
		case isName && strings.Contains(said, "count as one: "+c.String()+" (1 job)"):
		case !isName && strings.Contains(said, "as not known: "+c.String()+" (1 job)"):
		default:
			t.Errorf("%s: %s, %v", c, said, got.Problems)
		}
	}
}

func all(of *trace.Trace) string {
	text := ""
	for _, j := range of.Jobs {
		text += fmt.Sprintf("%+v\n", *j)
	}
	return text
}

func dashes(n int) string { return strings.Repeat("-", n) }

// A row whose number the width of its column has cut off is joined with that of another table whose number begins so, and is left out
// with a word only where none does. One without times is that of the run with its state.
func TestJoinedWhereCutOff(t *testing.T) {
	const whole = `JobID|User|Account|AllocCPUS|Submit|Start|End|State
7|ida|cfd|0|2026-03-02T09:00:00|Unknown|Unknown|PENDING
261_[16-20%5]|ida|cfd|0|2026-03-02T09:00:00|Unknown|Unknown|PENDING
262_[16-20%5]|ida|cfd|0|2026-03-02T09:00:00|Unknown|Unknown|PENDING
262_[1-3%5]|ida|cfd|0|2026-03-02T09:00:00|Unknown|Unknown|PENDING
43|ada|cfd|4|2026-03-02T09:00:00|2026-03-02T09:10:00|2026-03-02T10:10:00|PREEMPTED
43|ada|cfd|0|2026-03-02T10:10:00|Unknown|Unknown|PENDING
`
	table := func(ids ...string) string {
		const columns = "%-6s %10s %10s %10s\n"
		text := fmt.Sprintf(columns, "JobID", "JobName", "Partition", "State") + fmt.Sprintf(columns, dashes(6), dashes(10), dashes(10), dashes(10))
		for _, id := range ids {
			text += fmt.Sprintf(columns, id, "my"+id, "gpu", "PENDING")
		}
		return text
	}
	for _, x := range []struct {
		ids    []string
		tells  string
		isLeft bool
	}{{[]string{"261_[+"}, "my261_[+", false}, {[]string{"262_[+"}, "", false}, {[]string{"43"}, "my43", false}, {[]string{"261_[+", "261_[+"}, "", true}, {[]string{"263_[+"}, "", true}} {
		got, damaged := read(t, time.UTC, func(row *Row) string { return string(row.Text(JobName)) }, whole, table(append(x.ids, "7")...))
		said := strings.Join(damaged, "\n")
		if names := strings.Join(got, ""); !strings.Contains(names, x.tells) || x.tells == "" && strings.Contains(names, "my26") || strings.Contains(said, "cut off") != x.isLeft {
			t.Errorf("%v: %q, and it says %q", x.ids, got, said)
		}
	}
}
