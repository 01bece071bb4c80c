package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// questions are what a site is asked that is read in another way: the order, a job, the forecast and
// the metrics. SITE stands for it.
func questions(t testing.TB, p place) [][]string {
	jobs := asked(t, "sort", p.dir, "--all").rows
	return [][]string{
		words("sort SITE --all -o csv"),
		{"explain", jobs[0]["id"], "SITE", "-o", "json"},
		{"explain", jobs[len(jobs)/2]["id"], "SITE", "-o", "json"},
		words("when SITE --runs 1 --tz UTC -o csv"),
		words("metrics SITE"),
	}
}

// A copy that collect makes of a site gives the same answers, and one without names the same
// order.
func TestCollected(t *testing.T) {
	hold(t, sitesOfForms(t), 31, func(t testing.TB, p place, d *differences) {
		args := []string{"collect", filepath.Join(unpackedIn, "collected", strings.ReplaceAll(p.name, "/", "-")+".tgz"), "--snapshot", p.dir}
		if !p.isPBS() {
			args = append(args, "--"+p.scheduler())
		}
		if err := os.MkdirAll(filepath.Dir(args[1]), 0o700); err != nil {
			t.Fatal(err)
		}
		answered(t, args...)
		for _, question := range questions(t, p) {
			same(d, question, askOf(question, p.dir), askOf(question, args[1]))
		}
		args[1] = strings.TrimSuffix(args[1], ".tgz") + "-hidden.tgz"
		if a := ask(append(args, "--obfuscate")...); strings.Contains(a.said, " lacks ") {
			return // what a copy without names needs
		} else if !a.isGiven() {
			t.Fatal(a.said)
		}
		open, hidden := asked(t, "sort", p.dir, "--all"), asked(t, "sort", args[1], "--all")
		for _, column := range words("rank value state considered") { // which have no names
			d.equal(column+" of sort in an obfuscated copy", open.column(column), hidden.column(column))
		}
		if p.isPBS() { // whose copies are replayed where collect is tested, and whose draws go by the names of jobs
			return
		}
		for _, question := range copied {
			one, other := ask(append([]string{question.command, p.dir}, question.args...)...), ask(append([]string{question.command, args[1]}, question.args...)...)
			if question.command == "when" && one.isGiven() != other.isGiven() || one.isGiven() && !other.isGiven() {
				d.add("%s of an obfuscated copy: exit %d and %d: %s", question.command, one.code, other.code, one.said+other.said)
			}
			if !one.isGiven() || !other.isGiven() {
				continue
			}
			of, is := ofCSV(t, one.out), ofCSV(t, other.out)
			for _, column := range question.columns {
				d.equal(column+" of "+question.command+" in an obfuscated copy", of.column(column), is.column(column))
			}
		}
	})
}

// copied are what a copy without names is asked as its site is, and the columns that have no names.
var copied = []struct {
	command string
	args    []string
	columns []string
}{
	{"when", words("--runs 1 --tz UTC -o csv"), words("place p10 p50 p90 requested")},
	{"replay", words("--tz UTC -o starts"), words("start end observed_start by")},
}

// same adds a difference if two answers to a question are not the same.
func same(d *differences, question []string, one, other answer) {
	name := strings.Join(question, " ")
	switch {
	case one.isGiven() != other.isGiven():
		d.add("%s: exit %d and %d: %s", name, one.code, other.code, one.said+other.said)
	case one.isGiven() && one.out != other.out:
		compareText(d, name, one, other)
	}
}

// stand is what stands in for the commands of PBS, Slurm and flux: it prints the files of $SITE.
const stand = `#!/bin/sh
cd "$SITE" || exit 1
case "$(basename $0) $*" in
"qstat -f -F json") f=job/qstat_f_F_json.out ;;
"qstat -Qf") f=server/qstat_Qf.out ;;
"qstat -Bf") f=server/qstat_Bf.out ;;
qmgr*"print resource") f=server/qmgr_pr.out ;;
qmgr*"print server") f=server/qmgr_ps.out ;;
qmgr*"print sched") f=scheduler/qmgr_psched.out ;;
qmgr*"list sched") f=scheduler/qmgr_lsched.out ;;
"pbsnodes -av"*) f=node/pbsnodes_avFjson.out; [ -f $f ] || f=node/pbsnodes_va.out ;; # which is told by its content
pbs_rstat*) exit 0 ;;
"flux jobs -a -A -c 0 --json") f=jobs_all.json ;;
"flux account list-"*" --json") f=list_${2#list-}.json ;;
"scontrol show res") f=reservations.txt; [ -f $f ] || f=scontrol-show-res.txt; [ -f $f ] || { echo "No reservations in the system"; exit 0; } ;;
"squeue -a -o"*) f=squeue-pipe.txt ;;
"scontrol show config") f=scontrol-show-config.txt ;;
"scontrol -d show job") f=scontrol-show-job.txt ;;
"scontrol show node") f=scontrol-show-node.txt ;;
"scontrol show partition") f=scontrol-show-partition.txt ;;
"scontrol show assoc_mgr") f=scontrol-show-assoc_mgr.txt ;;
"sprio -o"*) f=sprio-pipe.txt ;;
"sprio -l") f=sprio-l.txt ;;
"sshare -a -l -P -m") f=sshare-alP.txt ;;
"sacctmgr -P show qos format="*) f=sacctmgr-P-qos.txt ;;
"sacctmgr -P show assoc") f=sacctmgr-P-assoc.txt ;;
*) exit 1 ;;
esac
cat "$f" 2>/dev/null
`

