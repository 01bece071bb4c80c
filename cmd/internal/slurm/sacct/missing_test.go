package sacct

import (
	"io"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
)

// A table without a column that no job can be told without is known as one of sacct, and the column is named.
func TestMissing(t *testing.T) {
	header := []string{"JobID", "JobName", "User", "Account", "Partition", "State", "Submit", "Elapsed", "AllocCPUS"}
	if text := strings.Join(header, "|"); Missing([]byte(text+"\n")) != nil {
		t.Error(text)
	}
	for _, name := range []string{"JobID", "State", "Submit"} {
		text := strings.ReplaceAll("|"+strings.Join(header, "|")+"\n", "|"+name+"|", "|")[1:]
		if lacks := Missing([]byte(text)); len(lacks) != 1 || lacks[0] != strings.ToLower(name) || IsTable([]byte(text)) || !IsPrinted([]byte(text)) {
			t.Errorf("%s: %v", text, lacks)
		}
	}
	for _, text := range []string{"", "JOBID|PARTITION|USER|ACCOUNT|QOS|REASON\n", "Account|User|RawShares|NormShares\n", "a|b|c|d\n"} {
		if lacks := Missing([]byte(text)); lacks != nil {
			t.Errorf("%s: %v", text, lacks)
		}
	}
}

// A table that does not say when jobs started or ended is refused, also where Elapsed says how long they ran.
func TestMissingTime(t *testing.T) {
	header := "|JobID|User|State|Submit|Start|End|Elapsed|AllocCPUS"
	for name, want := range map[string]string{"User": "", "Start": "has no column start", "End": "has no column end"} {
		text := strings.Replace(header, "|"+name, "", 1)[1:] + "\n"
		source := file.Source{Name: "sacct.txt", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
		_, err := ReadTrace([]file.Source{source}, time.UTC, trace.Keep{})
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

// A job that is over and has begun, but of which no end is told, is left out as damage; one that runs or never ran is not.
func TestMissingEnd(t *testing.T) {
	const start = "2026-03-02T10:00:00"
	for _, test := range []struct {
		state, start string
		problems     int
	}{{"COMPLETED", start, 1}, {"TIMEOUT", start, 1}, {"RUNNING", start, 0}, {"PENDING", "Unknown", 0}, {"CANCELLED", "Unknown", 0}} {
		tr := readSacct(t, "JobID|State|Submit|Start|End|ElapsedRaw|NCPUS\n7|"+test.state+"|"+start+"|"+test.start+"|Unknown|60|1\n")
		if len(tr.Problems) != test.problems {
			t.Errorf("%s: %v", test.state, tr.Problems)
		}
	}
}
