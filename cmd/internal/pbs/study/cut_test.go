package study_test

import (
	"testing"

	pbsstudytest "fairshare/cmd/internal/pbs/study/studytest"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/study/studytest"
)

// How near a replay comes to the record does not depend on where that was cut.
func TestCutRecords(t *testing.T) {
	var cuts studytest.Cuts
	for _, name := range []string{"P1x", "P2", "P5", "P6", "L1"} {
		whole := pbsstudytest.OfRun(t, name).Work
		for _, part := range studytest.Parts() {
			s := pbsstudytest.OfRunUntil(t, name, whole.First+int64(part*float64(whole.Last-whole.First)))
			s.Runs = studytest.Runs
			cuts.Add(t, name, part, &s.Study, pbsstudytest.Run(t, s))
		}
	}
	cuts.Hold(t)
}

// Where somebody interrupts, all rows are of the same jobs and of the same time.
func TestInterrupted(t *testing.T) {
	s := pbsstudytest.OfRun(t, "P2")
	pbsstudytest.Add(t, s, study.Changes{Formula: "ncpus"})
	studytest.Interrupt(t, &s.Study, 400, 300)
}
