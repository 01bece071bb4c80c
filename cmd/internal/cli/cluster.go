package cli

import (
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbssite"
	"fairshare/cmd/internal/site"
)

// clusterFlags say what a simulation from now on needs of a site besides its queue.
type clusterFlags struct {
	Nodes string      `placeholder:"FILE" help:"The cluster as pbsnodes -av prints it, as text, JSON or DSV. Without it: the snapshot's."`
	At    *momentFlag `placeholder:"TIME" help:"When the list of jobs was made. Without it: when the snapshot was taken."`
	TZ    string      `name:"tz" placeholder:"ZONE" help:"The time zone of the list and of what is printed, such as Europe/Berlin. Without it: this machine's."`
}

// names returns names with which a complex that is asked is asked for its vnodes too.
func (c *clusterFlags) names(of site.Names) site.Names {
	of.Vnodes = c.Nodes == ""
	return of
}

// apply sets what the flags say about a place.
func (c *clusterFlags) apply(s *session, p *pbssite.Place, zone *time.Location) (err error) {
	if c.Nodes != "" {
		p.Nodes = s.in.Source(c.Nodes, "--nodes")
	}
	if c.At != nil {
		p.Taken, err = c.At.In(zone)
	}
	return err
}

// logsOf returns the accounting logs of the snapshot that a place is of, nil where it has none.
func (s *session) logsOf(p *pbssite.Place, zone string) (*pbssite.Logs, []diag.Remark) {
	if p.Name == "" {
		return nil, nil
	}
	logs, remarks, err := pbssite.FindLogs([]string{p.Name}, zone, s.in)
	if err != nil {
		return nil, nil
	}
	return logs, remarks
}
