package conformance

import (
	"maps"
	"strings"
	"testing"
)

// Running jobs have their nodes, and end, whether a table has the association of their user or not: nodes and metrics of a recorded site
// say the same where nothing tells of kate, who has three of the jobs.
func TestStrangersOnNodes(t *testing.T) {
	t.Parallel()
	all := printed(t, "t1_morning")
	delete(all, "sshare-al.txt")
	delete(all, "sacctmgr-dump.cfg")
	without := maps.Clone(all)
	for _, name := range []string{"sshare-alP.txt", "sacctmgr-P-assoc.txt", "scontrol-show-assoc_mgr.txt"} {
		without[name] = ""
		for line := range strings.Lines(all[name]) {
			if !strings.Contains(line, "kate") {
				without[name] += line
			}
		}
	}
	told, untold := answersOf(write(t, "strangers/told", all)), answersOf(write(t, "strangers/untold", without))
	for _, q := range []question{{"nodes", "nodes DIR --tz UTC"}, {"nodes in CSV", "nodes DIR --tz UTC -o csv"}, {"metrics", "metrics DIR"}} {
		was, is := told.to(q), untold.to(q)
		if q.name == "metrics" { // which has factors as well
			was.out, is.out = strings.Join(metricLine.FindAllString(was.out, -1), "\n"), strings.Join(metricLine.FindAllString(is.out, -1), "\n")
		}
		if was.out != is.out || !was.isGiven() || !is.isGiven() {
			t.Errorf("%s is\n%sand without associations\n%s", q.name, was.out, is.out)
		}
		const says = "3 running jobs of the list: of an association that the tree does not have"
		if q.name != "metrics" && !strings.Contains(is.said, says) || strings.Contains(was.said, says) {
			t.Errorf("%s says %s", q.name, is.said)
		}
	}
}
