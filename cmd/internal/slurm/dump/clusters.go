package dump

import (
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
)

// One database keeps the associations of several clusters, in which accounts and users have the same names: sacctmgr show assoc
// prints all, and those of others have no effect at a site.

// ofOwnCluster returns the rows of the site's own cluster, none where rows are of several and nothing tells its name.
func (d *Dump) ofOwnCluster(rows []Row) []Row {
	own := d.Config("clustername")
	if own == "" && len(clustersOf(rows)) > 1 {
		return nil
	}
	return slices.DeleteFunc(rows, func(row Row) bool {
		return own != "" && row["cluster"] != "" && !strings.EqualFold(row["cluster"], own)
	})
}

// clustersOf returns the clusters that rows name.
func clustersOf(rows []Row) []string {
	named := map[string]bool{}
	for _, row := range rows {
		if row["cluster"] != "" {
			named[row["cluster"]] = true
		}
	}
	return slices.Sorted(maps.Keys(named))
}

// sayOtherClusters says where no association is read, since those that there are may be, or are, of other clusters.
func (d *Dump) sayOtherClusters() []diag.Remark {
	p := d.Table(KindAssociations)
	rows, _ := d.allRowsOf(p)
	own, clusters := d.Config("clustername"), clustersOf(rows)
	switch {
	case own == "" && len(clusters) > 1:
		return []diag.Remark{diag.Warningf("%s has associations of the clusters %s, and nothing tells which of them is this one (ClusterName of scontrol show config does): none of them is read", p.Name, report.Listed(clusters))}
	case len(rows) > 0 && len(d.ofOwnCluster(rows)) == 0:
		return []diag.Remark{diag.Warningf("%s has no associations of cluster %s, and those of %s are not read", p.Name, report.Printable(own), report.Listed(clusters))}
	}
	return nil
}
