package obfuscate

import (
	"regexp"
	"slices"
	"strings"

	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sacct"
	"fairshare/cmd/internal/slurm/sched"
)

// oneLineRest is how scontrol -o goes on behind the name of a job.
var oneLineRest = regexp.MustCompile(` UserId=\S+ GroupId=\S+ MCS_label=`)

// records rewrites what scontrol prints, one record after the other, with the fields that are kept, of which
// first begins a record.
// The name of a job, which may have anything in it, ends the line it stands in.
func (h *hider) records(text, first string, fields map[string]value) string {
	var b strings.Builder
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "No ") {
			continue
		}
		isFirst := false
		before, behind, hasName := strings.Cut(line, " JobName=")
		if hasName {
			line = before
			if m := oneLineRest.FindStringIndex(behind); m != nil { // of scontrol -o
				line += behind[m[0]:]
			}
		}
		for word := range strings.FieldsSeq(line) {
			key, value, ok := strings.Cut(word, "=")
			lower := strings.ToLower(key)
			if lower == first {
				if len(seen) > 0 {
					b.WriteString("\n\n")
				}
				seen, isFirst = map[string]bool{}, true
			}
			if change := fields[lower]; ok && change != nil && !seen[lower] {
				if !isFirst {
					b.WriteString(" ")
				}
				b.WriteString(key + "=" + change(h, value))
				if lower == "jobid" {
					b.WriteString(" JobName=job\n  ")
				}
				seen[lower], isFirst = true, false
			}
		}
	}
	if b.Len() == 0 {
		return "No jobs in the system\n"
	}
	return b.String() + "\n"
}

// table rewrites a table with the columns that are kept. One in columns of a width has its cells
// parted by blanks.
func (h *hider) table(text string, columns map[string]value) string {
	var b strings.Builder
	var header []string
	var isPart []bool // whether a column PARTITION is the second or third, which are numbers
	between := " "
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || dump.ClusterLine.MatchString(line+"\n") {
			continue
		}
		cells := strings.Fields(line)
		if strings.Contains(line, "|") {
			cells, between = strings.Split(line, "|"), "|"
		}
		isHeader := header == nil
		if isHeader {
			header = dump.ColumnsOf(line)
			seen := map[string]bool{}
			for _, name := range header {
				isPart = append(isPart, name == "partition" && seen[name])
				seen[name] = true
			}
		}
		if len(cells) > len(header) || len(cells) < len(header)-1 {
			if !dump.IsWeights(cells) {
				h.rows++
			}
			continue
		}
		if dump.IsWeights(cells) {
			continue
		}
		var kept []string
		for i, cell := range cells {
			change := columns[header[i]]
			switch {
			case change == nil || between == " " && header[i] == "tres": // which is cut there
				continue
			case isPart[i]:
				change = keep
			}
			if !isHeader {
				cell = change(h, cell)
			}
			kept = append(kept, cell)
		}
		b.WriteString(strings.Join(kept, between) + "\n")
	}
	return b.String()
}

// accounting rewrites a table of sacct with the columns that are kept, without steps.
func (h *hider) accounting(text string) string {
	columns := hideColumns[dump.KindAccounting]
	var b strings.Builder
	var split *sacct.Splitter
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		var kept []string
		switch {
		case line == "":
			continue
		case split == nil || sacct.IsHeader([]byte(line)):
			split = sacct.NewSplitter([]byte(line), func(column string) bool { return columns[column] != nil && column != "submitline" })
			for i, name := range strings.Split(line, "|") {
				if columns[split.Names[i]] != nil {
					kept = append(kept, name)
				}
			}
		default:
			cells, why := split.Split([]byte(line))
			if why != "" {
				h.rows++
				continue
			}
			if at := slices.Index(split.Names, "jobid"); at >= 0 && strings.Contains(string(cells[at]), ".") {
				continue
			}
			for i, cell := range cells {
				if change := columns[split.Names[i]]; change != nil {
					kept = append(kept, change(h, strings.TrimSpace(string(cell))))
				}
			}
		}
		b.WriteString(strings.Join(kept, "|") + "\n")
	}
	return b.String()
}

// keptOptions are the options of sbatch that say what a job asks of the nodes, and what is kept of
// their values.
var keptOptions = map[string]value{
	"N": keep, "nodes": keep, "n": keep, "ntasks": keep, "c": keep, "cpus-per-task": keep, "ntasks-per-node": keep, "mem": keep, "mem-per-cpu": keep,
	"C": features, "constraint": features, "exclusive": always(""), "gres": gres, "reservation": name("reservation"), "dependency": always("hidden"), "d": always("hidden"),
	"p": nameList("partition"), "partition": nameList("partition"), "L": licences, "licenses": licences, "a": keep, "array": keep,
}

// submitLine keeps what the line that submitted a job asks of the nodes.
func submitLine(h *hider, text string) string {
	words := strings.Fields(text)
	if len(words) == 0 || !strings.HasSuffix(words[0], "sbatch") {
		return ""
	}
	kept := []string{"sbatch"}
	for _, o := range sched.SplitOptions(sched.SubmitOptions(words[1:])) {
		change := keptOptions[o.Name]
		if change == nil {
			continue
		}
		dashes, between := "--", "="
		if len(o.Name) == 1 {
			dashes, between = "-", ""
		}
		if value := change(h, o.Value); value == "" {
			kept = append(kept, dashes+o.Name)
		} else {
			kept = append(kept, dashes+o.Name+between+value)
		}
	}
	return strings.Join(kept, " ")
}
