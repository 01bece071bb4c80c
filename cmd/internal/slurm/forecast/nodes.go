package forecast

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/cmd/internal/trace"
)

// RunningJob is a job of the list that runs.
type RunningJob struct {
	ID, User string
	*sched.Job
}

// ReadNodes returns a site with the jobs that run and wait now and what is reserved, with nothing of its past.
func ReadNodes(now *setup.Site, zone *time.Location) (*Site, []diag.Remark) {
	s := newSite(now, zone)
	s.begin(trace.OfSlurm())
	return s, append(s.keep(zone), s.addJobs()...)
}

// Running returns the jobs that run, in the order of the list.
func (s *Site) Running() (list []RunningJob) {
	for id, p := range s.listed {
		if p.Start > 0 {
			list = append(list, RunningJob{id, p.user, p.Job})
		}
	}
	slices.SortFunc(list, func(a, b RunningJob) int { return a.Job.ID - b.Job.ID })
	return list
}

// Wish is what a job asks for that would be submitted.
type Wish struct {
	*sched.Request
	Partitions []int  // where it may run: those that are named, or all
	Named      string // those that are named, "" for none
	limit      int64  // in seconds, 0 for that of the partition
	site       *Site
	closed     map[int]string // by partition where it may run, see ClosedTo
}

// Limit returns for how long the job may run in a partition, in seconds.
func (w *Wish) Limit(partition int) int64 {
	if w.limit > 0 {
		return w.limit
	}
	limit, _ := w.site.limitOf(partition)
	return limit
}

// ClosedTo says by which rule a partition starts no such job, whoever submits it, "" for none.
func (w *Wish) ClosedTo(partition int) string { return w.closed[partition] }

// close finds out by which rules partitions start no such job of a QOS, which may be a guess.
func (w *Wish) close(qos int, isKnown bool) {
	s := w.site.Setup
	nobody := len(s.Names)
	w.closed = map[int]string{}
	for _, p := range w.Partitions {
		j := &sched.Job{Partition: p, QOS: qos, Association: nobody, Limit: w.Limit(p), Request: s.RequestIn(w.Request, p)}
		w.closed[p] = inWords(s.ClosedTo(j, isKnown))
	}
}

// WishOf returns what a job asks for by some options of sbatch.
func (s *Site) WishOf(queue, resources string) (*Wish, error) {
	asked, err := parse(resources)
	if err != nil {
		return nil, err
	}
	if asked["partition"] == "" {
		asked["partition"] = queue
	} else if queue != "" && queue != asked["partition"] {
		return nil, wrong("partition=%s is asked for beside --partition %s", asked["partition"], queue)
	}
	w := &Wish{Named: asked["partition"], site: s}
	if w.Partitions, err = s.partitionsOf(asked["partition"]); err != nil {
		return nil, err
	}
	if text, ok := asked["time"]; ok {
		seconds, _ := slurm.Duration(text)
		w.limit = int64(seconds)
	}
	qos := slices.IndexFunc(s.Setup.QOS, func(q sched.QOS) bool { return q.Name == cmp.Or(asked["qos"], "normal") })
	if qos < 0 && asked["qos"] != "" {
		return nil, wrong("the site has no QOS %s", asked["qos"])
	}
	if w.Request, err = (&offer{site: s, asked: asked}).request(nil, w.Partitions[0]); err != nil {
		return nil, err
	}
	w.Request = s.withinMemory(w.Request, w.Partitions[0])
	w.close(max(0, qos), asked["qos"] != "")
	return w, nil
}

// partitionsOf returns the partitions of a list of names, or all for "".
func (s *Site) partitionsOf(list string) (partitions []int, err error) {
	var names []string
	for i, p := range s.Setup.Partitions {
		names = append(names, p.Name)
		if list == "" {
			partitions = append(partitions, i)
		}
	}
	if list != "" {
		for name := range strings.SplitSeq(list, ",") {
			at := slices.Index(names, name)
			if at < 0 {
				return nil, &forecast.NoQueueError{Called: "partition", Queue: name, There: names}
			}
			partitions = append(partitions, at)
		}
	}
	if len(partitions) == 0 {
		return nil, wrong("the site has no partition")
	}
	return partitions, nil
}
