package conformance

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What a command printed is what it was with the prompt of a shell above it, and with the next one below it.
func TestPromptsAroundPrints(t *testing.T) {
	prompts := []string{"[sofia@login ~]$ sacct -u sofia\n", "kim@login1:~$ qstat -f > x; sinfo\n", "# /opt/slurm/bin/scontrol show job\n", "% pbsnodes -av\n", "\n$ squeue\n"}
	isRecord := regexp.MustCompile(`^(\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;|;|#!|\x1f\x8b)|\x00`)
	hold(t, sitesOfForms(t), 19, func(t testing.TB, p place, d *differences) {
		files := filesBelow(t, p.dir)
		for i, name := range slices.Sorted(maps.Keys(files)) {
			text := files[name]
			isOfDaemon := strings.Contains(path.Dir("/"+name), "_priv") // which nobody pastes
			if isOfDaemon || text == "" || isRecord.MatchString(text) || path.Base(name) == "ctime" || path.Base(name) == "formula.txt" {
				continue
			}
			if !strings.HasSuffix(text, "\n") {
				text += "\n"
			}
			prompt := prompts[i%len(prompts)]
			if strings.HasPrefix(text, "# ") { // a prompt of root is a comment as well
				prompt = prompts[0]
			}
			files[name] = prompt + text + "[sofia@login ~]$ "
		}
		prompted := write(t, "prompts/"+p.name, files)
		for _, args := range []string{"sort SITE --all -o csv", "nodes SITE -o csv", "shares SITE -o csv", "history SITE --tz UTC -o csv"} {
			one, other := askOf(words(args), p.dir), askOf(words(args), prompted)
			d.equal("exit of "+args, one.code, other.code)
			if one.isGiven() && one.out != other.out {
				d.add("%s: another answer: %.600s", args, other.said)
			}
		}
	})
}
