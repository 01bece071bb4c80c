package forecast

import (
	"fmt"
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

// A whole line of sbatch is read as its options: the word and the script are no part of what is asked for, and without the word
// another word is an error.
func TestCommandLine(t *testing.T) {
	for _, x := range []struct{ text, asked, script string }{
		{"sbatch -N2 -n 4 job.sh", "map[nodes:2 ntasks:4]", "job.sh"},
		{"/usr/bin/sbatch -J a --output x.log -n4 ./job.sh -n 8 --foo", "map[ntasks:4]", "./job.sh"},
		{"sbatch --mem=4G --exclusive", "map[exclusive: mem:4G]", ""},
		{"sbatch --requeue -v -n1 job.sh", "map[ntasks:1]", "job.sh"},
		{"sbatch job.sh", "map[]", "job.sh"},
		{"sbatch -n1 --wrap=hostname -l", "map[ntasks:1]", ""},
		{"-N2 -n 4", "map[nodes:2 ntasks:4]", ""}, {"nodes=2,ntasks=4", "map[nodes:2 ntasks:4]", ""},
		{"sbatch -n1 --hold job.sh", "", ""}, {"sbatch", "", ""}, {"sbatch -n", "", ""}, {"-n 4 job.sh", "", ""}, {"job.sh", "", ""}, {"sbatch --foo job.sh", "", ""},
	} {
		o, script, err := parseLine(x.text)
		if (err != nil) != (x.asked == "") || err == nil && (fmt.Sprint(map[string]string(o)) != x.asked || script != x.script) {
			t.Errorf("%s: %v, script %q, %v", x.text, o, script, err)
		}
	}
}
