package slurmsched

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Debug tells what a pass does, job by job.
func (w *Witness) debug(at int64, depth int) {
	if os.Getenv("WDEBUG") != fmt.Sprint(at) {
		return
	}
	e := w.engine(at)
	p := newPass(e.settled, e.empty, e.ledger, e.up)
	p.kept, p.now = e.kept, e.now
	for i := range e.Nodes {
		w.Trace("   node %s: %d cpus, %d MB free (settled) %d (freed), gres %v, up %v", e.Nodes[i].Name, e.settled.cpus[i], e.settled.memory[i], e.freed.cpus[i], e.settled.gres[i*len(e.GRES):(i+1)*len(e.GRES)], e.up.Has(i))
	}
	for _, b := range e.running {
		w.Trace("   runs %s %s until %d", w.nameOf(b.job), w.print(b.job.Shares), b.end)
	}
	names := []string{"started", "skipped", "limited", "unlicensed", "reserved", "absent", "lacks"}
	for n, j := range e.queue {
		if n >= depth {
			break
		}
		v, shares := p.try(j)
		w.Trace("   %s in %s (%d, array %d of %d, id %d, parts %v): %s %s %s", w.nameOf(j), e.Partitions[j.Partition].Name, j.Priority, j.Array, j.Together, j.ID, j.Partitions, names[v], w.print(shares), strings.TrimSpace(p.over.name()))
		if v == started {
			e.start(j, slices.Clone(shares))
		}
	}
}
