package forecast

import (
	"cmp"
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
		if isRead == (other != nil) {
			t.Errorf("%s: read %v, and otherwise %+v", name, isRead, other)
		}
	}
	names := map[string]bool{}
	for _, o := range otherOptions {
		name, _, _ := strings.Cut(o.long, "=") // of an option of which a value is told
		if !slices.Contains(all, name) || names[o.long] || o.short != "" && (names[o.short] || longNames[o.short] != "") {
			t.Errorf("%+v is no option of sbatch, or stands twice", o)
		}
		names[o.long], names[o.short] = true, true
	}
	s := siteOf(t, "S1a", 0)
	for _, x := range []struct{ text, want string }{
		{"-n1 --gpus-per-socket=2", "gpus-per-socket is not modelled here: gres=gpu:N"}, {"-n1 --gpus=-1", `"-1" is no value of gpus`}, {"-n1 --gres=gpu:h100:-1", `"gpu:h100:-1" is no value of gres`}, {"-n1 --gpus-per-task=-1", `"-1" is no value of gpus-per-task`}, {"-n1 --gpus-per-node=-2", `"-2" is no value of gpus-per-node`}, {"-n1 --cpus-per-gpu=0", `"0" is no value of cpus-per-gpu`}, {"-n1 --mem-per-gpu=1G --mem=2G", "mem and mem-per-gpu cannot both be asked for (sbatch refuses it"},
		{"-n1 --gpus-per-task=a:b:1", `"a:b:1" is no value of gpus-per-task`}, {"-n1 --switches=few", `"few" is no value of switches`},
		{"-n1 --nodefile=x", "nodefile=x cannot be read: "}, {"ntasks=1,tim=5", `"tim" is no option of sbatch; did you mean time?`}, {"-n1 --time=1h30m", `"1h30m" is no time limit: a number of minutes, HH:MM:SS, D-HH:MM:SS, or UNLIMITED; did you mean 1:30:00? (sbatch refuses it`}, {"-n1 --foo=1", `"foo" is none of`}, {"-n1 --begin", "begin has no value"}, {"-n1 --nice=x", `"x" is no value of nice`}, {"-n1 --exclusive=all", `"all" is no value of exclusive`},
		{"-N7-3 -n9", "nodes=7-3 ends before it begins (sbatch refuses it: Maximum node count 3 is less than minimum node count 7)"}, {"-n1 --mem=1.5G", `"1.5G" is no value of mem`},
		{"-J x -n1 --output=a --requeue", ""}, {"-n1 -Jx --wrap=true -v", ""}, {"-n1 -v x", `"x" is no option: a line that names a script begins with sbatch`}, {"-vQn1", ""}, {"-n4 -n1", ""}, {"job-name=x,ntasks=1", ""},
		{"job-name=a,b,ntasks=1", ""}, {"ntasks=1,comment=x,N=3", ""}, {"ntasks=1,comment=x,foo=3", ""}, {"-n1 --comment=x,N=3", ""}, {"ntasks=1,N=3", `"N" is none of`}, {"ntasks=1,J=x", `"J" is none of`},
		{"-n1 --uid=bob", "uid is not read: --user says whose the job is"}, {"ntasks=1,gid=staff", "gid is not read: --user says whose the job is"},
	} {
		o, err := s.parse(x.text)
		switch {
		case x.want == "" && (err != nil || len(o) != 1 || o["ntasks"] != "1"):
			t.Errorf("%s: %v, %v", x.text, o, err)
		case x.want != "" && (err == nil || !strings.HasPrefix(err.Error(), x.want)):
			t.Errorf("%s: %v, want %s", x.text, err, x.want)
		}
	}
	if o, err := s.parse("-n1 -G a100:2 --switches=1@1:00:00"); err != nil || o["gpus"] != "a100:2" || o["switches"] != "1@1:00:00" {
		t.Errorf("gpus and switches: %v, %v", o, err)
	}
	if o, err := s.parse("ntasks=1,gpus-per-node=t4:1,a100:2"); err != nil || o["gpus-per-node"] != "t4:1,a100:2" {
		t.Errorf("gpus-per-node: %v, %v", o, err)
	}
}

