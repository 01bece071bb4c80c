package order

// rankWithin returns the place of a row as it is told: among all rows that Slurm considers, or among those of its partition
// where squeue alone tells places, since nothing then tells which of two partitions' jobs goes first.
func (s *Site) rankWithin(rows []Row, row Row) int {
	if !s.isAsListed || row.Rank == 0 {
		return row.Rank
	}
	place := 1
	for i := range rows {
		if r := &rows[i]; r.Partition == row.Partition && r.Rank > 0 && r.Rank < row.Rank {
			place++
		}
	}
	return place
}

// RankAsTold gives rows, which stand in their order, the ranks that rankWithin has.
func (s *Site) RankAsTold(rows []Row) {
	if !s.isAsListed {
		return
	}
	places := map[string]int{}
	for i := range rows {
		if r := &rows[i]; r.Rank > 0 {
			places[r.Partition]++
			r.Rank = places[r.Partition]
		}
	}
}
