package forecast

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/sched"
)

// ownWords are lines that sbatch refuses in words which are not repeated.
const ownWords = `--mem|--mem=1.5G|-n 0|-n abc|-c 0|--foo=1|--m=3|--hint=foo|--exclusive=foo|-b foo|-w n0[1-4] -N2|-w g01`

// What a real Slurm refuses, when and nodes refuse, in its words; what it takes, they take, with as many nodes, CPUs and minutes.
func TestAnswersOfSbatch(t *testing.T) {
	const folder = "../../../../testdata/slurm-submit/"
	now, _, err := order.OpenNow(folder+"site", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := Read(now, nil, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(folder + "answers.tsv")
	if err != nil {
		t.Fatal(err)
	}
	refusals, taken := 0, 0
	for row := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimRight(row, "\n"), "\t")
		s.Setup.Enforces = fields[0]
		line, isRefused, said, of := fields[1], fields[2] != "0", fields[3], fields[4]
		where := fields[0] + ": " + line
		o, got := verdictOf(s, "sbatch "+line+" --wrap=x")
		queue := "main"
		if regexp.MustCompile(`-p |--part`).MatchString(line) {
			queue = ""
		}
		w, err := s.WishOf(queue, "daemon", "sbatch "+line+" --wrap=x")
		if ofNodes := refusalOf(w, err); ofNodes != got {
			t.Errorf("%s: when says %q, nodes %q", where, got, ofNodes)
		}
		if (got != "") != isRefused {
			t.Errorf("%s: %q, and sbatch said %q with status %s", where, got, said, fields[2])
			continue
		}
		if isRefused {
			refusals++
			words := said[strings.LastIndex(said, ": ")+2:]
			if !strings.Contains("|"+ownWords+"|", "|"+line+"|") && !strings.Contains(got, words) {
				t.Errorf("%s: %q, and sbatch said %q", where, got, said)
			}
			continue
		}
		taken++
		j, err := o.job()
		if err != nil {
			t.Fatal(where, err)
		}
		is := fmt.Sprintf("NumNodes=%d-%d NumCPUs=%d TimeLimit=%s", j.Request.MinNodes, j.Request.MaxNodes, j.Request.CPUs, slurmTime(j.Limit))
		for part := range strings.FieldsSeq(is) {
			name, value, _ := strings.Cut(part, "=")
			want := regexp.MustCompile(name + `=(\S+)`).FindStringSubmatch(of)[1]
			isRange := strings.Contains(want, "-") || name != "NumNodes" // which else are those that it was planned on
			if isPlanned := line == "-N2-4" || line == "-n3 -N1-8"; isRange && !isPlanned && value != want {
				t.Errorf("%s: %s, and sbatch made of it %s", where, part, of)
			}
		}
	}
	if refusals < 80 || taken < 80 {
		t.Errorf("%d lines were refused and %d taken", refusals, taken)
	}
}

// ownGPUWords are lines that sbatch refuses in words which are not repeated, and unmodelled those that are refused here by name.
const (
	ownGPUWords = `--gpus=2 --cpus-per-gpu=0|--gpus=2 --mem-per-gpu=foo|--tres-per-task=gres:gpu:1 -n2|--gpus-per-socket=1`
	unmodelled  = `--ntasks-per-gpu=2 --gpus=2 -n5|--gpus-per-socket=1 --sockets-per-node=2|--gpus-per-socket=2 --sockets-per-node=1 -n2|--gpus-per-socket=1 --sockets-per-node=2 -N2|` +
		`--gpus-per-socket=1 --sockets-per-node=2 --gpus-per-task=1|--gres=gpu:2 --gpus-per-task=1 -n2|-G 2 --cpus-per-gpu=4 -n9|--gres=gpu:2 --cpus-per-gpu=4 -n9`
)

// otherNodes are lines of which a job gets other nodes or CPUs here, with the reason.
var otherNodes = map[string]string{
	"--gpus=2 --mem-per-gpu=10G":            "a CPU for each GPU, which is said",
	"--gpus=4 --mem-per-gpu=40G":            "a CPU for each GPU, which is said",
	"--exclusive --gpus=1":                  "another of the nodes that have room, whole",
	"--gpus=2 --cpus-per-gpu=4 --exclusive": "another of the nodes that have room, whole",
}

