package replay

import (
	"fmt"
	"testing"
)

func TestTry(t *testing.T) {
	for _, name := range []string{"V2", "V5"} {
		r := openRun(t, name)
		result := r.replay(t)
		trust := result.Trust()
		fmt.Printf("%s %+v\n", name, trust)
		fmt.Printf("fork %.2f h until %v\n", fork(r.starts, r.startsOf(result), 10), result.Until)
		n := 0
		for i, j := range r.work.Jobs {
			want, ok := r.starts[j.ID]
			got := second(result.Start[i])
			if d := got - want.at; ok && (d > 600 || d < -600) && n < 40 {
				n++
				fmt.Printf("%s %s recorded %d (%.2f h) shift %d wall %d\n", j.ID, r.work.Trace.Names.List[j.Queue], want.at, float64(want.at-1772434800)/3600, d, j.Walltime)
			}
		}
	}
}