// A value of a list may be called as an option is: of one that has no value, where the site has something of that name.
func TestOptionsAsValues(t *testing.T) {
	s := siteOf(t, "S1a", 0)
	for _, name := range longOptions() {
		isFlag := !hasValue(name)
		for _, list := range append(slices.Clone(lists), "comment", "job-name") {
			text := list + "=a," + name
			o, err := s.parse(text)
			is := o[cmp.Or(longNames[list], list)]
			switch {
			case otherOption(list) != nil: // of which the value is not kept
				if isFlag != (err != nil || len(o) > 0) && otherOption(name) == nil {
					t.Errorf("%s: %v, %v", text, o, err)
				}
			case !isFlag && (err != nil && !strings.Contains(err.Error(), "is no value of "+list) || err == nil && is != "a,"+name):
				t.Errorf("%s: %v, %v", text, o, err)
			case isFlag && err == nil && is != "a":
				t.Errorf("%s: %v", text, o)
			}
		}
		s.Setup.Partitions[0].Name = name
		for _, text := range []string{"partition=a," + name, "partition=" + name + ",a", "queue=a," + name} {
			if o, err := s.parse(text); err != nil || !strings.HasSuffix(text, "="+o["partition"]) {
				t.Errorf("with a partition %s, %s: %v, %v", name, text, o, err)
			}
		}
	}
	s.Setup.Partitions[0].Name = "main"
	if o, err := s.parse("partition=a,time=1:00"); err != nil || o["partition"] != "a" || o["time"] != "1:00" {
		t.Errorf("%v, %v", o, err)
	}
}

// Arrays and dependencies that slurmctld refuses are refused with its words, and others are taken.
func TestArraysAndDependencies(t *testing.T) {
	s := siteOf(t, "S1a", 0)
	s.Setup.Conf = s.Setup.Conf.Clone()
	s.Setup.Conf.MaxArraySize = 1001
	const array, dependency = "Invalid job array specification", "Job dependency problem"
	for _, x := range []struct{ text, want string }{
		{"-a 0-1000", ""}, {"-a 1-3%2", ""}, {"-a 5", ""}, {"-a 1,3,5-7:2", ""}, {"-a [1-3]", ""}, {"-a 1-3:2%1", ""}, {"-a 1,,2", ""}, {"-a 0-1001", array}, {"-a 0-5000", array}, {"-a 1001", array}, {"-a 5-1", array},
		{"-a abc", array}, {"-a 1-x", array}, {"-a -1", array}, {"-a 1-5:0", array}, {"-a 1-5:2000", array}, {"-a 1;2", array}, {"-a 1,x", array}, {"-a 99999999999999999999", array},
		{"-d afterok:99999", ""}, {"-d singleton", ""}, {"-d after:9+10", ""}, {"-d afterany:1:2,afterok:3", ""}, {"-d afterany:1?afterok:3_4", ""}, {"-d AfterOK:3", ""}, {"-d 15", ""}, {"-d 0", ""}, {"-d afternotok:3", ""},
		{"-d nonsense:15", dependency}, {"-d afterok:abc", dependency}, {"-d afterok", dependency}, {"-d afterok:", dependency}, {"-d afterok:0", dependency}, {"-d singleton:4", dependency}, {"-d abc", dependency}, {"-d afterok:3,nonsense:4", dependency},
	} {
		_, err := s.WishOf("main", "", "-n1 '"+strings.Replace(x.text, " ", "' '", 1)+"'")
		if got := fmt.Sprint(err); (x.want == "") != (err == nil) || x.want != "" && !strings.HasSuffix(got, "(sbatch refuses it: "+x.want+")") {
			t.Errorf("%s: %v, want %q", x.text, err, x.want)
		}
	}
	s.Setup.Conf.MaxArraySize = 0
	if _, err := s.WishOf("main", "", "-n1 -a 1"); err == nil {
		t.Error("a site that takes no arrays takes one")
	}
}

