package study_test

import (
	"testing"

	slurmstudy "fairshare/cmd/internal/slurm/study"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/study/studytest"
)

// How near a replay comes to the record does not depend on where that was cut.
func TestCutRecords(t *testing.T) {
	t.Parallel()
	var cuts studytest.Cuts
	for _, name := range []string{"S1a", "S2a", "S4a", "S6a", "S8a"} {
		setup, record := open(t, name)
		first := record.Trace().First
		for _, part := range studytest.Parts() {
			on, _ := slurmstudy.New(setup, record.UpTo(first+int64(part*float64(record.Last-first))))
			if _, err := on.Use([]*study.Changes{nil}); err != nil {
				t.Fatal(err)
			}
			on.Runs = studytest.Runs
			cuts.Add(t, name, part, &on.Study, runAll(t, on))
		}
	}
	cuts.Hold(t)
}
