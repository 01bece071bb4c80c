package forecast

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// optionsOfManual are the options of sbatch as its manual lists them (Slurm 24.11).
const optionsOfManual = `account acctg-freq array batch bb bbf begin chdir cluster-constraint clusters comment constraint container container-id contiguous core-spec
cores-per-socket cpu-freq cpus-per-gpu cpus-per-task deadline delay-boot dependency distribution error exclude exclusive export export-file extra extra-node-info
get-user-env gid gpu-bind gpu-freq gpus gpus-per-node gpus-per-socket gpus-per-task gres gres-flags hint hold ignore-pbs input job-name kill-on-invalid-dep licenses
mail-type mail-user mcs-label mem mem-bind mem-per-cpu mem-per-gpu mincpus network nice no-kill no-requeue nodefile nodelist nodes ntasks ntasks-per-core ntasks-per-gpu
ntasks-per-node ntasks-per-socket oom-kill-step open-mode output overcommit oversubscribe parsable partition prefer priority profile propagate qos quiet reboot requeue
reservation segment signal sockets-per-node spread-job stepmgr switches test-only thread-spec threads-per-core time time-min tmp tres-bind tres-per-task uid
use-min-nodes verbose wait wait-all-nodes wckey wrap`

// Each option of sbatch is asked for, changes nothing, or is refused by its name with a reason.
func TestOptionsOfSbatch(t *testing.T) {
	all := strings.Fields(optionsOfManual)
	for _, name := range all {
		_, isRead := forms[name]
		other := otherOption(name)
		if name == "gpus-per-node" { // another word for gres
			continue
		}
		if isRead == (other != nil) {
			t.Errorf("%s: read %v, and otherwise %+v", name, isRead, other)
		}
	}
	names := map[string]bool{}
	for _, o := range otherOptions {
		if !slices.Contains(all, o.long) || names[o.long] || o.short != "" && (names[o.short] || longNames[o.short] != "") {
			t.Errorf("%+v is no option of sbatch, or stands twice", o)
		}
		names[o.long], names[o.short] = true, true
	}
	for _, x := range []struct{ text, want string }{
		{"-n1 --gpus-per-socket=2", "gpus-per-socket is not modelled here: gres=gpu:N"}, {"-n1 -G2 --gpus-per-task=1", "gpus and gpus-per-task cannot both be asked for here"}, {"ntasks=1,gres=gpu:1,gpus=2", "gres and gpus cannot both be asked for here"},
		{"-n1 -G0", `"0" is no value of gpus`}, {"-n1 --gpus-per-task=a:b:1", `"a:b:1" is no value of gpus-per-task`}, {"-n1 --switches=few", `"few" is no value of switches`},
		{"-n1 --begin=now+1hour", "begin is not modelled here: the job comes now"}, {"-n1 -b now", "begin is not modelled here"}, {"-n1 --reservation=x", "reservation is not modelled here: the job is of no reservation"},
		{"-n1 -d afterok:1", "dependency is not modelled here"}, {"-n1 -a 1-3", "array is not modelled here"}, {"-n1 --nodefile=x", "nodefile is not modelled here"}, {"-n1 --foo=1", `"foo" is none of`},
		{"-J x -n1 --output=a --requeue", ""}, {"-n1 -Jx --wrap=true -v", ""}, {"-n1 -v x", `"-n1 -v x" is none of`}, {"job-name=x,ntasks=1", ""},
		{"job-name=a,b,ntasks=1", ""}, {"ntasks=1,comment=x,N=3", ""}, {"ntasks=1,comment=x,foo=3", ""}, {"-n1 --comment=x,N=3", ""}, {"ntasks=1,N=3", `"N" is none of`}, {"ntasks=1,J=x", `"J" is none of`},
		{"-n1 --uid=bob", "uid is not read: --user says whose the job is"}, {"ntasks=1,gid=staff", "gid is not read: --user says whose the job is"}, {"-n1 -H", "hold is not modelled here: the job is asked about as if it were not held"},
	} {
		o, err := parse(x.text)
		switch {
		case x.want == "" && (err != nil || len(o) != 1 || o["ntasks"] != "1"):
			t.Errorf("%s: %v, %v", x.text, o, err)
		case x.want != "" && (err == nil || !strings.HasPrefix(err.Error(), x.want)):
			t.Errorf("%s: %v, want %s", x.text, err, x.want)
		}
	}
	if o, err := parse("-n1 -G a100:2 --switches=1@1:00:00"); err != nil || o["gpus"] != "a100:2" || o["switches"] != "1@1:00:00" {
		t.Errorf("gpus and switches: %v, %v", o, err)
	}
	if o, err := parse("-n1 --gpus-per-node=a100:2"); err != nil || o["gres"] != "gpu:a100:2" {
		t.Errorf("gpus-per-node: %v, %v", o, err)
	}
}

