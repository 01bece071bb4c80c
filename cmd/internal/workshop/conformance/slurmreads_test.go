package conformance

import (
	"fmt"
	"html"
	"os"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/lab"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/setup"
)

// askingSlurm are the commands that a site of Slurm is asked with.
var askingSlurm = []question{
	{"sort", "sort DIR --all -o json"}, {"explain", "explain 25 DIR --vs 24"}, {"when", "when DIR -o json --runs 4 --where"}, {"replay", "replay DIR -o starts"}, {"nodes", "nodes DIR -o json"},
	{"submit", "when DIR --submit nodes=1,ntasks=2 --user cat --partition batch -o json --runs 2"},
}

// askingForGPUs is what a site that has some is asked as well.
var askingForGPUs = question{"gpus", "when DIR --submit ntasks=1,gres=gpu:1 --user cat --partition batch -o json --runs 2"}

// askingForDefaults is what somebody asks who names no partition.
var askingForDefaults = question{"defaults", "when DIR --submit ntasks=1 --user cat -o json --runs 2"}

// askingForArrays is what somebody asks who submits an array.
var askingForArrays = question{"array", "when DIR --submit ntasks=1,array=1-5 --user cat --partition batch -o json --runs 2"}

// slurmAttributes are all that slurmctld goes by, by the words of otherSlurmValues, with what another value is put behind
// in a change of the small site, and what parts several.
var slurmAttributes = []struct {
	of, begin, between string
	all                slurm.Attributes
	beside             string // what the site has as well
}{
	{"job", "job.22.", ";job.22.", slurm.JobAttributes, ""}, {"node", "node.n4.", ";node.n4.", slurm.NodeAttributes, ""}, {"partition", "partition.batch.", ";partition.batch.", slurm.PartitionAttributes, ""},
	{"reservation", "resv.r.", ";resv.r.", slurm.ReservationAttributes, slurmReserved}, {"reservationflag", "resv.r.Flags=", ",", slurm.ReservationFlags, slurmReserved},
	{"qos", "qos.normal.", ";qos.normal.", setup.FieldsOf(setup.OfQOS), ""}, {"flag", "qos.normal.Flags=", ",", setup.QOSFlags, ""}, {"assoc", "assoc.a/ann.", ";assoc.a/ann.", setup.FieldsOf(setup.OfAssociation), ""},
	{"word", "config.SchedulerParameters=", ",", slurm.SchedulerWords, ""}, {"select", "config.SelectTypeParameters=CR_CORE_MEMORY,", ",", slurm.SelectWords, ""},
	{"preempt", "config.PreemptType=preempt/qos;config.PreemptParameters=", ",", slurm.PreemptWords, ""}, {"config", "config.", ";config.", slurm.ConfigAttributes, ""},
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
	asking := append(slices.Clone(askingSlurm), askingForGPUs, askingForDefaults, askingForArrays)
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
			other[1] = of.beside + other[1]
			if other[0] == "" {
				other[0] = of.begin + x.Name + "=" + limitOf(x.Name)
			}
			if before[other[1]] == nil {
				before[other[1]] = answersToSlurm(t, fmt.Sprint("before", n), other[1])
			}
			if !isChanged(asking, before[other[1]], answersToSlurm(t, fmt.Sprint("after", n), other[1], other[0])) {
				t.Errorf("%s changes no answer", name)
			}
		}
	}
}

