package setup

import (
	"math"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
)

// toldTRES returns which resources nodes say to be in use, of each that some are: a node of which nothing is in use does
// not name it in AllocTRES, which has those of AccountingStorageTRES.
func toldTRES(nodes []dump.Row) map[string]bool {
	isTold := map[string]bool{}
	for _, n := range nodes {
		amounts, _ := slurm.ParseAmounts(n["alloctres"])
		for _, a := range amounts {
			isTold[a.Name] = true
		}
	}
	return isTold
}

// useOf returns what a node says to be in use: CPUAlloc, AllocMem, and of GRES GresUsed, or else what AllocTRES has.
func useOf(kinds []string, isTold map[string]bool, n dump.Row) sched.Use {
	const untold = -1
	u := sched.Use{CPUs: int32(min(dump.Number(n["cpualloc"], untold), math.MaxInt32)), Memory: int64(min(dump.Number(n["allocmem"], untold), 1e12)), GRES: make([]int32, len(kinds))}
	if len(kinds) == 0 {
		return u
	}
	used, err := slurm.ParseGRES(n["gresused"])
	isExact := err == nil && n["gresused"] != ""
	if !isExact {
		used, _ = slurm.ParseAmounts(n["alloctres"])
	}
	amounts := slurm.SumsByName(used)
	for k, kind := range kinds {
		name := "gres/" + kind
		if u.GRES[k] = untold; isExact || isTold[name] {
			u.GRES[k] = int32(min(amounts[name], math.MaxInt32/2))
		}
	}
	return u
}
