package forecast

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/sched"
)

// changed returns the folder of a recorded site, as root sees it, in which the text of some files is another one.
func changed(t *testing.T, site string, files map[string]func(text string) string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range unpacked(t, "../../../../testdata/slurm-site/"+site+".tgz") {
		dirOf, name := filepath.Split(name)
		if filepath.Base(dirOf) != "root" || name == "" {
			continue
		}
		if change := files[name]; change != nil {
			is := change(text)
			if is == text {
				t.Fatalf("%s of %s does not change", name, site)
			}
			text = is
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// limitsOf returns the limits that hold the jobs of a site that wait, by job and partition, as a forecast begins.
func limitsOf(t *testing.T, dir string, rows []order.Row) map[order.Place]string {
	t.Helper()
	now, _, err := order.OpenNow(dir, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := Read(now, nil, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	ledger := sched.NewLedger(s.Setup)
	for _, p := range s.listed {
		if p.Start > 0 {
			ledger.Charge(p.Job, sched.LastSweep(s.Setup.Conf, s.At, s.Swept))
		}
	}
	jobs := map[string]string{} // an ID of the forecast, by that of the list
	for i := range s.Queue {
		jobs[s.Queue[i].ID] = idsOf(&s.Queue[i])[0]
	}
	found := map[order.Place]string{}
	for _, r := range rows {
		if j, isKnown := s.listed[jobs[r.Job.ID]]; isKnown && r.Rank > 0 && r.Job.State == "PENDING" {
			found[r.Place()] = ledger.Holds(s.Setup.EntryOf(j.Job, s.maker.Place(j.Job, r.Partition, r.QOS))).String()
		}
	}
	return found
}

// The limit that sort and explain name for a job is the one that the scheduler holds it for in a forecast: at every
// recorded site and moment, and under limits that none of them has.
func TestLimitsAreThoseOfTheScheduler(t *testing.T) {
	qos := func(column, value string) func(text string) string {
		return func(text string) string {
			lines := strings.Split(text, "\n")
			header := strings.Split(lines[0], "|")
			for i, line := range lines[1:] {
				cells := strings.Split(line, "|")
				for k, name := range header {
					if len(cells) == len(header) && name == column {
						cells[k] = value
						lines[i+1] = strings.Join(cells, "|")
					}
				}
			}
			if !strings.Contains("|"+lines[0]+"|", "|"+column+"|") {
				lines[0] += "|" + column
				for i, line := range lines[1:] {
					if line != "" {
						lines[i+1] += "|" + value
					}
				}
			}
			return strings.Join(lines, "\n")
		}
	}
	newer := func(text string) string {
		return strings.Replace(text, "SLURM_VERSION           = 22.05", "SLURM_VERSION           = 24.11", 1)
	}
	type site struct {
		name, dir string
		want      string // of some job at least, "" for any
		lacks     string // that no job has, "" for nothing
	}
	sites := []site{
		{"Relative", changed(t, "t2_busy", map[string]func(string) string{"sacctmgr-P-qos.txt": qos("Flags", "Relative")}), "", "QOS"},
		{"MaxTRESRunMinsPU", changed(t, "t2_busy", map[string]func(string) string{"sacctmgr-P-qos.txt": qos("MaxTRESRunMinsPU", "cpu=100"), "scontrol-show-config.txt": newer}), "MaxCpuRunMinsPerUser: ", ""},
		{"MaxTRESRunMinsPA", changed(t, "t2_busy", map[string]func(string) string{"sacctmgr-P-qos.txt": qos("MaxTRESRunMinsPA", "mem=100"), "scontrol-show-config.txt": newer}), "MaxMemoryRunMinsPerAccount: ", ""},
		{"billing", changed(t, "t2_busy", map[string]func(string) string{"sacctmgr-P-qos.txt": qos("MaxTRESPU", "billing=3")}), "QOSMaxBillingPerUser: ", ""},
		{"suspended", changed(t, "t2_busy", map[string]func(string) string{"scontrol-show-job.txt": func(text string) string {
			return strings.ReplaceAll(text, "JobState=RUNNING", "JobState=SUSPENDED")
		}}), "QOS", ""},
	}
	for _, name := range []string{"t1_morning", "t2_busy", "t5_end"} {
		sites = append(sites, site{name: name, dir: filepath.Join("../../../../testdata/slurm-site", name+".tgz")})
	}
	for _, run := range []string{"S1a", "S2a", "S3a"} {
		for _, m := range momentsOf(t, run) {
			sites = append(sites, site{name: run + " " + filepath.Base(m.dir), dir: m.dir})
		}
	}
	held := 0
	for _, x := range sites {
		s, err := order.Open(x.dir)
		if err != nil {
			t.Fatal(err)
		}
		rows := s.Rows()
		is, hasWanted := limitsOf(t, x.dir, rows), x.want == ""
		for _, r := range rows {
			want, isKnown := is[r.Place()]
			if got := r.Limit.String(); isKnown && got != want {
				t.Errorf("%s: job %s is held by %q, in a forecast by %q", x.name, r.Job.ID, got, want)
			}
			if want != "" {
				held++
			}
			hasWanted = hasWanted || strings.HasPrefix(want, x.want)
			if x.lacks != "" && strings.HasPrefix(want, x.lacks) {
				t.Errorf("%s: job %s is held by %s", x.name, r.Job.ID, want)
			}
		}
		if !hasWanted {
			t.Errorf("%s: no job is held by %s", x.name, x.want)
		}
	}
	if held < 100 {
		t.Errorf("%d jobs are held", held)
	}
}
