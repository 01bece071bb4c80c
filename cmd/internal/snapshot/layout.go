package snapshot

import (
	"path"
	"slices"
	"strings"
)

// Part is one of the things that a site says of itself.
type Part int

// The parts.
const (
	Jobs Part = iota
	Queues
	Resources
	Attributes // of the server and its scheduler
	Formula    // the formula in force, where it stands alone
	Threshold  // likewise
	Nodes
	Taken // when, in seconds since 1970
)

// Member is a file of a site and the command of PBS that prints it.
type Member struct {
	Part    Part
	Path    string
	Command []string // nil for one that no command prints
}

// Members are the files in which the parts of a site are, in the layout of
// pbs_snapshot and, without a command, in that of the recorded rounds. Of those of
// one part the first one counts, but for attributes: they are read together.
var Members = []Member{
	{Jobs, "job/qstat_f_F_json.out", []string{"qstat", "-f", "-F", "json"}},
	{Jobs, "job/qstat_f_F_dsv.out", nil},
	{Jobs, "job/qstat_f.out", []string{"qstat", "-f"}},
	{Jobs, "job/qstat_tf.out", nil},
	{Jobs, "job/qstat_fx_F_dsv.out", nil},
	{Jobs, "job/qstat_xf.out", nil},
	{Jobs, "qstat-f.json", nil},
	{Jobs, "qstat-f.dsv", nil},
	{Jobs, "qstat-f.txt", nil},

	{Queues, "server/qstat_Qf.out", []string{"qstat", "-Qf"}},
	{Queues, "server/qmgr_pq.out", nil},
	{Queues, "qstat-Qf.json", nil},
	{Queues, "qstat-Qf.txt", nil},
	{Queues, "server/qmgr_ps.out", nil}, // it has the queues too

	{Resources, "server/qmgr_pr.out", []string{"qmgr", "-c", "print resource"}},
	{Resources, "qmgr-list-resource.txt", nil},
	{Resources, "server/qmgr_ps.out", nil},

	{Attributes, "server/qmgr_ps.out", []string{"qmgr", "-c", "print server"}},
	{Attributes, "server/qstat_Bf.out", []string{"qstat", "-Bf"}},
	{Attributes, "scheduler/qmgr_lsched.out", []string{"qmgr", "-c", "list sched"}},
	{Attributes, "scheduler/qmgr_psched.out", []string{"qmgr", "-c", "print sched"}},
	{Attributes, "qmgr-print-server.txt", nil},
	{Attributes, "qmgr-print-sched.txt", nil},

	{Formula, "formula.txt", nil},
	{Threshold, "threshold.txt", nil},

	{Nodes, "node/pbsnodes_avFjson.out", []string{"pbsnodes", "-av", "-F", "json"}},

	{Taken, "ctime", nil},
}

// PrivFiles are the files of a sched_priv that decide about the order of jobs,
// and privDir is its name.
var PrivFiles = []string{"resource_group", "sched_config", "usage", "sched_formula"}

const privDir = "sched_priv"

// PrivPath returns the path of a file of sched_priv in the layout.
func PrivPath(name string) string { return path.Join(privDir, name) }

// packed ends the name of a member that is packed.
const packed = ".gz"

// find returns the path of a member in the layout for a name in an archive, and
// what stands before it there. ok is false for a file that is none.
func find(name string) (member, top string, ok bool) {
	name = strings.TrimSuffix(name, packed)
	const deepest = 4 // folders that may stand before the layout's own
	for range deepest {
		if isMember(name) {
			return name, top, true
		}
		folder, rest, more := strings.Cut(name, "/")
		if !more {
			break
		}
		name, top = rest, top+folder+"/"
	}
	// A sched_priv alone, whatever its name.
	if slices.Contains(PrivFiles, name) && strings.Count(top, "/") < 2 {
		return privDir + "/" + name, top, true
	}
	return "", "", false
}

// isMember reports whether a path is one of the layout.
func isMember(path string) bool {
	if name, isPriv := strings.CutPrefix(path, privDir+"/"); isPriv {
		return slices.Contains(PrivFiles, name)
	}
	return slices.ContainsFunc(Members, func(m Member) bool { return m.Path == path })
}

// rankOfJobs returns the place of a job list among those of the layout, the best
// one first. ok is false for any other member.
func rankOfJobs(path string) (rank int, ok bool) {
	at := slices.IndexFunc(Members, func(m Member) bool { return m.Path == path && m.Part == Jobs })
	return at, at >= 0
}
