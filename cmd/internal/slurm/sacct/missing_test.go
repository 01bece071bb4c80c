package sacct

import (
	"strings"
	"testing"
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
