package setup

import (
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
)

// AssociationPriorities are the associations' own priorities.
type AssociationPriorities struct {
	Most float64 // the largest of all
	of   map[sched.AccountName]float64
}

// ReadAssociationPriorities returns those that sacctmgr show assoc prints, nil where it prints none.
func ReadAssociationPriorities(d *dump.Dump) *AssociationPriorities {
	var p *AssociationPriorities
	rows, _ := d.RowsOf(d.Table(dump.KindAssociations))
	for _, row := range rows {
		if _, has := row["priority"]; !has {
			continue
		}
		if p == nil {
			p = &AssociationPriorities{of: map[sched.AccountName]float64{}}
		}
		p.set(rowName(row), dump.Number(row["priority"], 0))
	}
	return p
}

func (p *AssociationPriorities) set(name sched.AccountName, priority float64) {
	p.of[name] = priority
	p.Most = max(p.Most, priority)
}

// With returns the priorities with one more, which is a part of the largest of all.
func (p *AssociationPriorities) With(account, user string, part float64) *AssociationPriorities {
	if p == nil {
		p = &AssociationPriorities{Most: 1, of: map[sched.AccountName]float64{}}
	}
	p.of[sched.AccountName{Account: account, User: user}] = part
	return p
}

// Of returns the priority of the association that a user's jobs of a partition are under, 0 for one that has none.
func (p *AssociationPriorities) Of(account, user, partition string) float64 {
	if x, ok := p.of[sched.AccountName{Account: account, User: user, Partition: partition}]; ok {
		return x
	}
	return p.of[sched.AccountName{Account: account, User: user}]
}
