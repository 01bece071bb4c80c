package conformance

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// The relations of an order and of what jobs wait for hold at random sites as well: recorded ones
// whose limits, settings and jobs are others.
func TestRandomSites(t *testing.T) {
	each := 2
	if workshop.TestsAll() {
		each = 20
	}
	var list []place
	for i := range each {
		list = append(list, randomPBS(t, i), randomSlurm(t, i))
	}
	hold(t, list, 1, func(t testing.TB, p place, d *differences) {
		forecast := forecastOf(t, p)
		if forecast == nil {
			t.Fatal("no forecast")
		}
		if p.isSlurm {
			waitsOfSlurm(t, p, d, forecast)
		} else {
			waitsOfPBS(t, p, d, forecast)
		}
		compareOrders(t, p, d, asked(t, "sort", p.dir, "--all"))
	})
}

// mutator changes texts at random.
type mutator struct{ *rand.Rand }

// of returns one of some texts.
func (m mutator) of(list ...string) string { return list[m.IntN(len(list))] }

// replaced replaces some of what a pattern matches.
func (m mutator) replaced(text, pattern string, chance float64, by func(old string) string) string {
	return regexp.MustCompile(pattern).ReplaceAllStringFunc(text, func(old string) string {
		if m.Float64() < chance {
			return by(old)
		}
		return old
	})
}

