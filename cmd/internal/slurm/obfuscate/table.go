package obfuscate

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sacct"
	"fairshare/cmd/internal/slurm/sched"
)

// oneLineRest is how scontrol -o goes on behind the name of a job.
var oneLineRest = pattern.Of(` UserId=\S+ GroupId=\S+ MCS_label=`)

// records rewrites what scontrol prints, one record after the other, with the fields that are kept, of which
// first begins a record. none is what it prints where there is none.
// The name of a job, which may have anything in it, ends the line it stands in.
func (h *hider) records(text, first, none string, fields func(name string) slurm.Copy) string {
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
			if m := oneLineRest().FindStringIndex(behind); m != nil { // of scontrol -o
				line += behind[m[0]:]
				behind = behind[:m[0]]
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
			if how := fields(key); ok && how != slurm.CopyNot && (!seen[lower] || first == "jobid" && slurm.IsPerNode(key)) {
				if !isFirst {
					b.WriteString(" ")
				}
				b.WriteString(key + "=" + h.rewritten(how, value))
				if lower == "jobid" {
					b.WriteString(" JobName=" + h.rewritten(slurm.CopyJobName, behind) + "\n  ")
				}
				seen[lower], isFirst = true, false
			}
		}
	}
	if b.Len() == 0 {
		if none == "" {
			return ""
		}
		return none + "\n"
	}
	return b.String() + "\n"
}

// manager rewrites what scontrol show assoc_mgr prints of associations and QOS.
func (h *hider) manager(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if ownHeading().MatchString(trimmed) {
			b.WriteString(trimmed + "\n")
			continue
		}
		isFirst := strings.HasPrefix(line, "ClusterName=") || strings.HasPrefix(line, "QOS=")
		if strings.HasPrefix(line, "UserName=") {
			continue
		}
		var kept []string
		for word := range strings.FieldsSeq(trimmed) {
			key, value, ok := strings.Cut(word, "=")
			if how := dump.CopyOf(dump.KindManager, strings.ToLower(key)); ok && how != slurm.CopyNot {
				kept = append(kept, key+"="+h.rewritten(how, value))
			}
		}
		if len(kept) == 0 {
			continue
		}
		if !isFirst {
			b.WriteString("    ")
		}
		b.WriteString(strings.Join(kept, " ") + "\n")
	}
	return b.String()
}

// ownHeading is a heading of scontrol show assoc_mgr.
var ownHeading = pattern.Of(`^(Current Association Manager state|(User|Association|QOS) Records|No [a-z]+ currently cached in Slurm\.)$`)

// table rewrites a table with the columns that are kept. One in columns of a width has its cells
// parted by blanks.
func (h *hider) table(text string, k dump.Kind) string {
	var b strings.Builder
	var header []string
	var isPart []bool // whether a column PARTITION is the second or third, which are numbers
	between := " "
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || dump.ClusterLine().MatchString(line+"\n") {
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
		if dump.IsWeights(cells) {
			continue
		}
		if cells = joinReason(header, cells); len(cells) > len(header) || len(cells) < len(header)-1 {
			h.rows++
			continue
		}
		if between == " " && !isHeader {
			cells = h.uncut(header, cells)
		}
		var kept []string
		for i, cell := range cells {
			how := dump.CopyOf(k, header[i])
			if how == slurm.CopyNot {
				continue
			}
			if isPart[i] {
				how = slurm.CopyValue
			}
			if !isHeader {
				cell = h.rewritten(how, cell)
			}
			kept = append(kept, cell)
		}
		b.WriteString(strings.Join(kept, between) + "\n")
	}
	return b.String()
}

// joinReason puts the cells together that pipes in the reason of an event have parted.
func joinReason(header, cells []string) []string {
	at := slices.Index(header, "reason")
	if n := len(header); len(cells) == n+1 && cells[n] == "" { // of -p, whose lines end with one
		return cells[:n]
	}
	if more := len(cells) - len(header); more > 0 && at >= 0 && at < len(header) {
		return slices.Concat(cells[:at], []string{strings.Join(cells[at:at+more+1], "|")}, cells[at+more+1:])
	}
	return cells
}

// uncut returns a row of sprio whose names the width of a table has not cut off: those that the job has in the list.
// Of TRES that it cut, what is whole stays, with as many letters as tell that something is lost.
func (h *hider) uncut(header, cells []string) []string {
	const width = 20 // of the column TRES
	cells = slices.Clone(cells)
	at := func(name string) int { return slices.Index(header, name) }
	var job *slurm.ListedJob
	if i := at("jobid"); i >= 0 && i < len(cells) {
		job = h.listed[cells[i]]
	}
	for i := range cells {
		var names []string
		switch {
		case header[i] == "tres" && i == at("tres") && len(cells[i]) >= width:
			whole, _, _ := cutLast(cells[i])
			cells[i] = strings.TrimPrefix(whole+",", ",") + "cut=" + strings.Repeat("0", width)
			continue
		case job == nil:
			continue
		case header[i] == "partition" && i == at("partition"):
			names = job.Partitions
		case header[i] == "user":
			names = []string{job.User}
		case header[i] == "account":
			names = []string{job.Account}
		case header[i] == "qosname":
			names = job.QOSNames()
		}
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasPrefix(name, cells[i]) })
		if len(names) == 1 {
			cells[i] = names[0]
		}
	}
	return cells
}

