package sched

import (
	"math/rand/v2"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// TestRows runs deep queues of jobs that are alike in rows twice: as they are, where cycles count rows of hopeless jobs, and without
// any short cut. Each job starts at the same time on the same nodes.
func TestRows(t *testing.T) {
	scenarios, rows, passed, skipped, alike := uint64(workshop.Part(300)), 0, 0, 0, 0
	for seed := range scenarios {
		fast, _ := besidePlain(t, seed, Options{isDeep: true}, func() (*Setup, []*Job) {
			r := rand.New(rand.NewPCG(seed, 46))
			s := anySetup(r)
			if r.IntN(4) > 0 {
				s.Threshold, s.Reservations = Threshold{}, nil
			}
			if r.IntN(2) == 0 {
				for i := range s.Accounts {
					s.Accounts[i].Limits = Unlimited(2)
				}
				for i := range s.QOS {
					s.QOS[i].Limits = Unlimited(2)
				}
			}
			if s.Backfill != nil {
				s.Backfill.MaxTest = []int{0, 10, 40, 500}[r.IntN(4)]
				s.Backfill.Window = []int64{1800, 21600, 86400}[r.IntN(3)]
				s.Backfill.MaxPerUser = []int{0, 0, 6}[r.IntN(3)]
			}
			jobs := anyJobs(r, s, 150)
			first, most := jobs[0], 1+r.IntN(20)
			for i, j := range jobs {
				j.Array, j.Throttle = 0, 0
				if j.Submit = first.Submit + int64(i*30); i%most > 0 {
					k := jobs[i-1]
					j.Request, j.Association, j.QOS, j.Partition, j.Partitions, j.Nice, j.Licences = k.Request, k.Association, k.QOS, k.Partition, k.Partitions, k.Nice, k.Licences
					if j.Submit = k.Submit; r.IntN(4) > 0 {
						j.Limit = k.Limit
					}
				}
				j.Eligible, j.Run = j.Submit, 1+(j.Run-1)%j.Limit
			}
			return s, jobs
		})
		rows, passed, skipped, alike = rows+fast.rows, passed+fast.passed, skipped+fast.skipped, alike+fast.alike
	}
	if least := int(scenarios) * 10; rows < least || passed < least || skipped < least || alike < int(scenarios) {
		t.Errorf("only %d jobs were counted in rows, and %d and %d classes passed over by cycles and passes, of which %d were like another one: the test says little", rows, passed, skipped, alike)
	}
}