// randomPBS returns a recorded moment with other limits, settings of the scheduler and jobs.
func randomPBS(t testing.TB, i int) place {
	m := mutator{rand.New(rand.NewPCG(uint64(i), 1))}
	var moments []place
	for _, p := range sites(t) {
		if strings.HasPrefix(p.name, "moments/") && !strings.Contains(p.name, ":") {
			moments = append(moments, p)
		}
	}
	from := moments[m.IntN(len(moments))]
	files := filesBelow(t, from.dir)
	jobs := strings.NewReplacer(`": "`, `":"`, `", "`, `","`).Replace(files["job/qstat_f_F_json.out"])
	names := func(attribute string) (list []string) {
		for _, found := range regexp.MustCompile(`"`+attribute+`":"([^"]+)"`).FindAllStringSubmatch(jobs, -1) {
			list = append(list, found[1])
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
	users, groups, queues := names("euser"), names("egroup"), slices.DeleteFunc(names("queue"), func(name string) bool { return regexp.MustCompile(`^[RSM]\d`).MatchString(name) })
	whose := func() string {
		return m.of("u:PBS_GENERIC", "g:PBS_GENERIC", "o:PBS_ALL", "p:PBS_GENERIC", "u:"+m.of(users...), "g:"+m.of(groups...))
	}
	limits := func(chance float64) (text string) {
		for m.Float64() < chance {
			if m.IntN(2) == 0 {
				text += fmt.Sprintf("    max_run = [%s=%d]\n", whose(), m.IntN(9))
			} else {
				text += fmt.Sprintf("    max_run_res.ncpus = [%s=%d]\n", whose(), m.IntN(160))
			}
		}
		return text
	}
	files["server/qstat_Bf.out"] = m.replaced(files["server/qstat_Bf.out"], `    server_state = .*\n`, 1, func(old string) string {
		return old + limits(0.7) + fmt.Sprintf("    backfill_depth = %d\n", m.IntN(4))
	})
	files["server/qstat_Qf.out"] = m.replaced(files["server/qstat_Qf.out"], `    queue_type = Execution\n`, 0.5, func(old string) string {
		return old + limits(0.5)
	})
	for _, name := range []string{"strict_ordering", "by_queue", "round_robin", "fair_share"} {
		files["sched_priv/sched_config"] = m.replaced(files["sched_priv/sched_config"], `(?m)^`+name+`:.*$`, 0.3, func(string) string {
			return name + ":\t" + m.of("true", "false") + "\tALL"
		})
	}
	jobs = m.replaced(jobs, `"job_state":"Q","substate": ?\d+,"queue":"[a-z]+"`, 0.3, func(string) string {
		return `"job_state":"` + m.of("Q", "Q", "Q", "H", "W") + `","substate":10,"queue":"` + m.of(queues...) + `"`
	})
	files["job/qstat_f_F_json.out"] = m.replaced(jobs, `"walltime":"\d\d:\d\d:00"`, 0.2, func(string) string {
		return fmt.Sprintf(`"walltime":"%02d:%02d:00"`, m.IntN(30), 1+m.IntN(59))
	})
	name := fmt.Sprintf("random/pbs/%d", i)
	return place{name: name, dir: write(t, name, files)}
}

// randomSlurm returns a recorded moment with other limits of QOS and associations, and other jobs.
func randomSlurm(t testing.TB, i int) place {
	m := mutator{rand.New(rand.NewPCG(uint64(i), 2))}
	var moments []place
	for _, p := range sites(t) {
		_, err := os.Stat(filepath.Join(p.dir, "scontrol-show-node.txt")) // which lists of jobs alone lack
		if strings.HasPrefix(p.name, "slurm-replay/") && err == nil {
			moments = append(moments, p)
		}
	}
	files := filesBelow(t, moments[m.IntN(len(moments))].dir)
	tres := func(most int) func() string {
		return func() string {
			return m.of(fmt.Sprintf("cpu=%d", m.IntN(most)), fmt.Sprintf("node=%d", m.IntN(most/8+2)), fmt.Sprintf("cpu=%d,mem=%dG", m.IntN(most), m.IntN(4*most)), fmt.Sprintf("gres/gpu=%d", m.IntN(6)))
		}
	}
	count := func() string { return fmt.Sprint(m.IntN(12)) }
	wall := func() string { return fmt.Sprintf("%02d:00:00", 1+m.IntN(20)) }
	fills := map[string]func() string{
		"GrpTRES": tres(200), "GrpTRESRunMins": tres(60000), "GrpJobs": count, "MaxTRES": tres(80), "MaxTRESPerNode": tres(20), "MaxTRESMins": tres(9000),
		"MaxWall": wall, "MaxTRESPU": tres(120), "MaxJobsPU": count, "MaxTRESPA": tres(160), "MaxJobsPA": count, "MinTRES": tres(4), "MaxJobs": count,
		"MaxTRESRunMinsPU": tres(60000), "Flags": func() string { return m.of("Relative", "OverPartQOS", "DenyOnLimit", "NoDecay") },
	}
	for _, name := range []string{"sacctmgr-P-qos.txt", "sacctmgr-P-assoc.txt"} {
		lines := strings.Split(files[name], "\n")
		columns := strings.Split(lines[0], "|")
		if name == "sacctmgr-P-qos.txt" {
			columns = append(columns, "MaxTRESRunMinsPU") // which newer versions print
			lines[0] += "|MaxTRESRunMinsPU"
		}
		for i, text := range lines[1:] {
			cells := strings.Split(text, "|")
			if len(cells) == len(columns)-1 {
				cells = append(cells, "")
			}
			for k, column := range columns {
				if fill := fills[column]; fill != nil && k < len(cells) && m.Float64() < 0.06 {
					cells[k] = fill()
				}
			}
			lines[i+1] = strings.Join(cells, "|")
		}
		files[name] = strings.Join(lines, "\n")
	}
	files["scontrol-show-job.txt"] = m.replaced(files["scontrol-show-job.txt"], `TimeLimit=\d\d:\d\d:\d\d`, 0.2, func(string) string { return "TimeLimit=" + wall() })
	files["scontrol-show-job.txt"] = m.replaced(files["scontrol-show-job.txt"], `QOS=(normal|high|low)\b`, 0.2, func(string) string { return "QOS=" + m.of("normal", "high", "low") })
	name := fmt.Sprintf("random/slurm/%d", i)
	return place{name: name, dir: write(t, name, files), isSlurm: true}
}
