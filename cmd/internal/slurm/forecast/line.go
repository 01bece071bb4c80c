package forecast

import (
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/sched"
)

// parseLine reads what a job asks for, as parse does, or a whole line of sbatch, such as sbatch -N2 job.sh a, with what the #SBATCH
// lines of its script ask for; and says of which that is. A line of srun or salloc has the same options.
func (s *Site) parseLine(text string) (options, []diag.Remark, error) {
	text = strings.TrimSpace(text)
	end := strings.IndexAny(text+" ", " \t\r\n")
	command := path.Base(text[:end])
	if !slices.Contains([]string{"sbatch", "srun", "salloc"}, command) {
		o, err := s.parse(text)
		return o, nil, err
	}
	asked := strings.TrimSpace(text[end:])
	list, rest, err := split(asked, command)
	if err != nil {
		return nil, nil, err
	}
	if command != "sbatch" {
		list = slices.DeleteFunc(list, isOfSrunAlone)
	}
	o, err := parseOptions(list, true)
	switch {
	case err != nil:
		return nil, nil, err
	case asked == "":
		return nil, nil, wrong("%s alone asks for nothing: write its whole line in quotes, such as '%[1]s -N 2 -t 1:00:00'", command)
	case command != "sbatch":
		return o, []diag.Remark{diag.Warningf("a job of %s is forecast as one of sbatch with the same options", command)}, nil
	case slices.ContainsFunc(list, func(x sched.Option) bool { return x.Name == "wrap" }):
		if len(rest) > 0 {
			return nil, nil, wrong("a script (%s) and --wrap cannot both be submitted (sbatch refuses it: Script arguments not permitted with --wrap option)", report.Printable(rest[0]))
		}
		return o, unread(), nil
	case len(rest) > 1 && rest[0] == "<": // a shell gives sbatch the script
		rest = rest[1:]
	case len(rest) == 0:
		return o, unread(), nil
	}
	o, said, err := withScript(o, rest[0])
	said = append(said, unread()...)
	if err == nil && slices.ContainsFunc(rest[1:], func(word string) bool { return strings.HasPrefix(word, "-") }) {
		said = append(said, diag.Warningf("what stands behind %s are arguments of the script, and no options of sbatch: %s", report.Printable(rest[0]), report.Printable(strings.Join(rest[1:], " "))))
	}
	return o, said, err
}

// unread says which variables are set that sbatch reads as options.
func unread() []diag.Remark {
	var names []string
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "SBATCH_") {
			names = append(names, name)
		}
	}
	if names == nil {
		return nil
	}
	slices.Sort(names)
	return []diag.Remark{diag.Warningf("sbatch reads options from %s as well, which is not done here", report.Printable(strings.Join(names, ", ")))}
}

// split parts a text into words as a shell does, and these into the options at their begin, each by its name in full and with its value,
// which may be the next word, and the rest: a script and its arguments. --wait is a flag of sbatch, and has seconds with srun.
func split(text, command string) (list []sched.Option, rest []string, err error) {
	words, err := report.ShellWords(text)
	if err != nil {
		return nil, nil, wrong("%w", err)
	}
	hasValue := func(name string) bool {
		return hasValue(name) || command == "srun" && (name == "wait" || name == "W")
	}
	for len(words) > 0 && strings.HasPrefix(words[0], "-") && words[0] != "-" {
		if words[0] == "--" {
			return list, words[1:], nil
		}
		isLong := strings.HasPrefix(words[0], "--")
		name, value, isWhole := sched.SplitOption(words[0])
		words = words[1:]
		switch {
		case isLong:
			if name, err = inFull(name); err != nil {
				return nil, nil, err
			}
		case isWhole && !hasValue(name): // letters of several options
			words, value = append([]string{"-" + value}, words...), ""
		}
		if !isWhole && hasValue(name) && len(words) > 0 {
			value, words = words[0], words[1:]
		}
		list = append(list, sched.Option{Name: name, Value: value})
	}
	if len(words) > 0 && words[0] == ":" {
		return nil, nil, wrong("a job of several components (heterogeneous, with :) is not modelled")
	}
	return list, words, nil
}

// take lets options be asked for in place of those that say the same.
func (o options) take(others options) {
	o.forget(ofMemory, others)
	maps.Copy(o, others)
}

// hasAny reports whether one of some options is asked for.
func (o options) hasAny(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { _, isAsked := o[name]; return isAsked })
}

// forget lets no option of those that say the same be asked for any more where others ask for one of them.
func (o options) forget(alike []string, others options) {
	if others.hasAny(alike) {
		maps.DeleteFunc(o, func(name, _ string) bool { return slices.Contains(alike, name) })
	}
}
