package sched

import "fairshare/cmd/internal/slurm"

// Request is what a job asks of the nodes.
type Request struct {
	MinNodes, MaxNodes int32 // MaxNodes 0 for as many as there are
	CPUs               int32 // of all nodes together
	Tasks              int32
	CPUsPerTask        int32
	TasksPerNode       int32   // 0 where it is not said
	Switches           int32   // on no more than so many leaves (--switches), as long as SwitchWait lasts; 0 for any number
	SwitchWait         int64   // seconds
	TasksPerSocket     int32   // 0 where it is not said
	NodeMemory         int64   // MB of each node, 0 where CPUMemory counts
	AllMemory          bool    // whether it gets all memory of its nodes (--mem=0)
	CPUMemory          int64   // MB for each CPU
	GRES               []int32 // of each node
	JobGRES            []int32 // of all nodes together (--gpus); nil for none
	TaskGRES           []int32 // for each task (--gpus-per-task); nil for none
	Others             []int64 // of Setup.Others, for all nodes together; nil for none
	Features           slurm.Constraint
	Alike              bool // whether its nodes have the same of the lists of Features: [a|b]
	Counted            bool // whether some of its nodes have one feature and others another, so that it starts nowhere: [a*2&b*1]
	Exclusive          bool
	Threads            int32 // of each core, on which its tasks run, 0 for all (--hint=nomultithread)
	On                 Set   // the nodes on which it may run, nil for all (see KeepTo)
	Named              bool  // whether it wants nodes by name: those of With, or where that is nil, those of On
	With               Set   // the nodes that it has all of, and others beside them where these have too little; nil for none
	NoRange            bool  // whether MaxNodes is that of its partition alone, so that it gets no more nodes than it needs
}

// Job is a job as the scheduler sees it. What passes, cycles and sweeps ask of every entry of the queue stands first, so
// that it is side by side in memory.
type Job struct {
	ID          int
	Partition   int   // its place in the cluster; of Partitions the first in which it may run, and once it runs that one
	Association int   // its place in the tree of limits and usage
	QOS         int   // of AnyQOS the first, and once it runs that under which it does
	Limit       int64 // the time limit, in seconds
	Array       int32 // the number of its array, 0 for none
	Throttle    int32 // how many jobs of the array may run at a time, 0 for any number
	Reservation int32 // the Reservation.ID of the one that it asks for, 0 for none
	Priority    uint32
	kind        int32 // the number of what it asks for and where, see engine.kindOf
	IsFixed     bool  // whether somebody has set the priority, so that it stays
	IsAgeless   bool  // whether its age does not count yet, for a limit of that

	of        *Job  // of an entry of the queue: the job that it stands for, nil for the job itself; see entries
	Submitted int64 // when it was submitted, or requeued last, which Submit is not where it was to begin later; 0 for Submit
	Eligible  int64 // since when its age counts
	Nice      float64
	extra     float64  // of its priority, what no setting explains
	constant  constant // of its priority
	bounds    *bounds  // what limits it, see ledger.of
	barred    barred   // whether a rule keeps it out of its partition
	Request   *Request

	Partitions   []int              // those that it asks for, in its order, nil for one alone
	AnyQOS       []int              // those under one of which it may run, that of the highest priority first, nil for one alone
	NoLimit      bool               // whether it asks for none, so that Limit is that of its Partition
	Submit       int64              // in seconds since 1970, as all times here
	Billing      float64            // what a second of it is charged, 0 for its CPUs
	IsFree       bool               // whether it is charged nothing
	TRES         map[string]float64 // that it asks for, by which its priority grows; nil for that of Request
	Licences     []int64            // that it asks for, by Setup.Licences; nil for none
	Requeue      bool               // --requeue
	NoRequeue    bool               // --no-requeue: it is over when its node fails
	IsLetIn      bool               // whether it is known that its one partition and QOS let it in, as of one that ran there
	IsBackfilled bool               // whether a backfill cycle started it
	isSettled    bool               // whether extra is known
	awaited      bool
	isSplit      bool // whether it is a task of an array with a record of its own, see engine.split
	isAging      bool // whether it is one of those that a limit lets age
	isCome       bool // whether it is one of those that are submitted
	isAttracted  bool // whether MAGNETIC reservations attract it, so that it has an entry for each of them, see engine.attract
	class        *class
	sweep        int32 // see rest.sweep
	isRanked     bool  // whether its priority was computed since it was tried first, see rankedQOS

	Depends *Dependency // what it waits for of others before it comes, nil for nothing

	Run      int64 // how long it runs, in seconds
	CancelAt int64 // when it is cancelled if it still waits then, 0 for never

	Start  int64   // when it was started, 0 for not yet
	End    int64   // when it was over, 0 for not yet
	Shares []Share // where it runs
	Has    []Use   // what it has of each of its Shares, nil where that is what its Request comes to
	Given  Amounts // what the site says that it has, nil for what its shares come to
	left   float64 // seconds until its time limit, at the last sweep

	isLeaving  bool  // whether it is to go for another job
	leavesAt   int64 // when, where it has a grace time
	preempting int64 // until when no further jobs go for it

	cores    []uint64 // that it has, where others may be suspended for it: of one share after the other, see gang
	haltedAt int64    // since when it is suspended, 0 for a job that goes on
	halted   int64    // for how many seconds it has been before

	born int // its place among slurmctld's records of jobs, see engine.births
}

// Share is what a job has of a node.
type Share struct {
	Node, CPUs int32
}

// expectedEnd is when the time limit ends a running job, which counts no time in which it was suspended, or the grace time
// of one that is to go for another.
func (j *Job) expectedEnd() int64 {
	end := j.Start + j.Limit + j.halted
	if j.leavesAt > 0 {
		return min(end, j.leavesAt)
	}
	return end
}
