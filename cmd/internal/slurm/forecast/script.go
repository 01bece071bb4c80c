package forecast

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
)

// withScript returns what a line asks for together with the script that it submits, which is read where it is there: the options of
// the line win.
func withScript(line options, name string) (options, []diag.Remark, error) {
	called := report.Printable(name)
	const most = 4 << 20 // bytes, as sbatch takes by default
	text, err := file.DirAt(filepath.Dir(name)).Read(filepath.Base(name), most)
	if err != nil {
		return line, []diag.Remark{diag.Warningf("%s is not read (%v): what its #SBATCH lines ask for beside the options is not asked for here", called, err).OfAsked()}, nil
	}
	if why := noScript(text); why != "" {
		return nil, nil, wrong("%s: sbatch refuses it: %s", called, why)
	}
	o, read, remarks, err := readScript(called, text)
	if err != nil {
		return nil, nil, err
	}
	if read == nil {
		return line, append(remarks, diag.Notef("%s is read, and has no #SBATCH line before its first command", called)), nil
	}
	said := fmt.Sprintf("of %s these #SBATCH lines are read: %s", called, strings.Join(read, " "))
	if len(line) > 0 {
		said += "; what the line of sbatch asks for counts before them"
	}
	o.take(line)
	return o, append(remarks, diag.Notef("%s", said)), o.check()
}

// noScript returns the words with which sbatch refuses a script, "" for one that it takes.
func noScript(text string) string {
	switch {
	case text == "":
		return "Batch script is empty!"
	case strings.TrimSpace(text) == "":
		return "Batch script contains only whitespace!"
	case !strings.HasPrefix(text, "#!"):
		return "This does not look like a batch script. The first line must start with #! followed by the path to an interpreter."
	case strings.Contains(text, "\x00"):
		return `The SLURM controller does not allow scripts that contain a NULL character '\0'.`
	case strings.Contains(text, "\r\n"):
		return `Batch script contains DOS line breaks (\r\n) instead of expected UNIX line breaks (\n).`
	}
	return ""
}

// readScript returns what the #SBATCH lines of a script ask for up to its first command, and the lines that are read.
func readScript(called, text string) (o options, read []string, remarks []diag.Remark, err error) {
	o = options{}
	number, others := 0, 0
	for text := range strings.Lines(text) {
		number++
		asked, isAsking := strings.CutPrefix(text, "#SBATCH")
		if blank := strings.TrimSpace(text); !isAsking && blank != "" && blank[0] != '#' {
			break
		} else if !isAsking {
			if strings.HasPrefix(text, "#PBS") {
				others++
			}
			continue
		}
		asked = strings.TrimSpace(withoutComment(asked))
		of, err := directive(asked)
		if err != nil {
			return nil, nil, nil, wrong("line %d of %s: %w", number, called, err)
		}
		o.take(of)
		read = append(read, report.Printable(asked))
	}
	if others > 0 {
		remarks = append(remarks, diag.Warningf("%s of %s: sbatch reads those that it knows as well, and they are not read here", report.Count(others, "#PBS line"), called))
	}
	return o, read, remarks, nil
}

// directive reads what a #SBATCH line asks for.
func directive(asked string) (options, error) {
	list, rest, err := split(asked, "sbatch")
	switch {
	case err != nil:
		return nil, err
	case len(rest) > 0:
		return nil, wrong("%q is no option (sbatch refuses it: Invalid directive found in batch script: %s)", rest[0], report.Printable(rest[0]))
	}
	return parseOptions(list, true)
}

// withoutComment returns a #SBATCH line up to the first # that stands in no quotes.
func withoutComment(line string) string {
	isEscaped, quote := false, rune(0)
	for i, c := range line {
		switch {
		case isEscaped:
			isEscaped = false
		case c == '\\' && quote != '\'':
			isEscaped = true
		case c == quote:
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'':
			quote = c
		case c == '#':
			return line[:i]
		}
	}
	return line
}

// nodesOfFile returns the names of nodes that a file has, on one line or on several, each once.
func nodesOfFile(name string) (string, error) {
	called := report.Printable(name)
	const most = 1 << 20 // bytes
	text, err := file.DirAt(filepath.Dir(name)).Read(filepath.Base(name), most)
	if err != nil {
		return "", wrong("nodefile=%s cannot be read: %w", called, err)
	}
	nodes, err := slurm.Hostlist(strings.Join(strings.Fields(text), ","))
	switch {
	case err != nil:
		return "", wrong("nodefile=%s: %w", called, err)
	case len(nodes) == 0:
		return "", wrong("nodefile=%s names no node", called)
	}
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(nodes))), ","), nil
}