// A whole line of sbatch is read as its options, with those of its script that is there: the word and what follows the script are no
// part of what is asked for, and without the word another word is an error.
func TestCommandLine(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"job.sh":  "#!/bin/bash\n#SBATCH -J \"my job\"\n\n# and\n  # so\n#SBATCH --ntasks=8 --mem-per-cpu=2G # much\n#SBATCH -n 6\nsrun x\n#SBATCH -N 9\n",
		"none.sh": "#!/bin/bash\nsrun x\n#SBATCH -N 9\n", "bad.sh": "#!/bin/bash\n#SBATCH --array=1-3\n", "open.sh": "#SBATCH -J \"a\n", "word.sh": "#SBATCH hetjob\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	const lines = `of %s these #SBATCH lines are read: -J "my job" --ntasks=8 --mem-per-cpu=2G -n 6`
	job, counts := strings.ReplaceAll(lines, "%s", "job.sh"), "; what the line of sbatch asks for counts before them"
	for _, x := range []struct{ text, want, said string }{
		{"sbatch -N2 -n 4 away.sh", "map[nodes:2 ntasks:4]", "away.sh is not read (stat away.sh: no such file or directory): what its #SBATCH lines ask for beside the options is not asked for here"},
		{"sbatch job.sh", "map[mem-per-cpu:2G ntasks:6]", job},
		{"sbatch -N2 --mem=1G job.sh -n 3", "map[mem:1G nodes:2 ntasks:6]", job + counts},
		{"/usr/bin/sbatch -J a --output x.log -n4 ./job.sh -n 8 --foo", "map[mem-per-cpu:2G ntasks:4]", strings.ReplaceAll(lines, "%s", "./job.sh") + counts},
		{"sbatch none.sh", "map[]", "none.sh is read, and has no #SBATCH line before its first command"},
		{"sbatch bad.sh", "line 2 of bad.sh: array is not modelled here: one job is asked about: ask about a task of the array", ""},
		{"sbatch open.sh", `line 1 of open.sh: a quote (") is opened and not closed: -J "a`, ""},
		{"sbatch word.sh", `line 1 of word.sh: "hetjob" is none of`, ""},
		{"sbatch --mem=4G --exclusive", "map[exclusive: mem:4G]", ""},
		{"sbatch --exclusive none.sh -n 3", "map[exclusive:]", "none.sh is read, and has no #SBATCH line before its first command"},
		{`sbatch -J "my job" -N 9999 --comment 'a "b" -N 1' --wrap="sleep 10" -t 1`, "map[nodes:9999 time:1]", ""},
		{`sbatch --wrap "sleep 10" -N 9999`, "map[nodes:9999]", ""}, {"sbatch -N1 --wrap=x -t 1", "map[nodes:1 time:1]", ""}, {`sbatch -J my\ job -J '' -n1`, "map[ntasks:1]", ""},
		{"sbatch -n1 --wrap=hostname -l", `"l" is none of`, ""},
		{"sbatch -N1 --wrap=x -N 9999 -t 1", "nodes is asked for twice", ""},
		{"srun -n 4 hostname -n 5", "map[ntasks:4]", "a job of srun is forecast as one of sbatch with the same options"},
		{`sbatch -J "my job -N 2`, `a quote (") is opened and not closed: -J "my job -N 2`, ""}, {`-J 'a -n 2`, `a quote (') is opened and not closed: -J 'a -n 2`, ""}, {`-n 2 \`, "a backslash ends what is asked for", ""},
		{"-N2 -n 4", "map[nodes:2 ntasks:4]", ""}, {"nodes=2,ntasks=4", "map[nodes:2 ntasks:4]", ""}, {`-J "a b" -n 4`, "map[ntasks:4]", ""}, {"-J -n4", "map[]", ""}, {"-n4 --", "map[ntasks:4]", ""},
		{"sbatch -n1 --hold job.sh", "hold is not modelled here", ""}, {"sbatch", "sbatch alone asks for nothing: write its options behind it, such as sbatch -N 2 -t 1:00:00", ""}, {"sbatch -n", `"" is no value of ntasks`, ""},
		{"-n 4 job.sh", `"-n 4 job.sh" is none of`, ""}, {"job.sh", `"job.sh" is none of`, ""}, {"sbatch --foo job.sh", `"foo" is none of`, ""}, {"ntasks=4,", `"ntasks=4," is none of`, ""},
	} {
		o, said, err := parseLine(x.text)
		got := fmt.Sprint(map[string]string(o))
		if err != nil {
			got = err.Error()
		}
		var texts []string
		for _, r := range said {
			texts = append(texts, r.Text)
		}
		if isSo := got == x.want || err != nil && strings.HasPrefix(got, x.want); !isSo || strings.Join(texts, "\n") != x.said {
			t.Errorf("%s: %s, and says %q", x.text, got, texts)
		}
	}
}
