package qstat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// nastyText is characters that one format or another treats in its own way.
const nastyText = "ab 1\"\\|;,=:{}[]\t'é😀/"

func randomText(r *rand.Rand) string {
	runes := []rune(nastyText)
	var b strings.Builder
	for range r.IntN(8) {
		b.WriteRune(runes[r.IntN(len(runes))])
	}
	return b.String()
}

// generatedJob is a job with what tests look at.
type generatedJob struct {
	id         string
	attributes map[string]string // of the schema
	resources  map[string]string
}

func (j generatedJob) String() string {
	line := j.id
	for _, name := range schema.names {
		if value, ok := j.attributes[name]; ok {
			line += fmt.Sprintf(" %s=%s", name, value)
		}
	}
	for _, name := range slices.Sorted(keys(j.resources)) {
		line += fmt.Sprintf(" +%s=%s", name, j.resources[name])
	}
	return line
}

func keys(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range m {
			if !yield(name) {
				return
			}
		}
	}
}

func generateJobs(r *rand.Rand) []generatedJob {
	var list []generatedJob
	for i := range r.IntN(6) {
		j := generatedJob{fmt.Sprintf("%d.s", i+1), map[string]string{}, map[string]string{}}
		for _, name := range []string{"job_state", "euser", "Job_Name", "comment"} {
			if r.IntN(3) > 0 {
				j.attributes[name] = randomText(r)
			}
		}
		for k := range r.IntN(3) {
			j.resources[fmt.Sprint("r", k)] = randomText(r)
		}
		list = append(list, j)
	}
	return list
}

func lines(list []generatedJob) []string {
	var out []string
	for _, j := range list {
		out = append(out, j.String())
	}
	return out
}

// jsonWriter writes valid JSON with any white space and any escapes.
type jsonWriter struct {
	bytes.Buffer
	r     *rand.Rand
	style int // 0 is no white space, 1 any, else an indent of so many blanks
	depth int
}

func (w *jsonWriter) space() {
	switch {
	case w.style == 1:
		for range w.r.IntN(4) {
			w.WriteByte(" \t\n\r"[w.r.IntN(4)])
		}
	case w.style > 1:
		w.WriteString("\n" + strings.Repeat(" ", w.style*w.depth))
	}
}

