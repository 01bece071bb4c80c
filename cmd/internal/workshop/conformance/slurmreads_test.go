package conformance

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/setup"
)

// askingSlurm are the commands that a site of Slurm is asked with.
var askingSlurm = []question{
	{"sort", "sort DIR --all -o json"}, {"explain", "explain 25 DIR --vs 24"}, {"when", "when DIR -o json --runs 4 --where"}, {"replay", "replay DIR -o starts"}, {"nodes", "nodes DIR -o json"},
	{"submit", "when DIR --submit nodes=1,ntasks=2 --user cat --partition batch -o json --runs 2"},
}

// slurmAttributes are all that slurmctld goes by, by the words of otherSlurmValues, with what another value is put behind
// in a change of the small site, and what parts several.
var slurmAttributes = []struct {
	of, begin, between string
	all                slurm.Attributes
}{
	{"job", "job.22.", ";job.22.", slurm.JobAttributes}, {"node", "node.n4.", ";node.n4.", slurm.NodeAttributes}, {"partition", "partition.batch.", ";partition.batch.", slurm.PartitionAttributes},
	{"qos", "qos.normal.", ";qos.normal.", setup.FieldsOf(setup.OfQOS)}, {"flag", "qos.normal.Flags=", ",", setup.QOSFlags}, {"assoc", "assoc.a/ann.", ";assoc.a/ann.", setup.FieldsOf(setup.OfAssociation)},
	{"word", "config.SchedulerParameters=", ",", slurm.SchedulerWords}, {"select", "config.SelectTypeParameters=CR_CORE_MEMORY,", ",", slurm.SelectWords},
	{"preempt", "config.PreemptType=preempt/qos;config.PreemptParameters=", ",", slurm.PreemptWords},
}

// answersToSlurm returns what commands say of the small site after changes.
func answersToSlurm(t *testing.T, name string, changes ...string) *answers {
	site := newSmallSlurm()
	for _, change := range changes {
		site.edit(change)
	}
	return answersOf(site.write(t, name))
}

// What slurmctld goes by and is read changes an answer where it has another value.
func TestWhatSlurmReads(t *testing.T) {
	t.Parallel()
	step := stepOfValues()
	before := map[string]*answers{}
	n := 0
	for _, of := range slurmAttributes {
		for i := range of.all {
			x := &of.all[i]
			name := of.of + " " + x.Name
			if n++; x.Idle != "" || x.Lacks != "" || n%step != 0 || heldElsewhereBySlurm[name] != "" {
				continue
			}
			other := otherSlurmValues[name]
			if other[0] == "" {
				other[0] = of.begin + x.Name + "=" + limitOf(x.Name)
			}
			if before[other[1]] == nil {
				before[other[1]] = answersToSlurm(t, fmt.Sprint("before", n), other[1])
			}
			if !isChanged(askingSlurm, before[other[1]], answersToSlurm(t, fmt.Sprint("after", n), other[1], other[0])) {
				t.Errorf("%s changes no answer", name)
			}
		}
	}
}

// heldElsewhereBySlurm has what the small site does not show, and what holds it.
var heldElsewhereBySlurm = map[string]string{
	"job JobName":                "the lab alone shows it",
	"assoc Def QOS":              "a user without jobs, in forecast",
	"node AllocTRES":             "GPUs in use without a job of the list, in order",
	"node Partitions":            "what is cut off is said by it",
	"word bf_max_job_array_resv": "how many tasks of an array are planned, in sched",
	"word bf_one_resv_per_job":   "plans in several partitions, in sched",
	"word preempt_reorder_count": "which of several jobs are preempted, in sched",
	"word preempt_strict_order":  "which of several jobs are preempted, in sched",
	"preempt reorder_count":      "which of several jobs are preempted, in sched",
	"preempt strict_order":       "which of several jobs are preempted, in sched",
}

// limitOf returns a value of a limit that holds jobs of the small site.
func limitOf(name string) string {
	switch {
	case strings.HasPrefix(name, "MinTRES"):
		return "cpu=30"
	case strings.Contains(name, "TRES"):
		return "cpu=1"
	case strings.Contains(name, "Wall"):
		return "00:01:00"
	case name == "MinPrioThres":
		return "100000"
	}
	return "1"
}

// What stands as without effect has none, whatever its value.
func TestWhatSlurmDoesNotDependOn(t *testing.T) {
	t.Parallel()
	for _, of := range slurmAttributes {
		edits, beside := make([]string, 0, len(of.all)), ""
		for _, x := range of.all {
			if x.Idle == "" {
				continue
			}
			value := x.Name
			if of.between[0] == ';' {
				value += "=x7"
			}
			if in, isOther := strings.CutSuffix(x.Idle, " has it"); isOther && (of.of == "qos" || of.of == "assoc") {
				beside += ";" + of.begin + in + "="
			}
			edits = append(edits, value)
		}
		was := answersToSlurm(t, of.of+"/without", beside)
		after := answersToSlurm(t, of.of+"/with", beside, of.begin+strings.Join(edits, of.between))
		if changed := slices.Collect(changedAnswers(askingSlurm, was, after)); changed != nil {
			t.Errorf("%q of a %s are without effect, and change %q", edits, of.of, changed)
		}
	}
}

// What is not modelled is said by when and by replay; what jobs ask for by when alone, since sacct does not tell it.
func TestWhatSlurmLacksIsSaid(t *testing.T) {
	t.Parallel()
	for _, of := range slurmAttributes {
		var edits []string
		for _, x := range of.all {
			switch other := otherSlurmValues[of.of+" "+x.Name][0]; {
			case x.Lacks == "":
			case other != "":
				edits = append(edits, strings.TrimPrefix(other, of.begin))
			case of.between[0] == ';':
				edits = append(edits, x.Name+"=x7")
			default:
				edits = append(edits, x.Name)
			}
		}
		before, after := answersToSlurm(t, of.of+"/modelled"), answersToSlurm(t, of.of+"/lacking", of.begin+strings.Join(edits, of.between))
		saying := []string{"when", "replay"}
		if of.of == "job" {
			saying = saying[:1]
		}
		for _, x := range of.all {
			for _, q := range named(askingSlurm, saying...) {
				said := after.to(q).said
				if is := strings.Contains(said, x.Lacks); !is || x.Lacks != "" && strings.Contains(before.to(q).said, x.Lacks) {
					t.Errorf("%s of a %s is not modelled, and %s says so only where it is set: %v: %s", x.Name, of.of, q.name, is, said)
				}
			}
		}
	}
}

// Of each other value there is an attribute.
func TestOtherSlurmValues(t *testing.T) {
	var names []string
	for _, of := range slurmAttributes {
		for i := range of.all {
			names = append(names, of.of+" "+of.all[i].Name)
		}
	}
	for name := range otherSlurmValues {
		if !slices.Contains(names, name) {
			t.Errorf("no table has %s", name)
		}
	}
}
