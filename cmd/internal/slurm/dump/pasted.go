package dump

import (
	"io"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sacct"
)

// People put what several commands printed into one file: scontrol show job >all; scontrol show node >>all.

// whole are the kinds of texts in which lines may stand that begin the prints of others.
var whole = []Kind{KindUnknown, KindConf, KindAccounts, KindDenied}

// telling are words of which each begin of a print has one in its first line.
var telling = []string{"JobId=", "NodeName=", "PartitionName=", "ReservationName=", "LicenseName=", "Configuration data", "Current Association", "JOBID", "JobID", "RawShares", "UsageFactor", "Share|", "Priority|",
	"PARTITION", "NODELIST", "REASON", "sdiag output", "Utilization", "error", "bash: "}

// strange are the begins of prints of which nothing is read here, and that end the one above them.
var strange = pattern.Of(`^(PARTITION +AVAIL|AVAIL\|ACTIVE_FEATURES\||NODELIST[ |]|REASON[ |]+USER|[A-Z_]+ *\|[^\n]*\b(NODELIST|PARTITION)\b|\*+\s+sdiag output|sdiag output at |(-+\s+)?Cluster(/\w+)* Utilization|[\w/.-]+: (error|fatal): |slurm_\w+ error: |bash: )`)

// mostPasted is how many bytes a file has at most in which others are looked for below a first print that is longer than what tells of which
// kind it is.
const mostPasted = 32 << 20

// isPasted reports whether a file of its own has several prints.
func isPasted(t *file.Tree) bool {
	if t.FS != nil {
		return false
	}
	k := KindOf(string(t.First))
	if len(pasted(k, string(t.First))) > 0 {
		return true
	}
	if t.IsWhole() || parts[k] == "" && k != KindUnread || slices.Contains(whole, k) {
		return false
	}
	text, ok := t.Whole(mostPasted)
	return ok && len(pasted(k, text)) > 0
}

// HasTables reports whether a file of its own has tables of sacct among other prints.
func HasTables(t *file.Tree) bool { return pastedTables(t) != nil }

// pastedTables returns the tables of sacct that stand among other prints in a file of its own, with as many lines above each as the file has;
// nil for a file of one print, or where none of its prints is such a table.
func pastedTables(t *file.Tree) (tables []file.Source) {
	if !isPasted(t) {
		return nil
	}
	_, best, err := collect(t, file.Commands[Kind]{Largest: file.MostPrinted})
	if err != nil {
		return nil
	}
	for _, p := range best.Parts {
		if isOfRecord(p) {
			own := p.Source
			own.Open = func() (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(strings.Repeat("\n", p.Above) + p.Text)), nil
			}
			tables = append(tables, own)
		}
	}
	return tables
}

// pasted returns where in a text of a kind other prints begin that stand below the first one.
func pasted(k Kind, text string) (at []int) {
	switch {
	case slurm.IsJSON(text):
		return nil
	case isStrange(text): // with others below it, of the first of which the text is taken to be
		k = KindUnknown
	case slices.Contains(whole, k):
		return nil
	}
	part := 0 // where the print begins that a line stands in
	for _, begin := range tellingLines(text) {
		if goesOn(text[part:], text[begin:]) {
			continue
		}
		next := beginOf(text[begin:])
		if isOther := next != k && (next != KindUnknown || isStrangeOf(next, text[begin:])); isOther || next == k && hasOtherHeader(text[part:], text[begin:]) {
			above := text[:begin]
			if isOther && next == KindUnknown {
				above = strings.TrimSuffix(above, ruleAbove().FindString(above))
			}
			at, k, part = append(at, len(above)-len(preambleAbove(above))), next, begin
		}
	}
	return at
}

// ruleAbove is the line of dashes or stars above the title of sreport or sdiag.
var ruleAbove = pattern.Of(`(?m)^(-+|\*+)\r?\n\z`)

// belowStrange returns of which kind the first print is that stands below one of which nothing is read here, KindUnknown for none.
func belowStrange(head string) Kind {
	if !isStrange(head) {
		return KindUnknown
	}
	for _, begin := range tellingLines(head) {
		if k := beginOf(head[begin:]); k != KindUnknown {
			return k
		}
	}
	return KindUnknown
}

// isStrange reports whether a text begins with a print of which nothing is read here.
func isStrange(text string) bool { return isStrangeOf(beginOf(text), text) }