func (w *jsonWriter) text(s string) {
	w.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			w.WriteString(`\` + string(c))
		case c == '\t':
			w.WriteString(`\t`)
		case c > 0xffff && w.r.IntN(2) == 0:
			c -= 0x10000
			fmt.Fprintf(w, `\u%04x\u%04X`, 0xd800+c>>10, 0xdc00+c&0x3ff)
		case w.r.IntN(8) == 0 && c < 0x10000:
			fmt.Fprintf(w, `\u%04x`, c)
		default:
			w.WriteRune(c)
		}
	}
	w.WriteByte('"')
}

// object writes members, each of which write writes.
func (w *jsonWriter) object(members []string, write func(i int)) {
	w.WriteByte('{')
	w.depth++
	for i, name := range members {
		if i > 0 {
			w.WriteByte(',')
		}
		w.space()
		w.text(name)
		if w.style == 1 {
			w.space()
		}
		w.WriteByte(':')
		if w.style == 1 {
			w.space()
		}
		write(i)
	}
	w.depth--
	w.space()
	w.WriteByte('}')
}

// other writes a value that is not looked at, also objects that look like jobs.
func (w *jsonWriter) other(depth int) {
	switch n := w.r.IntN(6); {
	case n == 0:
		w.WriteString([]string{"1", "-2.5e3", "true", "null", "[1, {\"7.s\":{}}, []]"}[w.r.IntN(5)])
	case n < 3 && depth < 4:
		names := []string{"X", "7.s", "Jobs", "euser", "Y"}[:w.r.IntN(6)]
		w.object(names, func(int) { w.other(depth + 1) })
	default:
		w.text(randomText(w.r))
	}
}

func (w *jsonWriter) jobs(list []generatedJob) {
	var ids []string
	for _, j := range list {
		ids = append(ids, j.id)
	}
	w.object(ids, func(i int) {
		j := list[i]
		names := slices.Sorted(keys(j.attributes))
		if len(j.resources) > 0 {
			names = append(names, "Resource_List")
		}
		for k := range w.r.IntN(4) {
			names = append(names, []string{"Variable_List", "etime", "project", "5.s"}[k])
		}
		w.r.Shuffle(len(names), func(a, b int) { names[a], names[b] = names[b], names[a] })
		w.object(names, func(k int) {
			if value, ok := j.attributes[names[k]]; ok {
				w.text(value)
			} else if names[k] == "Resource_List" {
				resources := slices.Sorted(keys(j.resources))
				w.object(resources, func(n int) { w.text(j.resources[resources[n]]) })
			} else {
				w.other(0)
			}
		})
	})
}

// Valid JSON is read by its structure, whatever its white space and however it
// is cut: its jobs are those that encoding/json finds.
func FuzzGeneratedJSON(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, int(seed)*7)
	}
	f.Fuzz(func(t *testing.T, seed uint64, chunk int) {
		r := rand.New(rand.NewPCG(seed, 1))
		list := generateJobs(r)
		w := &jsonWriter{r: r, style: r.IntN(5)}
		alone := r.IntN(3) == 0 // jq .Jobs
		if alone {
			w.jobs(list)
		} else {
			members := []string{"timestamp", "pbs_server", "Jobs", "more"}
			r.Shuffle(len(members), func(a, b int) { members[a], members[b] = members[b], members[a] })
			w.object(members, func(i int) {
				switch members[i] {
				case "Jobs":
					w.jobs(list)
				case "timestamp":
					w.WriteString("1795259069")
				default:
					w.text(randomText(r))
				}
			})
		}
		if !json.Valid(w.Bytes()) {
			t.Fatalf("no JSON: %s", w)
		}
		want := lines(fromEncodingJSON(t, w.Bytes(), alone))
		if diff := cmp.Diff(lines(list), want); diff != "" {
			t.Fatalf("encoding/json has others than were written (-written +read):\n%s", diff)
		}
		_, got, problems := show(t, w.String(), Options{Format: JSON, Chunk: 1 + int(uint(chunk)%5000), Workers: 2})
		if diff := cmp.Diff(want, sorted(got)); diff != "" {
			t.Errorf("jobs (-encoding/json +ours):\n%s\n%s", diff, w)
		}
		if problems != nil {
			t.Errorf("problems %v of\n%s", problems, w)
		}
	})
}

// sorted puts the resources of each job in order.
func sorted(list []string) []string {
	var out []string
	for _, line := range list {
		parts := strings.Split(line, " +r")
		slices.Sort(parts[1:])
		out = append(out, strings.Join(parts, " +r"))
	}
	return out
}

// fromEncodingJSON reads a list with encoding/json.
func fromEncodingJSON(t *testing.T, text []byte, alone bool) []generatedJob {
	t.Helper()
	var doc struct{ Jobs json.RawMessage }
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if alone {
		doc.Jobs = text
	}
	var jobs map[string]map[string]json.RawMessage
	if err := json.Unmarshal(doc.Jobs, &jobs); err != nil {
		t.Fatal(err)
	}
	var list []generatedJob
	for id, members := range jobs {
		j := generatedJob{id, map[string]string{}, map[string]string{}}
		for _, name := range schema.names {
			if raw, ok := members[name]; ok {
				var value string
				if err := json.Unmarshal(raw, &value); err != nil {
					t.Fatal(err)
				}
				j.attributes[name] = value
			}
		}
		if raw, ok := members["Resource_List"]; ok {
			if err := json.Unmarshal(raw, &j.resources); err != nil {
				t.Fatal(err)
			}
		}
		list = append(list, j)
	}
	slices.SortFunc(list, func(a, b generatedJob) int { return strings.Compare(a.id, b.id) })
	return list
}

// What PBS's own escaping writes as text, DSV or CSV reads back.
func FuzzGeneratedLists(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, int(seed)*7)
	}
	f.Fuzz(func(t *testing.T, seed uint64, chunk int) {
		r := rand.New(rand.NewPCG(seed, 2))
		list := generateJobs(r)
		if len(list) == 0 {
			return
		}
		for format, text := range map[Format]string{Text: writeText(r, list), DSV: writeDSV(r, list), CSV: writeCSV(list)} {
			want := slices.Clone(list)
			if format == CSV { // which has no absent cells
				for i := range want {
					want[i].attributes = withoutEmpty(want[i].attributes)
					want[i].resources = withoutEmpty(want[i].resources)
				}
			}
			_, got, problems := show(t, text, Options{Format: format, Chunk: 1 + int(uint(chunk)%5000), Workers: 2})
			if diff := cmp.Diff(lines(want), sorted(got)); diff != "" {
				t.Errorf("%s (-written +read):\n%s\n%s", format, diff, text)
			}
			if problems != nil {
				t.Errorf("%s: problems %v of\n%s", format, problems, text)
			}
		}
	})
}

func withoutEmpty(m map[string]string) map[string]string {
	out := map[string]string{}
	for name, value := range m {
		if value != "" {
			out[name] = value
		}
	}
	return out
}

// writeText folds long values as qstat does: in lines that begin with a tab.
func writeText(r *rand.Rand, list []generatedJob) string {
	var b strings.Builder
	attribute := func(name, value string) {
		fmt.Fprintf(&b, "    %s = ", name)
		for i, c := range value {
			if i > 0 && r.IntN(4) == 0 {
				b.WriteString("\n\t")
			}
			b.WriteRune(c)
		}
		b.WriteString("\n")
	}
	for _, j := range list {
		fmt.Fprintf(&b, "Job Id: %s\n", j.id)
		for _, name := range slices.Sorted(keys(j.attributes)) {
			value := j.attributes[name]
			attribute(name, value)
		}
		for _, name := range slices.Sorted(keys(j.resources)) {
			value := j.resources[name]
			attribute("Resource_List."+name, value)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func writeDSV(r *rand.Rand, list []generatedJob) string {
	delimiter := []string{"|", ";", "\t", "^^"}[r.IntN(4)]
	var b strings.Builder
	escape := strings.NewReplacer(`\`, `\\`, delimiter, `\`+delimiter)
	for _, j := range list {
		fmt.Fprintf(&b, "Job Id: %s%sJob_Owner=x", j.id, delimiter) // by which the delimiter is known
		for _, name := range slices.Sorted(keys(j.attributes)) {
			value := j.attributes[name]
			b.WriteString(delimiter + name + "=" + escape.Replace(value))
		}
		for _, name := range slices.Sorted(keys(j.resources)) {
			value := j.resources[name]
			b.WriteString(delimiter + "Resource_List." + name + "=" + escape.Replace(value))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func writeCSV(list []generatedJob) string {
	names := []string{"job_state", "euser", "Job_Name", "comment"}
	resources := []string{"r0", "r1"}
	quote := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	var b strings.Builder
	b.WriteString("Job Id," + strings.Join(names, ",") + ",Resource_List.r0,Resource_List.r1\n")
	for _, j := range list {
		b.WriteString(j.id)
		for _, name := range names {
			b.WriteString("," + quote(j.attributes[name]))
		}
		for _, name := range resources {
			b.WriteString("," + quote(j.resources[name]))
		}
		b.WriteString("\n")
	}
	return b.String()
}