// heldElsewhereBySlurm has what the small site does not show, and what holds it.
var heldElsewhereBySlurm = map[string]string{
	"job JobName":                  "the lab alone shows it",
	"job Restarts":                 "a job that Slurm has requeued, in slurm",
	"job AllocTRES":                "what running jobs have under limits, in setup's TestInUse",
	"job Nodes":                    "what running jobs have of each of their nodes, in slurm and in TestSharesAsSlurmSays",
	"job CPU_IDs":                  "likewise",
	"job Mem":                      "likewise",
	"job GRES":                     "likewise",
	"config AccountingStorageTRES": "a warning of check, in its script",
	"config PrivateData":           "a dump of one user alone, in order",
	"config SlurmUser":             "jobs of slurmctld's own user, in setup",
	"reservationflag MAINT":        "a job that it keeps from all nodes, in sched",
	"assoc Def QOS":                "a user without jobs, in forecast",
	"node AllocTRES":               "GPUs in use without a job of the list, in order",
	"node Partitions":              "what is cut off is said by it",
	"word bf_max_job_array_resv":   "how many tasks of an array are planned, in sched",
	"word bf_one_resv_per_job":     "plans in several partitions, in sched",
	"word preempt_reorder_count":   "which of several jobs are preempted, in sched",
	"word preempt_strict_order":    "which of several jobs are preempted, in sched",
	"preempt reorder_count":        "which of several jobs are preempted, in sched",
	"preempt strict_order":         "which of several jobs are preempted, in sched",
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
		edits, beside := make([]string, 0, len(of.all)), of.beside
		for _, x := range of.all {
			if x.Idle == "" {
				continue
			}
			value := x.Name
			if of.of == "assoc" && x.Name == "Share" { // sshare has it, and a value that differs from that is said
				continue
			}
			if of.between[0] == ';' {
				if value += "=x7"; x.Name == "ReturnToService" { // a value that there is not is said
					value = x.Name + "=1"
				}
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

// sayingSlurm are the commands that say what is not modelled, with what their answers depend on, and where it is printed with
// an answer as well: in its JSON, or on the page beside the site.
var sayingSlurm = []struct {
	question
	on     slurm.Answers
	within string
}{
	{question{"sort", "sort DIR -o json"}, slurm.OnQueue, ""}, {question{"now", "sort DIR --now"}, slurm.OnStarts, ""}, {question{"explain", "explain 22 DIR"}, slurm.OnStarts, ""}, {question{"versus", "explain 22 DIR --vs 24"}, slurm.OnQueue, ""},
	{question{"compare", "compare DIR --set PriorityWeightAge=5"}, slurm.OnQueue, ""}, {question{"metrics", "metrics DIR"}, slurm.OnQueue, ""}, {question{"lab", "lab DIR --no-browser"}, slurm.OnQueue, "lab"},
	{question{"nodes", "nodes DIR"}, slurm.OnRoom, ""}, {question{"room", "nodes DIR --submit nodes=1,ntasks=2"}, slurm.OnRoom, ""},
	{question{"when", "when DIR -o json --runs 2"}, slurm.OnStarts, "JSON"}, {question{"when page", "when DIR --html DIR.html --runs 2"}, slurm.OnStarts, "page"},
	{question{"submit", "when DIR --submit nodes=1,ntasks=2 --user cat --partition batch -o json --runs 2"}, slurm.OnStarts, "JSON"},
	{question{"replay", "replay DIR -o json"}, slurm.OnStarts, "JSON"}, {question{"replay page", "replay DIR --html DIR.html"}, slurm.OnStarts, "page"}, {question{"witness", "witness DIR -o json"}, slurm.OnStarts, "JSON"},
}

// toldWithin returns what is printed with the answer to a question at a site.
func toldWithin(t *testing.T, within string, given answer, dir string) string {
	switch within {
	case "JSON":
		return given.out
	case "page":
		text, err := os.ReadFile(dir + ".html")
		if err != nil {
			t.Error(err)
		}
		return html.UnescapeString(string(text))
	}
	var site struct{ Notes []string }
	at, _ := openLab(t, "", dir)
	at.ask(t, "site", lab.Request{}, &site)
	return strings.Join(site.Notes, "\n")
}

// What is not modelled is said by the commands whose answers depend on it, and by no other ones, with how many jobs it
// concerns; what jobs ask for by those that tell which start, since sacct does not tell it.
func TestWhatSlurmLacksIsSaid(t *testing.T) {
	t.Parallel()
	for _, of := range slurmAttributes {
		before := answersToSlurm(t, of.of+"/modelled", of.beside)
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
		if edits == nil {
			continue
		}
		after := answersToSlurm(t, of.of+"/lacking", of.beside, of.begin+strings.Join(edits, of.between))
		for _, q := range sayingSlurm {
			given := after.to(question{q.name, q.args + " --notes"}) // each of them
			told := given.said
			if q.within != "" && given.isGiven() {
				told = toldWithin(t, q.within, given, after.dir)
			}
			for _, x := range of.all {
				if x.Lacks == "" {
					continue
				}
				isSaid := q.on == slurm.OnStarts || x.On&q.on != 0
				if of.of == "job" {
					isSaid = slices.Contains([]string{"when", "when page", "submit", "now", "explain"}, q.name)
				}
				for _, text := range []string{given.said, told} {
					if strings.Contains(text, x.Lacks) != isSaid || strings.Contains(before.to(q.question).said, x.Lacks) {
						t.Errorf("%s of a %s is not modelled: that %s says so where it is set, and only there, is not %v: %.2000s", x.Name, of.of, q.name, isSaid, text)
					}
				}
				if line := lineWith(given.said, x.Lacks); isSaid && (!strings.Contains(line, "job") && !strings.HasPrefix(of.of, "reservation") || strings.Count(given.said, line) > 1) {
					t.Errorf("%s of a %s: %s does not say once how many jobs it concerns: %q", x.Name, of.of, q.name, line)
				}
			}
		}
	}
}

// lineWith returns the first line that has a text, "" where none has.
func lineWith(lines, text string) string {
	for line := range strings.Lines(lines) {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
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

// A site without accounting, whose users are known by their jobs alone, answers all that it is asked.
func TestSlurmWithoutAccounting(t *testing.T) {
	t.Parallel()
	given := answersToSlurm(t, "unaccounted", "config.AccountingStorageType=accounting_storage/none")
	for _, q := range append(slices.Clone(askingSlurm), askingForDefaults) {
		if x := given.to(q); !x.isGiven() {
			t.Errorf("%s: %d, %s", q.name, x.code, x.said)
		}
	}
}