// isStrangeOf is isStrange of a text of which beginOf has told the kind.
func isStrangeOf(k Kind, text string) bool {
	const most = 256
	if above := len(preamble().FindString(text[:min(len(text), most)])); above > 0 {
		text = text[above:]
		k = beginOf(text)
	}
	return k == KindUnread || k == KindUnknown && strange().MatchString(text[:min(len(text), most)])
}

// hasOtherHeader reports whether a line names columns that are others than those of a print above it.
func hasOtherHeader(print, line string) bool {
	header, _, _ := strings.Cut(line, "\n")
	header = strings.TrimSpace(header)
	return kindOfHeader(header) != KindUnknown && header != strings.TrimSpace(headerOf(print))
}

// goesOn reports whether a line goes on with a print, which spares the question what it begins: it begins a record as the print itself does,
// such as the next job of scontrol show job, or a row with the number of a job, and names no columns.
func goesOn(print, line string) bool {
	key, _, isKey := strings.Cut(line[:min(len(line), longestKey)], "=")
	isRecord := isKey && slices.Contains(telling, key+"=") && strings.HasPrefix(print, key+"=")
	return isRecord || '0' <= line[0] && line[0] <= '9'
}

// longestKey is more than the longest of the telling words that are keys.
const longestKey = 32

// tellingLines returns where the lines behind the first one begin that have a telling word. Large tables have none, and are searched word by
// word, which is several times as fast as line by line, and in pieces that a processor keeps near at hand from one word to the next.
func tellingLines(text string) (begins []int) {
	const piece = 16 << 10
	for from := 0; from < len(text); {
		to := min(from+piece, len(text))
		if end := strings.IndexByte(text[to:], '\n'); end >= 0 {
			to += end + 1
		} else {
			to = len(text)
		}
		begins = tellingIn(begins, text, from, to)
		from = to
	}
	slices.Sort(begins)
	return slices.Compact(begins)
}

// tellingIn adds those of the lines of a text from one on and before another one.
func tellingIn(begins []int, text string, from, to int) []int {
	for _, word := range telling {
		for at := from; ; {
			found := strings.Index(text[at:to], word)
			if found < 0 {
				break
			}
			if begin := strings.LastIndexByte(text[:at+found], '\n') + 1; begin > 0 {
				begins = append(begins, begin)
			}
			end := strings.IndexByte(text[at+found:to], '\n')
			if end < 0 {
				break
			}
			at += found + end + 1
		}
	}
	return begins
}

// preambleAbove returns the lines that a text ends with that may stand above a table.
func preambleAbove(text string) string {
	begin := len(text)
	for begin > 0 {
		line := strings.LastIndexByte(text[:begin-1], '\n') + 1
		if preamble().FindString(text[line:begin]) != text[line:begin] {
			break
		}
		begin = line
	}
	return text[begin:]
}

// beginOf returns of which kind a print is that begins a text, KindUnknown where none does.
func beginOf(text string) Kind {
	const most = 4 << 10
	for _, b := range begins {
		if b.kind != KindDenied && b.begin().MatchString(text[:min(len(text), most)]) {
			return b.kind
		}
	}
	if sacct.IsTable([]byte(text[:min(len(text), most)])) {
		return KindAccounting
	}
	line, _, _ := strings.Cut(text, "\n")
	if k := kindOfHeader(strings.TrimSpace(line)); k != KindUnknown {
		return k
	}
	if isUnreadSacct(line + "\n") {
		return KindUnread
	}
	return KindUnknown
}

// sayPasted says which files have several prints, and what is not read of them.
func sayPasted(f *file.Folder[Kind], isAlone bool) (remarks []diag.Remark) {
	for _, name := range f.Pasted {
		var are []string
		for _, p := range f.Parts {
			if is := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(parts[p.Kind], ","), "what "), " prints"); p.Name == name && is != "" && !slices.Contains(are, is) {
				are = append(are, is)
			}
		}
		remarks = append(remarks, diag.Generalf("%s has several prints, one below the other, and each is read: %s", name, strings.Join(are, ", ")))
		if !isAlone && slices.ContainsFunc(f.Parts, func(p Part) bool { return p.Name == name && p.Kind == KindAccounting }) {
			remarks = append(remarks, diag.Warningf("the table of sacct in %s stands among other prints: what it tells of the past is read from a file of its own alone", name))
		}
	}
	return remarks
}
