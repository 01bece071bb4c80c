package setup

import (
	"math"
	"slices"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
)

// toldGRES returns which kinds of GRES nodes say to be in use, of each that some are: a node of which nothing is in use does
// not name it in AllocTRES, which has those of AccountingStorageTRES.
func toldGRES(kinds []string, nodes []dump.Row) (isTold []bool) {
	for _, kind := range kinds {
		isTold = append(isTold, slices.ContainsFunc(nodes, func(n dump.Row) bool {
			amounts, _ := slurm.ParseAmounts(n["alloctres"])
			_, has := slurm.AmountsByName(amounts)["gres/"+kind]
			return has
		}))
	}
	return isTold
}

// useOf returns what a node says to be in use: CPUAlloc, AllocMem, and of GRES GresUsed, or else what AllocTRES has.
func useOf(kinds []string, isTold []bool, n dump.Row) sched.Use {
	const untold = -1
	u := sched.Use{CPUs: int32(min(dump.Number(n["cpualloc"], untold), math.MaxInt32)), Memory: int64(min(dump.Number(n["allocmem"], untold), 1e12)), GRES: make([]int32, len(kinds))}
	used, err := slurm.ParseGRES(n["gresused"])
	isExact := err == nil && n["gresused"] != ""
	if !isExact {
		used, _ = slurm.ParseAmounts(n["alloctres"])
	}
	amounts := slurm.SumsByName(used)
	for k, kind := range kinds {
		if u.GRES[k] = untold; isExact || isTold[k] {
			u.GRES[k] = int32(min(amounts["gres/"+kind], math.MaxInt32/2))
		}
	}
	return u
}
