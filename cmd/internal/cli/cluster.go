package cli

import (
	"time"

	"fairshare/cmd/internal/site"
)

// clusterFlags say what a simulation from now on needs of a site besides its queue.
type clusterFlags struct {
	Nodes string      `for:"pbs" slurm:"nodes are those of scontrol show node" placeholder:"FILE" help:"The cluster as pbsnodes -av prints it, as text, JSON or DSV. Without it: the snapshot's."`
	At    *momentFlag `for:"pbs" slurm:"the time is that of scontrol show config" placeholder:"TIME" help:"When the list of jobs was made. Without it: when the snapshot was taken."`
	TZ    string      `name:"tz" placeholder:"ZONE" help:"The time zone of the list and of what is printed, such as Europe/Berlin. Without it: this machine's."`
}

// names returns names with which a live site is asked for its nodes too.
func (c *clusterFlags) names(of site.Names) site.Names {
	of.Vnodes = c.Nodes == ""
	return of
}

// moment returns what the flags say.
func (c *clusterFlags) moment(zone *time.Location) (m site.Moment, err error) {
	m = site.Moment{Nodes: c.Nodes, TZ: c.TZ, Zone: zone}
	if c.At != nil {
		m.At, err = c.At.In(zone)
	}
	return m, err
}
