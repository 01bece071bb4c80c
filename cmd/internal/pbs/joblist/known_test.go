package joblist

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/work"
)

// Each list adds what it knows, with a remark on what it does not say right.
func TestReadKnown(t *testing.T) {
	all := map[string]work.ListFacts{}
	for _, test := range []struct {
		text    string
		want    string
		remarks int
	}{
		{"Job_Id,Priority,eligible_time\n1.s,5,00:01:10\n2.s,0,0\n3.s,0,\n", "map[1.s:{5 true 0 false 71 false} 2.s:{0 true 0 false 1 false} 3.s:{0 true 0 false 0 false}]", 0},
		{"Job_Id,Priority,max_run_subjobs,topjob_ineligible\n1.s,7,3,True\n", "map[1.s:{7 true 3 true 71 false} 2.s:{0 true 0 false 1 false} 3.s:{0 true 0 false 0 false}]", 0},
		{"Job_Id,Priority,eligible_time\n2.s,1,soon\n3.s,-1,-5\n4.s,x,99999999999\n", "map[1.s:{7 true 3 true 71 false} 2.s:{1 true 0 false 1 false} 3.s:{-1 true 0 false 0 false} 4.s:{0 true 0 false 0 false}]", 1},
		{"Job_Id,Rerunable\n4.s,False\n5.s,True\n", "map[1.s:{7 true 3 true 71 false} 2.s:{1 true 0 false 1 false} 3.s:{-1 true 0 false 0 false} 4.s:{0 true 0 false 0 true}]", 0},
	} {
		name := filepath.Join(t.TempDir(), "list.csv")
		if err := os.WriteFile(name, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		remarks, err := ReadKnown(file.At(name), all)
		if got := fmt.Sprint(all); err != nil || got != test.want || len(remarks) != test.remarks {
			t.Errorf("%q: %s, %d remarks %v, %v; want %s", test.text, got, len(remarks), remarks, err, test.want)
		}
	}
}
