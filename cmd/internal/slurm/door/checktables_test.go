package door

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/workshop"
)

// saying returns a function that takes in what is said, as a terminal would.
func saying(said *[]string) func(remarks ...diag.Remark) {
	return func(remarks ...diag.Remark) {
		for _, r := range remarks {
			*said = append(*said, r.Text)
		}
		(&diag.Printer{W: io.Discard}).Say(remarks...)
	}
}

// warnedOf returns what sort warns of at a site, and all that check finds and says.
func warnedOf(t *testing.T, d *dump.Dump) (sort []string, check string) {
	t.Helper()
	at, err := order.New(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range at.Remarks {
		if r.Kind == diag.Warning {
			sort = append(sort, r.Text)
		}
	}
	var said []string
	a, err := (&Site{dump: d, to: &site.Console{Input: site.NewInput(strings.NewReader(""), Scheduler().Formats...), Say: saying(&said)}}).Advice(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Findings {
		said = append(said, f.Place+f.Message)
	}
	return sort, strings.Join(said, "\n")
}

// What sort warns of since one value in a table of sacctmgr is another, check says too: of each column of each recorded site.
func TestCheckSaysWhatSortWarnsOf(t *testing.T) {
	values := []string{"-5", "four", "cpu=-5", "cpu=abc", "gres/gpuu=3", "foo", "foo,bar"}
	edits, asked, warned := 0, 0, 0
	for _, name := range []string{"slurm-site/t2_busy.tgz", "slurm-now/24.11-morning.tgz"} {
		open := func() *dump.Dump {
			d, err := dump.Open("../../../../testdata/" + name)
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		before, _ := warnedOf(t, open())
		known := strings.Join(before, "\n")
		for _, kind := range []dump.Kind{dump.KindQOS, dump.KindAssociations} {
			table := open().Table(kind)
			lines := strings.Split(table.Text, "\n")
			header := strings.Split(lines[0], "|")
			for column := range header {
				value := values[(column+edits)%len(values)]
				cells := strings.Split(lines[2], "|")
				if header[column] == "" || column >= len(cells) || kind == dump.KindAssociations && column < 4 || kind == dump.KindQOS && column == 0 {
					continue // which names a row
				}
				cells[column] = value
				if edits++; !workshop.Among(edits, 1) {
					continue
				}
				d := open()
				d.Set(table.File(), strings.Join(append([]string{lines[0], lines[1], strings.Join(cells, "|")}, lines[3:]...), "\n"))
				asked++
				sort, check := warnedOf(t, d)
				for _, text := range sort {
					if strings.Contains(known, text) || strings.Contains(text, "not modelled") || strings.Contains(text, " is not known: a factor of ") {
						continue // of jobs
					}
					if warned++; !strings.Contains(check, text) {
						t.Errorf("%s: %s=%s: %s", name, header[column], value, text)
					}
				}
			}
		}
	}
	if edits < 80 || warned < asked/2 || workshop.TestsAll() && warned < 50 {
		t.Errorf("%d edits, of %d of which %d are warned of", edits, asked, warned)
	}
}

// Limits of jobs that others leave without effect, a QOS by default that an association may not use, and a QOS of a wrong name that is near
// another one are said by check.
func TestCheckSaysDoubts(t *testing.T) {
	const before = "Name|Priority|Preempt|MaxJobsPU|MaxSubmitPU|Flags|\nhigh|10|low|2|4||\nnormal|5|||10||\nlow|0|||||\n"
	for of, want := range map[string]string{
		"high|10|low|2|4|\thigh|10|low|20|4|":           "MaxJobsPU of QOS high is 20 and has no effect: MaxSubmitPU lets no more than 4 run and wait",
		"high|10|low|2|4|\thigh|10|lowe|4|4|":           "Preempt of QOS high names lowe, which sacctmgr show qos lacks: the name is misspelt, or the table is cut off or hides it; did you mean low?",
		"high|10|low|2|4|\thigh|4294967306|low|2|4|":    "sacctmgr show qos: priority of QOS high is 4294967306, and Slurm keeps no more than 4294967295 (32 bits)",
		"high|10|low|2|4|\thigh|10|low,high|2|4|":       "sacctmgr show qos: Preempt of QOS high names high itself, and lets no job of it preempt another one: PreemptMode=WITHIN does",
		"high|10|low|2|4||\thigh|10|low|2|4|NoReserv|":  "sacctmgr show qos: QOS high has the flag NoReserv, which is none in Slurm 22.05 to 25.05; did you mean NoReserve?",
		"high|10|low|2|4||\thigh|10|low|2|4|NoReserve|": "",
		"high|10|low|2|4|\thigh|10|low|4|4|":            "",
		"high|10|low|2|4|\thigh|10|low|4|-1|":           "",
		"\tassoc":                                       "Def QOS of association chem/erin is high, which is not among its QOS (normal,low): ",
	} {
		d, err := dump.Open("../../../../testdata/slurm-site/t2_busy.tgz")
		if err != nil {
			t.Fatal(err)
		}
		old, changed, _ := strings.Cut(of, "\t")
		if changed == "assoc" {
			d.Set(d.Table(dump.KindAssociations).File(), "Cluster|Account|User|Share|QOS|Def QOS|\nhpc|chem||1|normal,high,low|normal|\nhpc|chem|erin|1|normal,low|high|\n")
		} else {
			d.Set(d.Table(dump.KindQOS).File(), strings.Replace(before, old, changed, 1))
		}
		_, check := warnedOf(t, d)
		if !strings.Contains(check, want) || want == "" && (strings.Contains(check, "has no effect: Max") || strings.Contains(check, "did you mean") || strings.Contains(check, "sacctmgr show qos: ")) {
			t.Errorf("%q: %s", of, check)
		}
	}
}

// A site whose nodes or partitions start no jobs by their states is warned of, with its weight.
func TestCheckSaysClosed(t *testing.T) {
	for name, of := range map[string]struct {
		kind     dump.Kind
		from, to string
		want     string
	}{
		"as it is":      {dump.KindNodes, "State=NONE", "", ""},
		"nodes":         {dump.KindNodes, `State=\S+`, "State=IDLE+DRAIN", `scontrol show node: all \d+ nodes \(.*\), with (\d+) of (\d+) cpus \(100%\) take no jobs by their states: no job starts`},
		"most nodes":    {dump.KindNodes, `(NodeName=\w+[^1] (?s:.*?)State=)[A-Z+*]+`, "${1}DOWN*", `scontrol show node: \d+ of \d+ nodes \(.*\), with \d+ of \d+ cpus \(\d\d%\) take no jobs by their states: jobs have the others alone`},
		"partitions":    {dump.KindPartitions, `State=UP`, "State=INACTIVE", `scontrol show partition: no partition is UP \(\w+ INACTIVE.*\): no job starts until one is `},
		"one partition": {dump.KindPartitions, `(PartitionName=main(?s:.*?)State=)UP`, "${1}DOWN", ""},
		"drained":       {dump.KindPartitions, `State=UP`, "State=DRAIN", `scontrol show partition: no partition is UP \(\w+ DRAIN.*\): no job is taken until one is, and those alone start that wait in one that is DRAIN `},
	} {
		d, err := dump.Open("../../../../testdata/slurm-site/t2_busy.tgz")
		if err != nil {
			t.Fatal(err)
		}
		part := d.All(of.kind)[0]
		d.Set(part.File(), regexp.MustCompile(of.from).ReplaceAllString(part.Text, of.to))
		_, check := warnedOf(t, d)
		isSaid := regexp.MustCompile("by their states|no partition is UP").MatchString(check)
		if isSaid != (of.want != "") || !regexp.MustCompile(of.want).MatchString(check) {
			t.Errorf("%s: %s", name, check)
		}
	}
}
