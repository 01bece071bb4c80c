package slurm

import (
	"cmp"
	"slices"

	"fairshare/fstree"
)

// Ranking is the priorities of a list of jobs.
type Ranking struct {
	Rows    []Factors      // a row for each job and partition, the highest priority first
	LeftOut map[string]int // why sprio leaves jobs out, and how many
	Unknown map[string]int // what no file knows, and how many rows count 0 for it
}

// Rank computes the priorities of a list of jobs.
func (c *Cluster) Rank(jobs []Job) Ranking {
	c.Prepare()
	r := Ranking{LeftOut: map[string]int{}, Unknown: map[string]int{}}
	for i := range jobs {
		j := &jobs[i]
		if why := c.LeavesOut(j); why != "" {
			r.LeftOut[why]++
			continue
		}
		for _, qos := range j.QOSNames() {
			if _, ok := c.QOS[qos]; !ok && c.QOS != nil && c.Weights.QOS > 0 {
				r.Unknown["the priority of QOS "+qos]++
			}
		}
		for _, partition := range j.Partitions {
			if c.Partitions[partition] == nil {
				r.Unknown["partition "+partition]++
			}
			for _, qos := range j.QOSNames() {
				f := c.Factors(j, partition, qos)
				if f.NoAssociation {
					r.Unknown["the association of "+j.Account+"/"+j.User]++
				}
				r.Rows = append(r.Rows, f)
			}
		}
	}
	slices.SortStableFunc(r.Rows, func(a, b Factors) int { return cmp.Compare(b.Priority, a.Priority) })
	return r
}

// AllEarly reports whether every job that sprio leaves out is not yet eligible,
// and no other is there: then the time may be wrong.
func (r Ranking) AllEarly() bool { return len(r.Rows) == 0 && r.LeftOut[notEligible] > 0 }

// unexplained returns rows of jobs whose priority in Slurm differs, in every
// partition, by more than age may have grown and than the association's own
// priority, which no file has, can add. It returns at most ten.
func (c *Cluster) unexplained(rows []Factors) []Factors {
	const most = 10
	explained := map[*Job]bool{}
	for _, f := range rows {
		gap := f.Job.Priority - f.Priority
		slack := 1 + 0.01*c.Weights.Age
		explained[f.Job] = explained[f.Job] || gap >= -slack && (gap <= slack+c.Weights.Assoc || c.NoNormal["ASSOC"])
	}
	var list []Factors
	for _, f := range rows {
		if !explained[f.Job] && len(list) < most {
			explained[f.Job] = true // once
			list = append(list, f)
		}
	}
	return list
}

// Algorithm returns that of the fairshare factors.
func (c *Conf) Algorithm() fstree.Algorithm {
	name := "fair-tree-slurm"
	switch {
	case c.DepthOblivious:
		name = "depth-oblivious"
	case c.NoFairTree:
		name = "classic"
	}
	a, _ := fstree.AlgorithmNamed(name)
	return a
}

// Fairshare returns the fairshare factors of a tree by the algorithm that the
// configuration selects: those of users' associations in a partition alone, where
// there is one, or else in all. What it returns says ok false for an association
// that the tree lacks.
func (c *Conf) Fairshare(tree *fstree.Associations) func(account, user, partition string) (factor float64, ok bool) {
	algorithm := c.Algorithm()
	standing := algorithm.Compute(tree, fstree.Options{DampFactor: c.DampFactor})
	places := associations(tree)
	return func(account, user, partition string) (float64, bool) {
		i := places.find(account, user, partition)
		if i < 0 {
			return 0, false
		}
		return standing.Fairshare[algorithm.FactorAt(tree, i)], true
	}
}

// FindAssociation returns the place in a tree of a user's association in an account that counts for jobs of a partition:
// that in the partition alone, where there is one, or else in all; -1 where the tree lacks it.
func FindAssociation(tree *fstree.Associations, account, user, partition string) int {
	return associations(tree).find(account, user, partition)
}

// associationPlaces are the places of users' associations in a tree: those in all partitions by account and user, and those in one by
// that as well, of which hardly any tree has some.
type associationPlaces struct {
	inAll map[[2]string]int
	inOne map[[3]string]int
}

func associations(tree *fstree.Associations) associationPlaces {
	places := associationPlaces{map[[2]string]int{}, map[[3]string]int{}}
	for i := range tree.Len() {
		switch x := tree.At(i); {
		case !x.User:
		case x.Partition == "":
			places.inAll[[2]string{tree.At(int(x.Parent)).Name, x.Name}] = i
		default:
			places.inOne[[3]string{tree.At(int(x.Parent)).Name, x.Name, x.Partition}] = i
		}
	}
	return places
}

func (p associationPlaces) find(account, user, partition string) int {
	if i, ok := p.inOne[[3]string{account, user, partition}]; ok {
		return i
	}
	if i, ok := p.inAll[[2]string{account, user}]; ok {
		return i
	}
	return -1
}