// A whole line of sbatch is read as its options, with those of its script that is there: the word and what follows the script are no
// part of what is asked for, and without the word another word is an error.
func TestCommandLine(t *testing.T) {
	s, dir := siteOf(t, "S1a", 0), t.TempDir()
	for name, text := range map[string]string{
		"job.sh":  "#!/bin/bash\n#SBATCH -J \"my job\"\n\n# and\n  # so\n#SBATCH --ntasks=8 --mem-per-cpu=2G # much\n#SBATCH -n 6\nsrun x\n#SBATCH -N 9\n",
		"none.sh": "#!/bin/bash\nsrun x\n#SBATCH -N 9\n", "bad.sh": "#!/bin/bash\n#SBATCH --gpus-per-socket=3\n", "open.sh": "#!/bin/bash\n#SBATCH -J \"a\n", "word.sh": "#!/bin/bash\n#SBATCH hetjob\n",
		"bare.sh": "echo hi\n", "late.sh": "\n#!/bin/bash\n", "dos.sh": "#!/bin/bash\n#SBATCH -n 2\necho\r\n", "empty.sh": "", "blank.sh": "  \n", "pbs.sh": "#!/bin/bash\n#PBS -l nodes=2:ppn=4\n",
		"hosts": "c01,h02\nh[01-02]\n", "glue.sh": "#!/bin/bash\n#SBATCH--ntasks=4\n#SBATCH-N2#two\n#SBATCH --comment=\"a # b\" -t 10\n #SBATCH -N 6\n", "array.sh": "#!/bin/bash\n#SBATCH -a 1-3%2 --dep=afterok:1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	const lines = `of %s these #SBATCH lines are read: -J "my job" --ntasks=8 --mem-per-cpu=2G -n 6`
	job, counts := strings.ReplaceAll(lines, "%s", "job.sh"), "; what the line of sbatch asks for counts before them"
	const behind, arguments = "\nwhat stands behind ", " are arguments of the script, and no options of sbatch: "
	const srun = "a job of srun is forecast as one of sbatch with the same options"
	const noScript = "sbatch refuses it: This does not look like a batch script. The first line must start with #! followed by the path to an interpreter."
	for _, x := range []struct{ text, want, said string }{
		{"sbatch bare.sh", "bare.sh: " + noScript, ""}, {"sbatch late.sh", "late.sh: " + noScript, ""}, {"sbatch dos.sh", `dos.sh: sbatch refuses it: Batch script contains DOS line breaks (\r\n) instead of expected UNIX line breaks (\n).`, ""},
		{"sbatch empty.sh", "empty.sh: sbatch refuses it: Batch script is empty!", ""}, {"sbatch blank.sh", "blank.sh: sbatch refuses it: Batch script contains only whitespace!", ""},
		{"sbatch pbs.sh", "map[]", "1 #PBS line of pbs.sh: sbatch reads those that it knows as well, and they are not read here\npbs.sh is read, and has no #SBATCH line before its first command"},
		{"sbatch glue.sh", "map[nodes:2 ntasks:4 time:10]", `of glue.sh these #SBATCH lines are read: --ntasks=4 -N2 --comment="a # b" -t 10`}, {"sbatch array.sh", "map[array:1-3%2 dependency:afterok:1]", "of array.sh these #SBATCH lines are read: -a 1-3%2 --dep=afterok:1"},
		{"sbatch --part=a,b --ntasks-per-n=2 -n4", "map[ntasks:4 ntasks-per-node:2 partition:a,b]", ""}, {"sbatch --m=3", "--m may mean mail-type, mail-user, mcs-label, mem, mem-bind, mem-per-cpu, mem-per-gpu, mincpus (sbatch refuses it: option '--m' is ambiguous)", ""},
		{"sbatch --ntask-per-node=2", `"ntask-per-node" is no option of sbatch; did you mean ntasks-per-node?`, ""}, {"sbatch --wrap=x job.sh", "a script (job.sh) and --wrap cannot both be submitted", ""},
		{"sbatch -N2 -n 4 away.sh", "map[nodes:2 ntasks:4]", "away.sh is not read (stat away.sh: no such file or directory): what its #SBATCH lines ask for beside the options is not asked for here"},
		{"sbatch job.sh", "map[mem-per-cpu:2G ntasks:6]", job},
		{"sbatch -N2 --mem=1G job.sh -n 3", "map[mem:1G nodes:2 ntasks:6]", job + counts + behind + "job.sh" + arguments + "-n 3"}, {"sbatch job.sh a b", "map[mem-per-cpu:2G ntasks:6]", job}, {"sbatch < job.sh", "map[mem-per-cpu:2G ntasks:6]", job},
		{"/usr/bin/sbatch -J a --output x.log -n4 ./job.sh -n 8 --foo", "map[mem-per-cpu:2G ntasks:4]", strings.ReplaceAll(lines, "%s", "./job.sh") + counts + behind + "./job.sh" + arguments + "-n 8 --foo"},
		{"sbatch none.sh", "map[]", "none.sh is read, and has no #SBATCH line before its first command"},
		{"sbatch bad.sh", "line 2 of bad.sh: gpus-per-socket is not modelled here: gres=gpu:N (or gpus-per-node=N)", ""},
		{"sbatch open.sh", `line 2 of open.sh: a quote (") is opened and not closed: -J "a`, ""},
		{"sbatch word.sh", `line 2 of word.sh: "hetjob" is no option (sbatch refuses it: Invalid directive found in batch script: hetjob)`, ""},
		{"sbatch --mem=4G --exclusive", "map[exclusive: mem:4G]", ""}, {"sbatch -n1 --exclusive=user -s", "map[exclusive=user: ntasks:1 oversubscribe:]", ""},
		{"sbatch -n1 -S 2", "map[core-spec:2 exclusive: ntasks:1]", ""}, {"sbatch -n3 -F hosts", "map[nodelist:c01,h01,h02 ntasks:3]", ""}, {"sbatch -F hosts -w c02", "map[nodelist:c02]", ""}, {"sbatch -F blank.sh", "nodefile=blank.sh names no node", ""},
		{"sbatch --exclusive none.sh -n 3", "map[exclusive:]", "none.sh is read, and has no #SBATCH line before its first command" + behind + "none.sh" + arguments + "-n 3"},
		{`sbatch -J "my job" -N 9999 --comment 'a "b" -N 1' --wrap="sleep 10" -t 1`, "map[nodes:9999 time:1]", ""},
		{`sbatch --wrap "sleep 10" -N 9999`, "map[nodes:9999]", ""}, {"sbatch -N1 --wrap=x -t 1", "map[nodes:1 time:1]", ""}, {`sbatch -J my\ job -J '' -n1`, "map[ntasks:1]", ""},
		{"sbatch -n1 --wrap=hostname -l", `"l" is an option of srun or salloc, and none of sbatch`, ""},
		{"sbatch -N1 --wrap=x -N 9999 -t 1", "map[nodes:9999 time:1]", ""}, {"nodes=1,nodes=2", "nodes is asked for twice", ""},
		{"srun --pty -c 4 bash", "map[cpus-per-task:4]", srun}, {"srun -lu --mpi pmix -T 4 -K -n 3 x -n 5", "map[ntasks:3]", srun}, {"salloc --no-shell -n2", "map[ntasks:2]", strings.Replace(srun, "srun", "salloc", 1)},
		{"sbatch --pty -c 4 bash", `"pty" is an option of srun or salloc, and none of sbatch (sbatch refuses it)`, ""}, {"srun --ptyx -n2", `"ptyx" is none of`, ""},
		{"srun -W 60 -n 4 x", "map[ntasks:4]", srun}, {"srun --wait 60 -n 4 x", "map[ntasks:4]", srun}, {"srun -W60 -n4 x", "map[ntasks:4]", srun}, {"sbatch -W -n 4", "map[ntasks:4]", ""},
		{"srun -n 4 hostname -n 5", "map[ntasks:4]", srun},
		{`sbatch -J "my job -N 2`, `a quote (") is opened and not closed: -J "my job -N 2`, ""}, {`-J 'a -n 2`, `a quote (') is opened and not closed: -J 'a -n 2`, ""}, {`-n 2 \`, "a backslash ends what is asked for", ""},
		{"-N2 -n 4", "map[nodes:2 ntasks:4]", ""}, {"nodes=2,ntasks=4", "map[nodes:2 ntasks:4]", ""}, {`-J "a b" -n 4`, "map[ntasks:4]", ""}, {"-J -n4", "map[]", ""}, {"-n4 --", "map[ntasks:4]", ""},
		{"sbatch -n1 --hold", "map[hold: ntasks:1]", ""}, {"sbatch -Hn1 --nice=-100", "map[hold: nice:-100 ntasks:1]", ""}, {"sbatch -n1 --nice=-", `"-" is no value of nice`, ""}, {"sbatch", "sbatch alone asks for nothing: write its whole line in quotes, such as 'sbatch -N 2 -t 1:00:00'", ""}, {"sbatch -n", `"" is no value of ntasks`, ""},
		{"-n 4 job.sh", `"job.sh" is no option: a line that names a script begins with sbatch`, ""}, {"job.sh", `"job.sh" is no option: a line that names a script begins with sbatch`, ""}, {"./run 4", `"./run" is no option: a line that names a script begins with sbatch`, ""}, {"sbatch --foo job.sh", `"foo" is none of`, ""}, {"ntasks=4,", `"ntasks=4," is none of`, ""},
	} {
		o, said, err := s.parseLine(x.text)
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

// Variables from which sbatch reads options are named with a line of sbatch.
func TestVariables(t *testing.T) {
	s := siteOf(t, "S1a", 0)
	t.Setenv("SBATCH_PARTITION", "short")
	t.Setenv("SBATCH_ACCOUNT", "a")
	for line, want := range map[string]string{"sbatch -n1": "sbatch reads options from SBATCH_ACCOUNT, SBATCH_PARTITION as well, which is not done here", "sbatch -n1 --wrap=x": "sbatch reads options from SBATCH_ACCOUNT, SBATCH_PARTITION as well, which is not done here", "-n1": ""} {
		_, said, err := s.parseLine(line)
		got := ""
		for _, r := range said {
			got += r.Text
		}
		if err != nil || got != want {
			t.Errorf("%s: %q, %v", line, got, err)
		}
	}
}
