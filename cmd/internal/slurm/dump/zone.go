package dump

import (
	"slices"
	"strconv"
	"time"

	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sacct"
	"fairshare/cmd/internal/trace"
)

// localTime is what a site tells of its local times.
type localTime struct {
	marks []trace.Mark
	zone  *time.Location
}

// Marks returns by how much the local times of a site are ahead of UTC, as far as JSON tells it, which has times since 1970: beside the
// time that scontrol show config or the jobs have in its zone, and in the tables of sacct that stand within the site.
func (d *Dump) Marks() []trace.Mark { return d.localTime().marks }

// Zone returns the zone of a site, as far as that is told, see Marks, and otherwise UTC.
func (d *Dump) Zone() *time.Location { return d.localTime().zone }

// localTime finds what Marks and Zone return, once.
func (d *Dump) localTime() *localTime {
	if of := d.local.Load(); of != nil {
		return of
	}
	of := &localTime{}
	if at, taken := d.updated(), d.printedAt(); !at.IsZero() && !taken.IsZero() {
		const quarter = 15 * time.Minute
		of.marks = append(of.marks, trace.Mark{At: at.Unix(), Offset: int64(taken.Sub(at).Round(quarter).Seconds())})
	}
	if slices.ContainsFunc(d.Parts, func(p Part) bool { return p.Kind == KindAccounting && slurm.IsJSON(p.Text) }) {
		tables, _, _ := d.Accounting() // whoever reads them says what is wrong
		of.marks = append(of.marks, sacct.Marks(tables)...)
	}
	of.zone, _ = moment.ZoneOf(of.marks, time.UTC)
	d.local.Store(of)
	return of
}

// lastUpdate is when JSON says that it is of, and lastLook when the scheduler looked at a job last, which older versions
// have alone.
var (
	lastUpdate = pattern.Of(`"last_update"\s*:\s*(?:\{[^{}]*"number"\s*:\s*)?(\d+)`)
	lastLook   = pattern.Of(`"last_sched_evaluation"\s*:\s*(?:\{[^{}]*"number"\s*:\s*)?(\d+)`)
)

// updated returns when JSON says that it is of, zero where nothing does.
func (d *Dump) updated() (last time.Time) {
	if at := d.updatedAt.Load(); at != nil {
		return *at
	}
	defer func() { d.updatedAt.Store(&last) }()
	for _, finds := range []pattern.Lazy{lastUpdate, lastLook} {
		for _, p := range d.Parts {
			if jsonList[p.Kind] == "" || !slurm.IsJSON(p.Text) {
				continue
			}
			for _, m := range finds().FindAllStringSubmatch(p.Text, -1) {
				const latest = 1e11
				if x, err := strconv.ParseInt(m[1], 10, 64); err == nil && x < latest && x > last.Unix() && x > 0 {
					last = time.Unix(x, 0).UTC()
				}
			}
		}
		if !last.IsZero() {
			break
		}
	}
	return last
}