// cutLast parts a list at its last comma.
func cutLast(list string) (before, last string, found bool) {
	if at := strings.LastIndexByte(list, ','); at >= 0 {
		return list[:at], list[at+1:], true
	}
	return "", list, false
}

// accountingOfJSON writes what sacct --json prints as a table.
func (h *hider) accountingOfJSON(text string) string {
	var b strings.Builder
	var kept []string
	names := sacct.Names()
	for _, of := range names {
		kept = append(kept, of[0])
	}
	b.WriteString(strings.Join(kept, "|") + "\n")
	if err := sacct.EachCells(text, func(cells [][]byte) {
		kept = kept[:0]
		for i, cell := range cells {
			how := dump.CopyOf(dump.KindAccounting, names[i][0])
			if job, _, isStep := strings.Cut(string(cell), "."); isStep && names[i][0] == "jobid" {
				kept = append(kept, h.rewritten(how, job)+".0")
			} else {
				kept = append(kept, h.rewritten(how, string(cell)))
			}
		}
		b.WriteString(strings.Join(kept, "|") + "\n")
	}); err != nil {
		h.rows++
	}
	return b.String()
}

// ofSteps are the columns that a copy keeps of steps: what memory they used, which sacct tells of no job as a whole.
var ofSteps = []string{"maxrss", "averss", "tresusageintot"}

// besideThem are the columns that it keeps of the same steps: how many tasks they have at most.
var besideThem = []string{"ntasks", "nnodes", "alloccpus"}

// accounting rewrites a table of sacct with the columns that are kept.
func (h *hider) accounting(text string) string {
	how := of(dump.KindAccounting)
	var b strings.Builder
	var split *sacct.Splitter
	for line := range strings.Lines(sacct.Piped(string(sacct.Begin([]byte(text))))) {
		line = strings.TrimRight(line, "\r\n")
		var kept []string
		switch {
		case strings.TrimSpace(line) == "":
			continue
		case split == nil || sacct.IsHeader([]byte(line)):
			split = sacct.NewSplitter([]byte(line), func(column string) bool {
				return how(column) != slurm.CopyNot && column != "submitline" && column != "jobname"
			})
			for i, name := range sacct.Columns(line) {
				if how(split.Names[i]) != slurm.CopyNot {
					kept = append(kept, name)
				}
			}
		default:
			cells, why := split.Split([]byte(line))
			if why != "" {
				h.rows++
				continue
			}
			job, step, isStep := "", "", false
			if at := slices.Index(split.Names, "jobid"); at >= 0 {
				job, step, isStep = strings.Cut(strings.TrimSpace(string(cells[at])), ".")
			}
			tells := !isStep // something that is kept
			for i, cell := range cells {
				text, name := strings.TrimSpace(string(cell)), split.Names[i]
				switch how := how(name); {
				case how == slurm.CopyNot:
				case isStep && name == "jobid":
					kept = append(kept, h.rewritten(how, job)+"."+sacct.CopiedStep(step))
				case isStep && slices.Contains(besideThem, name):
					kept = append(kept, h.rewritten(how, text))
				case isStep && (text == "" || !slices.Contains(ofSteps, name)):
					kept = append(kept, "")
				default:
					kept, tells = append(kept, h.rewritten(how, text)), true
				}
			}
			if !tells {
				continue
			}
		}
		b.WriteString(strings.Join(kept, "|") + "\n")
	}
	return b.String()
}

// submitLine keeps what the line that submitted a job asks, with the options that are read of it.
func submitLine(h *hider, text string) string {
	words := strings.Fields(text)
	if len(words) == 0 || !strings.HasSuffix(words[0], "sbatch") {
		return ""
	}
	kept := []string{"sbatch"}
	for _, o := range sched.SplitOptions(sched.SubmitOptions(words[1:])) {
		how := sched.OptionCopy(o.Name)
		if how == slurm.CopyNot {
			continue
		}
		dashes, between := "--", "="
		if len(o.Name) == 1 {
			dashes, between = "-", ""
		}
		if value := strings.ReplaceAll(h.rewritten(how, o.Value), " ", ""); value == "" {
			kept = append(kept, dashes+o.Name)
		} else {
			kept = append(kept, dashes+o.Name+between+value)
		}
	}
	return strings.Join(kept, " ")
}
