package cli

import (
	"fairshare/cmd/internal/site"
)

// clusterFlags say what a simulation from now on needs of a site besides its queue.
type clusterFlags struct {
	Nodes string      `for:"pbs" slurm:"nodes are those of scontrol show node" placeholder:"FILE" help:"The cluster as pbsnodes -av prints it, as text, JSON or DSV. Without it: the snapshot's."`
	At    *momentFlag `for:"pbs" slurm:"the time is that of scontrol show config" placeholder:"TIME" help:"When the list of jobs was made. Without it: when the snapshot was taken."`
	TZ    string      `name:"tz" placeholder:"ZONE" help:"The time zone of what is printed and typed, such as Europe/Berlin, and of the site's local times where neither its list of jobs nor its logs tell theirs. Without it: that of the site, or where nothing tells it, this machine's."`
}

// names returns names with which a live site is asked for its nodes too.
func (c *clusterFlags) names(of site.Names) site.Names {
	of.Vnodes, of.Zone = c.Nodes == "", c.TZ
	return of
}

// moment returns what the flags say, in the time zone of a site.
func (c *clusterFlags) moment(at any) (m site.Moment, err error) {
	zone, err := zoneOf(at, c.TZ)
	if err != nil {
		return m, err
	}
	m = site.Moment{Nodes: c.Nodes, TZ: c.TZ, Zone: zone}
	if c.At != nil {
		m.At, err = c.At.In(zone)
	}
	return m, err
}
