package dump

import (
	"testing"

	"fairshare/cmd/internal/file"
)

// What the JSON of partitions does not tell is taken from their text where a site has that as well, whichever comes first.
func TestFillUntold(t *testing.T) {
	json := Part{Source: file.Source{Name: "p.json"}, Kind: KindPartitions, Text: `{"partitions": [{"name": "batch"}, {"name": "short"}]}`}
	text := Part{Source: file.Source{Name: "p.txt"}, Kind: KindPartitions, Text: "PartitionName=short\n   Default=NO LLN=NO\nPartitionName=batch\n   Default=YES LLN=YES\n"}
	for _, parts := range [][]Part{{json, text}, {text, json}} {
		d := &Dump{Parts: parts}
		for _, row := range d.Records(KindPartitions) {
			want := map[string]string{"batch": "YES", "short": "NO"}[row["partitionname"]]
			if row["default"] != want || row["lln"] != want {
				t.Errorf("%s first: partition %s has Default=%s and LLN=%s", parts[0].Name, row["partitionname"], row["default"], row["lln"])
			}
		}
		if remarks := d.untold(); remarks != nil {
			t.Errorf("%s first: %v", parts[0].Name, remarks)
		}
	}
	if remarks := (&Dump{Parts: []Part{json}}).untold(); remarks == nil {
		t.Error("nothing is said of what JSON alone does not tell")
	}
}
