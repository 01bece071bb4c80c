package forecast

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/sched"
)

// parseLine reads what a job asks for, as parse does, or a whole line of sbatch, such as sbatch -N2 job.sh a, with what the #SBATCH
// lines of its script ask for; and says of which that is. A line of srun or salloc has the same options.
func parseLine(text string) (options, []diag.Remark, error) {
	text = strings.TrimSpace(text)
	end := strings.IndexAny(text+" ", " \t\r\n")
	command := path.Base(text[:end])
	if !slices.Contains([]string{"sbatch", "srun", "salloc"}, command) {
		o, err := parse(text)
		return o, nil, err
	}
	words, err := shellWords(strings.TrimSpace(text[end:]))
	if err != nil {
		return nil, nil, err
	}
	list, rest := split(words)
	o, err := parseOptions(list, true)
	switch {
	case err != nil:
		return nil, nil, err
	case len(words) == 0:
		return nil, nil, wrong("%s alone asks for nothing: write its options behind it, such as %s -N 2 -t 1:00:00", command, command)
	case command != "sbatch":
		return o, []diag.Remark{diag.Warningf("a job of %s is forecast as one of sbatch with the same options", command)}, nil
	case len(rest) == 0 || slices.ContainsFunc(list, func(x sched.Option) bool { return x.Name == "wrap" }):
		return o, nil, nil
	}
	return withScript(o, rest[0])
}

// shellWords parts what is asked for into words as a shell does.
func shellWords(text string) ([]string, error) {
	words, err := report.ShellWords(text)
	if err != nil {
		return nil, wrong("%w", err)
	}
	return words, nil
}

// split parts words into the options at their begin, each with its value, which may be the next word, and the rest: a script and its
// arguments.
func split(words []string) (list []sched.Option, rest []string) {
	for len(words) > 0 && strings.HasPrefix(words[0], "-") && words[0] != "-" {
		if words[0] == "--" {
			return list, words[1:]
		}
		name, value, isWhole := sched.SplitOption(words[0])
		if words = words[1:]; !isWhole && hasValue(name) && len(words) > 0 {
			value, words = words[0], words[1:]
		}
		list = append(list, sched.Option{Name: name, Value: value})
	}
	return list, words
}

// withScript returns what a line asks for together with the script that it submits, which is read where it is there: the options of
// the line win.
func withScript(line options, name string) (options, []diag.Remark, error) {
	called := report.Printable(name)
	const most = 4 << 20 // bytes, as sbatch takes by default
	text, err := file.DirAt(filepath.Dir(name)).Read(filepath.Base(name), most)
	if err != nil {
		return line, []diag.Remark{diag.Warningf("%s is not read (%v): what its #SBATCH lines ask for beside the options is not asked for here", called, err)}, nil
	}
	o := options{}
	var read []string
	number := 0
	for text := range strings.Lines(text) {
		number++
		asked, isAsking := strings.CutPrefix(text, "#SBATCH")
		if blank := strings.TrimSpace(text); !isAsking && blank != "" && blank[0] != '#' {
			break // sbatch reads up to the first command
		} else if !isAsking {
			continue
		}
		asked, _, _ = strings.Cut(strings.TrimSpace(asked), " #")
		words, err := shellWords(asked)
		list, rest := split(words)
		var of options
		if err == nil {
			of, err = parseOptions(list, true)
		}
		if err == nil && len(rest) > 0 {
			err = none(rest[0])
		}
		if err != nil {
			return nil, nil, wrong("line %d of %s: %w", number, called, err)
		}
		o.take(of)
		read = append(read, report.Printable(asked))
	}
	if read == nil {
		return line, []diag.Remark{diag.Notef("%s is read, and has no #SBATCH line before its first command", called)}, nil
	}
	said := fmt.Sprintf("of %s these #SBATCH lines are read: %s", called, strings.Join(read, " "))
	if len(line) > 0 {
		said += "; what the line of sbatch asks for counts before them"
	}
	o.take(line)
	return o, []diag.Remark{diag.Notef("%s", said)}, o.check()
}

// take lets options be asked for in place of those that say the same.
func (o options) take(others options) {
	for _, alike := range [][]string{{"mem", "mem-per-cpu"}, ofGRES} {
		if slices.ContainsFunc(alike, func(name string) bool { _, isAsked := others[name]; return isAsked }) {
			maps.DeleteFunc(o, func(name, _ string) bool { return slices.Contains(alike, name) })
		}
	}
	maps.Copy(o, others)
}