// when a live site was asked is not when its files were written, and other decays come first.
var askedAt = regexp.MustCompile(`(?m)^pbs_snapshot_timestamp_seconds .*\n|"now":\{[^}]*\},|,"back":[^,]*,"says":"[^"]*"| \(it is [^()]* ago\)|, [^",]* before the list: PBS writes it anew only when it changes`)

// inUse is what reservations have as well, of which logs alone tell at some sites: those of a live one are not read.
var inUse = regexp.MustCompile(`(?m)^pbs_(cpus|gpus)_in_use .*\n`)

// A live site, for whose commands others stand in that print the files of a folder, gives the same
// answers as the folder. What a forecast of PBS says depends on when it is
// asked, and so does what explain says of a cycle right now, for which a folder's logs tell the reservations as well.
func TestLive(t *testing.T) {
	if runtime.GOOS == "windows" {
		workshop.Skip(t, "the stand-ins are shell scripts")
	}
	tools := t.TempDir()
	if err := os.Mkdir(filepath.Join(tools, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(tools, "bin")+string(filepath.ListSeparator)+workshop.ToolsAlone(t))
	t.Setenv("PBS_CONF_FILE", filepath.Join(tools, "pbs.conf"))
	t.Setenv("SITE", "")
	but := known{"replay/Q3y/snapshot", `"state":"S"`, "the logs of a live site, which tell when jobs were suspended, are not read"}
	whole, tried, isMet, kinds := 0, 0, true, map[string]bool{}
	for _, p := range sites(t) {
		isWhole := p.isSlurm && exists(p, "scontrol-show-job.txt") && exists(p, "sprio-l.txt") || p.isFlux && exists(p, "jobs_all.json") || exists(p, "server/qstat_Bf.out") && exists(p, "job/qstat_f_F_json.out")
		if !isWhole {
			continue
		}
		kind := fmt.Sprint(p.isSlurm, p.isFlux)
		isFirst := !kinds[kind] && !testing.Short()
		if whole++; !workshop.Among(whole-1, 9) && !isFirst {
			continue
		}
		tried++
		kinds[kind] = true
		isMet = isMet && !but.is(p)
		t.Run(p.name, func(t *testing.T) {
			commands := words("qstat qmgr pbsnodes pbs_rstat")
			switch {
			case p.isSlurm:
				commands = words("scontrol sprio sshare sacctmgr squeue")
			case p.isFlux:
				commands = words("flux")
			}
			for _, command := range commands {
				name := filepath.Join(tools, "bin", command)
				if err := os.WriteFile(name, []byte(stand), 0o700); err != nil {
					t.Fatal(err)
				}
				defer os.Remove(name)
			}
			dir, err := filepath.Abs(p.dir)
			if err != nil {
				t.Fatal(err)
			}
			os.Setenv("SITE", dir)
			if err := os.WriteFile(filepath.Join(tools, "pbs.conf"), []byte("PBS_EXEC="+tools+"\nPBS_HOME="+dir+"\nPBS_SERVER=pbsref\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			areOver := !p.isSlurm && !p.isFlux && strings.Contains(ask("nodes", p.dir).said, "over by the accounting logs") // which a live site has not at hand
			var d differences
			for _, question := range questions(t, p) {
				if areOver && question[0] == "metrics" {
					continue
				}
				one, live := askOf(question, p.dir), question
				if question[0] == "when" {
					if !p.isSlurm {
						continue
					}
					if logs := filepath.Join(p.dir, "sacct-aXP.txt"); exists(p, "sacct-aXP.txt") {
						live = append(live, "--logs", logs)
					}
				}
				other := askOf(live, "--live")
				one.out, other.out = askedAt.ReplaceAllString(one.out, ""), askedAt.ReplaceAllString(other.out, "")
				if !exists(p, "reservation/pbs_rstat_f.out") {
					one.out, other.out = inUse.ReplaceAllString(one.out, ""), inUse.ReplaceAllString(other.out, "")
				}
				same(&d, question, one, other)
			}
			for _, text := range d {
				if but.is(p) && strings.Contains(text, but.says) {
					isMet = true
				} else {
					t.Error(text)
				}
			}
		})
	}
	if !isMet {
		t.Errorf("%s is no difference any more", but.site)
	}
	if tried < fewest(3, 3) {
		t.Errorf("only %d sites", tried)
	}
}

func exists(p place, name string) bool {
	_, err := os.Stat(filepath.Join(p.dir, filepath.FromSlash(name)))
	return err == nil
}
