package snapshot

import (
	"path"
	"slices"
	"strings"

	"fairshare/cmd/internal/pbs"
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
	Reservations
	Taken     // when, in seconds since 1970
	SchedPriv // no member has it, but a folder
)

// Member is a file of a site and the command of PBS that prints it.
type Member struct {
	Part    Part
	Path    string
	Is      string   // what it is, in words
	Command []string // nil for one that no command prints
}

// Members are the files in which the parts of a site are, in the layout of
// pbs_snapshot and, without a command, in that of the recorded rounds. Of those of
// one part the first one counts, but for attributes: they are read together.
var Members = []Member{
	{Jobs, ListPath, "a list of jobs", []string{"qstat", "-f", "-F", "json"}},
	{Jobs, "qstat-f.json", "a list of jobs", nil},
	{Jobs, "job/qstat_f_F_dsv.out", "a list of jobs", nil},
	{Jobs, "job/qstat_f.out", "a list of jobs", []string{"qstat", "-f"}},
	{Jobs, "job/qstat_tf.out", "a list of jobs", nil},
	{Jobs, "job/qstat_fx_F_dsv.out", "a list of jobs", nil},
	{Jobs, "job/qstat_xf.out", "a list of jobs", nil},
	{Jobs, "qstat-f.dsv", "a list of jobs", nil},
	{Jobs, "qstat-f.txt", "a list of jobs", nil},

	{Queues, "server/qstat_Qf.out", "a list of queues", []string{"qstat", "-Qf"}},
	{Queues, "server/qmgr_pq.out", "a list of queues", nil},
	{Queues, "qstat-Qf.json", "a list of queues", nil},
	{Queues, "qstat-Qf.txt", "a list of queues", nil},
	{Queues, "server/qmgr_ps.out", "a print of the server", nil}, // it has the queues too

	{Resources, "server/qmgr_pr.out", "a list of resources", []string{"qmgr", "-c", "print resource"}},
	{Resources, "qmgr-list-resource.txt", "a list of resources", nil},
	{Resources, "server/qmgr_ps.out", "a print of the server", nil},

	{Attributes, "server/qstat_Bf.out", "a list of attributes of the server", []string{"qstat", "-Bf"}},
	{Attributes, "server/qmgr_ps.out", "a print of the server", []string{"qmgr", "-c", "print server"}},
	{Attributes, "scheduler/qmgr_lsched.out", "a list of attributes of schedulers", []string{"qmgr", "-c", "list sched"}},
	{Attributes, "scheduler/qmgr_psched.out", "a list of attributes of schedulers", []string{"qmgr", "-c", "print sched"}},
	{Attributes, hooksPath, "a print of hooks", nil},
	{Attributes, "qmgr-print-server.txt", "a list of attributes of the server", nil},
	{Attributes, "qmgr-print-sched.txt", "a list of attributes of schedulers", nil},

	{Formula, "formula.txt", "a formula", nil},
	{Threshold, "threshold.txt", "a threshold", nil},

	{Nodes, "node/pbsnodes_avFjson.out", "a list of vnodes", []string{"pbsnodes", "-av", "-F", "json"}},
	{Nodes, "node/pbsnodes_va.out", "a list of vnodes", nil},

	{Reservations, reservationsPath, "a list of reservations", []string{"pbs_rstat", "-f"}},

	{Taken, takenPath, "a time", nil},
}

// Paths of members that are asked for by name.
const (
	ListPath  = "job/qstat_f_F_json.out"
	takenPath = "ctime"

	reservationsPath = "reservation/pbs_rstat_f.out"
	hooksPath        = "hook/qmgr_ph_default.out"
)

// PrivPath returns the path of a file of sched_priv in the layout.
func PrivPath(name string) string { return path.Join(pbs.PrivName, name) }

// isPriv reports whether a path in the layout is a file's of sched_priv.
func isPriv(member string) bool { return path.Dir(member) == pbs.PrivName }

// places returns where a member may be: at its path, or where all files are in one folder, packed or not.
func (m Member) places() []string {
	list := []string{m.Path, m.Path + Packed}
	if flat := path.Base(m.Path); flat != m.Path {
		list = append(list, flat, flat+Packed)
	}
	return list
}

// Packed ends the name of a member that is packed, which those of sched_priv may
// not be.
const Packed = ".gz"

// deepest is how many folders of an archive may stand before the layout's own.
const deepest = 4

// findFlat returns what find does for an archive that has all files in one folder.
func findFlat(name string) (member, top string, ok bool) {
	top, base := path.Split(name)
	flat := strings.TrimSuffix(base, Packed)
	at := slices.IndexFunc(Members, func(m Member) bool { return path.Base(m.Path) == flat })
	if at < 0 || strings.Count(top, "/") > deepest {
		return "", "", false
	}
	return Members[at].Path, top, true
}

// find returns the path of a member in the layout for a name in an archive, and
// what stands before it there. ok is false for a file that is none.
func find(name string) (member, top string, ok bool) {
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
	isOther := strings.HasPrefix(top, pbs.PrivName+"_") // of a further scheduler
	if slices.Contains(pbs.PrivFiles, name) && strings.Count(top, "/") < 2 && !isOther {
		return PrivPath(name), top, true
	}
	return "", "", false
}

// isMember reports whether a path is one of the layout.
func isMember(name string) bool {
	if isPriv(name) {
		return slices.Contains(pbs.PrivFiles, path.Base(name))
	}
	name = strings.TrimSuffix(name, Packed)
	return slices.ContainsFunc(Members, func(m Member) bool { return m.Path == name })
}
