package slurm

import (
	"fmt"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/formula"
)

// translation is a multifactor policy in PBS's terms.
type translation struct {
	conf  *Conf
	terms []string
	lost  []string // what has no counterpart, or another meaning
	most  float64  // the weights together
}

// AsFormula returns the policy as a job_sort_formula for PBS, and what has no
// counterpart there or another meaning.
func (c *Conf) AsFormula() (text string, lost []string) {
	t := translation{conf: c}
	t.age()
	t.fairshare()
	t.jobSize()
	t.partition()
	t.tres()
	if c.Weights.QOS != 0 {
		t.lose("QOS: PBS has none; a queue for each, or a site's own resource, can stand for it")
	}
	if c.Weights.Assoc != 0 {
		t.lose("the association's priority: no counterpart")
	}
	if t.most > 1<<24 {
		t.lose("values above 16777216 tie more often: PBS keeps them as C floats; smaller weights in the same proportion do not")
	}
	t.terms = append(t.terms, "job_priority")
	t.lose(fmt.Sprintf("nice: job_priority (qsub -p) stands for it, with the opposite sign, from %d to %d", formula.MinJobPriority, formula.MaxJobPriority))
	return strings.Join(t.terms, " + "), t.lost
}

func (t *translation) add(weight float64, factor string) {
	if weight != 0 {
		t.most += weight
		t.terms = append(t.terms, report.Plain(weight)+"*"+factor)
	}
}

func (t *translation) lose(what string) { t.lost = append(t.lost, what) }

func (t *translation) age() {
	weight := t.conf.Weights.Age
	if t.conf.MaxAge == 0 {
		t.add(weight, "1")
		return
	}
	t.add(weight, "min(1, eligible_time/"+report.Plain(t.conf.MaxAge)+")")
	if weight != 0 && t.conf.AccrueAlways {
		t.lose("ACCRUE_ALWAYS: eligible_time does not grow while a job depends on another")
	}
}

func (t *translation) fairshare() {
	c := t.conf
	if c.Weights.Fairshare == 0 {
		return
	}
	factor := "fairshare_factor"
	switch {
	case c.DepthOblivious:
		t.lose("DEPTH_OBLIVIOUS: fairshare_factor is the classic factor, which judges a deep tree differently")
	case !c.NoFairTree:
		t.lose("Fair Tree ranks users, PBS does not: fairshare_factor, 2^-(used/due), stands for the rank")
	}
	if c.DampFactor != 1 && (c.DepthOblivious || c.NoFairTree) {
		factor = "pow(fairshare_factor, 1/" + report.Plain(c.DampFactor) + ")"
	}
	t.add(c.Weights.Fairshare, factor)
}

func (t *translation) jobSize() {
	c := t.conf
	size := fmt.Sprintf("(nodect/%d + ncpus/%s)/2", c.Nodes, report.Plain(c.CPUs))
	if c.SizeRelative {
		size = fmt.Sprintf("max(nodect*%s, ncpus)/max(1, walltime/60)/%s", report.Plain(c.CPUs/float64(c.Nodes)), report.Plain(c.CPUs))
	}
	if c.FavorSmall {
		size = "(1 - " + size + ")"
	}
	t.add(c.Weights.JobSize, size)
	if c.Weights.JobSize != 0 && c.SizeRelative {
		t.lose("SMALL_RELATIVE_TO_TIME: a job without walltime counts as one of a minute, not of its partition's MaxTime")
	}
}

func (t *translation) partition() {
	factor := "queue_priority"
	if most := t.conf.largestPartition(); most != 1 && !t.conf.NoNormal["PART"] {
		factor += "/" + report.Plain(most)
	}
	t.add(t.conf.Weights.Partition, factor)
	if t.conf.Weights.Partition != 0 {
		t.lose("partitions: give each queue its partition's PriorityJobFactor as its priority")
	}
}

// pbsResource is what a TRES is called in PBS, and how many of PBS's units one
// of Slurm's units is.
var pbsResource = map[string]struct {
	name string
	unit float64
}{
	"cpu": {"ncpus", 1}, "billing": {"ncpus", 1}, "mem": {"mem", 1024}, "node": {"nodect", 1}, "gres/gpu": {"ngpus", 1},
}

func (t *translation) tres() {
	parts := false
	for _, weight := range t.conf.Weights.TRES {
		resource, ok := pbsResource[weight.Name]
		total := t.conf.Total(weight.Name)
		if !ok || total == 0 {
			t.lose("TRES " + weight.Name + ": no counterpart")
			continue
		}
		divisor := resource.unit
		if !t.conf.NoNormal["TRES"] {
			divisor *= total
			parts = true
		}
		t.add(weight.Count, resource.name+"/"+report.Plain(divisor))
		if resource.name == "ngpus" {
			t.lose("gres/gpu: ngpus is a resource that a PBS site defines itself")
		}
	}
	if parts && len(t.conf.Partitions) > 1 {
		t.lose("TRES are parts of the whole cluster here, of the job's partition in Slurm")
	}
}