// What a real Slurm makes of GPUs that are asked for, when and nodes make of them: what is refused, and how many CPUs on how many nodes
// the job gets that is alone.
func TestGPUsOfSbatch(t *testing.T) {
	const folder = "../../../../testdata/slurm-submit/"
	now, _, err := order.OpenNow(folder+"gpus", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := Read(now, nil, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(folder + "gpus.tsv")
	if err != nil {
		t.Fatal(err)
	}
	taken, others := 0, map[string]bool{} // lines of which a job gets other nodes or CPUs
	for row := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimRight(row, "\n"), "\t")
		line, isRefused, said, cpus := fields[0], fields[1] != "0", fields[2], fields[3]
		_, got := verdictOf(s, "sbatch -p gpu "+line+" --wrap=x")
		w, err := s.WishOf("gpu", "daemon", "sbatch "+line+" --wrap=x")
		if ofNodes := refusalOf(w, err); ofNodes != got {
			t.Errorf("%s: when says %q, nodes %q", line, got, ofNodes)
		}
		if strings.Contains("|"+unmodelled+"|", "|"+line+"|") {
			if !strings.Contains(got, "is not modelled here") {
				t.Errorf("%s: %q", line, got)
			}
			continue
		}
		if (got != "") != isRefused {
			t.Errorf("%s: %q, and sbatch said %q with status %s", line, got, said, fields[1])
			continue
		}
		if isRefused {
			words := said[strings.LastIndex(said, ": ")+2:]
			if !strings.Contains("|"+ownGPUWords+"|", "|"+line+"|") && !strings.Contains(got, words) {
				t.Errorf("%s: %q, and sbatch said %q", line, got, said)
			}
			continue
		}
		taken++
		sum := int32(0)
		shares := w.PlaceIn(sched.NewMachine(s.Setup.Cluster), w.Partitions[0], s.At, 60)
		for _, share := range shares {
			sum += share.CPUs
		}
		nodes, err := slurm.Hostlist(fields[4])
		is := fmt.Sprintf("%d CPUs on %d nodes", sum, len(shares))
		isOther := is != fmt.Sprintf("%s CPUs on %d nodes", cpus, len(nodes))
		if err != nil || isOther && otherNodes[line] == "" {
			t.Errorf("%s: %s, and Slurm gives it %s on %s", line, is, cpus, fields[4])
		}
		if isOther {
			others[line] = true
		}
	}
	for line, why := range otherNodes {
		if !others[line] {
			t.Errorf("%s gets what Slurm gives it: take it out of otherNodes (%s)", line, why)
		}
	}
	if taken < 70 {
		t.Errorf("%d lines were taken", taken)
	}
}

// verdictOf returns what becomes of a line that is submitted, and why it is refused, "" if it is not.
func verdictOf(s *Site, line string) (*offer, string) {
	of, err := s.New("daemon", "", line)
	if err == nil {
		err = of.Check()
	}
	if err != nil {
		return nil, err.Error()
	}
	return of.(*offer), of.Refused()
}

// refusalOf returns why what is wished for is refused, "" if it is not.
func refusalOf(w *Wish, err error) string {
	if err != nil {
		return err.Error()
	}
	return w.Refused
}

// slurmTime returns a time limit as scontrol prints it.
func slurmTime(seconds int64) string {
	const day = 86400
	if seconds >= 365*day {
		return "UNLIMITED"
	}
	text := time.Unix(seconds, 0).UTC().Format("15:04:05")
	if days := seconds / day; days > 0 {
		text = fmt.Sprintf("%d-%s", days, text)
	}
	return text
}

// What slurmctld took at recorded sites is not refused for what it asks of the nodes.
func TestTakenAreNotRefused(t *testing.T) {
	jobs := 0
	for _, pattern := range []string{"slurm-now/*.tgz", "slurm-site/*.tgz"} {
		names, err := filepath.Glob("../../../../testdata/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			now, _, err := order.OpenNow(name, time.UTC)
			if err != nil {
				t.Fatal(name, err)
			}
			s, _ := ReadNodes(now, time.UTC)
			for id, p := range s.listed {
				jobs++
				if by := s.Setup.RefusesRequest(p.Job, true); by != nil {
					t.Errorf("%s: job %s is there, and would be refused: %s", name, id, by.Detail)
				}
			}
		}
	}
	for _, run := range []string{"S1a", "S2a", "S3a"} {
		for i := range momentsOf(t, run) {
			s := siteOf(t, run, i)
			for id, p := range s.listed {
				jobs++
				if by := s.Setup.RefusesRequest(p.Job, true); by != nil {
					t.Errorf("%s: job %s is there, and would be refused: %s", run, id, by.Detail)
				}
			}
		}
	}
	if jobs < 500 {
		t.Errorf("only %d jobs were looked at", jobs)
	}
}
