package door

import (
	"cmp"
	"sync"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/history"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/cmd/internal/trace"
)

// Record is a Slurm site whose past is asked.
type Record struct {
	tree   *file.Tree
	tables []file.Source // of sacct, that are named beside the site; nil for those that it has within it
	to     *site.Console
	zone   string                     // that is named, "" for none
	dump   func() (*dump.Dump, error) // reads what the site printed, once
}

func newRecord(t *file.Tree, tables []file.Source, zone string, to *site.Console) *Record {
	return &Record{t, tables, to, zone, sync.OnceValues(func() (*dump.Dump, error) { return dump.Find(t) })}
}

// findRecord returns a site whose past is told by tables of sacct that are named beside it, nil where names are of none.
func findRecord(of site.Names, to *site.Console) *Record {
	at, tables := siteAndTables(of.Logs, to.Input)
	if len(tables) == 0 {
		return nil
	}
	if t := treeOf(at, to.Input); t != nil && t.FS != nil && dump.IsOfSite(t) {
		return newRecord(t, tables, of.Zone, to)
	}
	return nil
}

// Records implements site.Recorder.
func (r *Record) Records() ([]file.Source, error) {
	if r.tables != nil {
		return r.tables, nil
	}
	tables, remarks, err := dump.Accounting(r.tree)
	r.to.Say(remarks...)
	return tables, err
}

// CPUs implements site.Supplier.
func (r *Record) CPUs() int64 {
	d, err := r.dump()
	if err != nil {
		return 0
	}
	return record.CPUs(d)
}

// Capacity implements site.Supplier.
func (r *Record) Capacity(t *trace.Trace, zone *time.Location) (*history.Capacity, error) {
	d, err := r.dump()
	if err != nil {
		return nil, err
	}
	tables, err := r.Records()
	if err != nil {
		return nil, err
	}
	c, remarks, err := record.Capacity(d, tables, t.Begin(), t.Last, zone)
	r.to.Say(remarks...)
	return c, err
}

// Parents implements site.Nested.
func (r *Record) Parents() trace.Parents {
	d, err := r.dump()
	if err != nil {
		return nil
	}
	return setup.Parents(d)
}

// WaitsAgain implements site.Requeuer, by the list of jobs beside the record.
func (r *Record) WaitsAgain(id string) string {
	d, err := r.dump()
	if err != nil {
		return ""
	}
	listed, _, _ := d.Jobs()
	for i := range listed {
		if n := &listed[i]; (n.ID == id || n.Task == id) && slurm.StateNamed(n.State).Fate == slurm.Waits {
			return "waits again in the list of jobs, for " + cmp.Or(n.Reason, "its turn")
		}
	}
	return ""
}
