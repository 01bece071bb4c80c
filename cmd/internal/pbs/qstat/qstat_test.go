package qstat

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var schema = NewSchema("job_state", "euser", "Job_Name", "comment")

// show reads a list and prints its jobs, one a line, and its problems.
func show(t testing.TB, text string, o Options) (Format, []string, []string) {
	t.Helper()
	if o.Schema == nil {
		o.Schema = schema
	}
	type part struct {
		list     []string
		problems map[string]int
	}
	var all part
	all.problems = map[string]int{}
	work := func(b *Batch) part {
		p := part{problems: b.Problems}
		for _, r := range b.Records {
			line := string(r.ID)
			for i, v := range r.Values {
				if v != nil {
					line += fmt.Sprintf(" %s=%s", o.Schema.names[i], v)
				}
			}
			for _, e := range r.Resources {
				line += fmt.Sprintf(" +%s=%s", e.Name, e.Value)
			}
			p.list = append(p.list, line)
		}
		return p
	}
	format, err := Read(strings.NewReader(text), o, work, func(p part) error {
		all.list = append(all.list, p.list...)
		for kind, n := range p.problems {
			all.problems[kind] += n
		}
		return nil
	})
	var noList *NoListError
	if err != nil && !errors.As(err, &noList) {
		t.Fatal(err)
	}
	var kinds []string
	for kind := range all.problems {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return format, all.list, kinds
}

const qstatJSON = `{
	"timestamp":	1795259069,
	"pbs_version":	"23.06.06",
	"Jobs":	{
		"1.s":	{
			"Job_Name":	"a \"b\" \\",
			"job_state":	"Q",
			"Resource_List":	{
				"ncpus":	2,
				"mem":	"4gb"
			},
			"Variable_List":	{
				"PBS_O_HOME":	"/home/a",
				"X":	"{\"q\":1}"
			},
			"euser":	"a"
		},
		"2[].s":	{
			"job_state":	"H",
			"Job_Name":	123,
			"euser":	"b"
		}
	}
}
`

func TestRead(t *testing.T) {
	twoJobs := []string{`1.s job_state=Q euser=a Job_Name=a "b" \ +ncpus=2 +mem=4gb`, "2[].s job_state=H euser=b Job_Name=123"}
	tests := []struct {
		name, text string
		format     Format
		jobs       []string
		problems   []string
	}{
		{"json", qstatJSON, JSON, twoJobs, nil},
		{"json with carriage returns", strings.ReplaceAll(qstatJSON, "\n", "\r\n"), JSON, twoJobs, nil},
		{"json in one line", strings.NewReplacer("\n", "", "\t", "").Replace(qstatJSON), JSON, twoJobs, nil},
		{"no jobs", "{\n\t\"timestamp\":\t1,\n\t\"pbs_server\":\t\"s\"\n}\n", JSON, nil, nil},
		{"empty jobs", "{\n\t\"Jobs\":\t{\n\t}\n}\n", JSON, nil, nil},
		{"nothing", "", Text, nil, nil},
		{"a second Jobs", strings.Replace(qstatJSON, "\t\t\"2[]", "\t\"Jobs\":\t{\n\t\t\"2[]", 1), JSON, twoJobs, []string{"a second Jobs object"}},
		{"cut off at the end", qstatJSON[:strings.Index(qstatJSON, `,
			"euser":	"b"`)], JSON, []string{twoJobs[0], "2[].s job_state=H Job_Name=123"}, []string{"a list that is cut off"}},
		{"cut off in a string", qstatJSON[:strings.Index(qstatJSON, `b"
		}`)], JSON, []string{twoJobs[0], "2[].s job_state=H euser= Job_Name=123"}, []string{"a list that is cut off"}},
		{"cut off before the next", strings.Replace(qstatJSON, "\t\t\t\"euser\":\t\"a\"\n\t\t},\n", "", 1), JSON,
			[]string{strings.Replace(twoJobs[0], " euser=a", "", 1), twoJobs[1]}, []string{"a job that is cut off"}},
		{"cut off inside an object", strings.Replace(qstatJSON, "\n\t\t\t},\n\t\t\t\"euser\":\t\"a\"\n\t\t},", "", 1), JSON,
			[]string{strings.Replace(twoJobs[0], " euser=a", "", 1), twoJobs[1]}, []string{"a job that is cut off"}},
		{"cut off before any job", `{"Jobs":{"1.s"`, JSON, nil, []string{"a list that is cut off"}},
		{"with a byte order mark", "\ufeff" + qstatJSON, JSON, twoJobs, nil},
		{"text mixed in", strings.Replace(qstatJSON, "\t\t\"2[]", "qstat: Unknown Job Id 7.s\n\t\t\"2[]", 1), JSON, twoJobs, []string{"text that is not JSON"}},
		{"text before", "qstat: warning\n" + qstatJSON, JSON, twoJobs, []string{"text that is not JSON"}},
		{"duplicate keys", strings.Replace(qstatJSON, `"job_state":	"Q"`, "\"job_state\":\t\"R\",\n\t\t\t\"job_state\":\t\"Q\"", 1), JSON, twoJobs, nil},
		{"invalid escape", strings.Replace(qstatJSON, `"a"`, `"\a\x"`, 1), JSON,
			[]string{strings.Replace(twoJobs[0], "euser=a", `euser=\a\x`, 1), twoJobs[1]}, []string{"an invalid escape in a string"}},
		{"control characters and Latin-1", strings.Replace(qstatJSON, `"a"`, "\"\x01\xe9\"", 1), JSON,
			[]string{strings.Replace(twoJobs[0], "euser=a", "euser=\x01\xe9", 1), twoJobs[1]}, nil},
		{"unicode escape", strings.Replace(qstatJSON, `"a"`, `"\u00e9\n"`, 1), JSON,
			[]string{strings.Replace(twoJobs[0], "euser=a", "euser=é\n", 1), twoJobs[1]}, nil},
		{"text", "Job Id: 1.s\n    Job_Name = a = b\n    job_state = Q\n    comment = one,\n\ttwo\n\t three\n    Resource_List.ncpus = 2\n\nJob Id: 2.s\n    job_state = H\n    euser = b\n", Text,
			[]string{"1.s job_state=Q Job_Name=a = b comment=one,two three +ncpus=2", "2.s job_state=H euser=b"}, nil},
		{"text with other text", "qstat: hello\nJob Id: 1.s\n    job_state = Q\nqstat: no\n    euser\n     = x\n", Text,
			[]string{"1.s job_state=Q"}, []string{"text that belongs to no job"}},
		{"text with a shell function", "Job Id: 1.s\n    Variable_List = A=1,BASH_FUNC_module%%=() {  eval `/bin/modulecmd bash $*`\n    local x\n\n}\n    euser = a\n\nJob Id: 2.s\n    euser = b\n", Text,
			[]string{"1.s euser=a", "2.s euser=b"}, nil},
		{"text with a line break that repeats an attribute", "Job Id: 1.s\n    euser = a\n    comment = x\n    euser = b\n    Resource_List.ncpus = 1\n    Resource_List.ncpus = 2\n", Text,
			[]string{"1.s euser=a comment=x +ncpus=1"}, []string{repeatedAttribute}},
		{"text that ends in a value", "Job Id: 1.s\n    euser = a\n    Job_Name = ab", Text,
			[]string{"1.s euser=a Job_Name=ab"}, []string{"a list that is cut off"}},
		{"dsv with backslashes", `Job Id: 1.s|Job_Name=x\\|euser=a|comment=a\\b\|c\d|Resource_List.ncpus=1` + "\n", DSV,
			[]string{`1.s euser=a Job_Name=x\ comment=a\b|c\d +ncpus=1`}, nil},
		{"dsv that repeats an attribute", "Job Id: 1.s|Job_Name=x|euser=a|euser=b\n", DSV, []string{"1.s euser=a Job_Name=x"}, []string{repeatedAttribute}},
		{"dsv that ends in a value", "Job Id: 1.s|Job_Name=x|euser=a", DSV, []string{"1.s euser=a Job_Name=x"}, []string{"a list that is cut off"}},
		{"json with members on a line", `{"Jobs":{"1.s":{"job_state":"Q","queue":"w","euser":"a","comment":"x"},"2.s":{"job_state":"Q","euser":"b","comment":"y"` + "\n}}}", JSON,
			[]string{"1.s job_state=Q euser=a comment=x", "2.s job_state=Q euser=b comment=y"}, nil},
		{"json of the jobs alone", "{\n\t\"1.s\":\t{\n\t\t\"euser\":\t\"a\",\n\t\t\"Variable_List\":\t{\n\t\t\t\"X\":\t{\n\t\t\t\t\"9.s\":\t{\n\t\t\t\t\t\"euser\":\t\"z\"\n}}}},\n\t\"2.s\":\t{\n\t\t\"euser\":\t\"b\"\n\t}\n}\n", JSON,
			[]string{"1.s euser=a", "2.s euser=b"}, nil},
		{"json with a variable like a job", `{"Jobs":{"1.s":{"Variable_List":{"8.s":{"euser":"z"},"9.s":{"euser":"z"}},"euser":"a"},"2.s":{"euser":"b"}}}`, JSON,
			[]string{"1.s euser=a", "2.s euser=b"}, nil},
		{"json whose last job has a variable like a job", `{"Jobs":{"1.s":{"euser":"a"},"2.s":{"euser":"b","Variable_List":{"9.s":{"euser":"z"}}}}}`, JSON,
			[]string{"1.s euser=a", "2.s euser=b"}, nil},
		{"json with a job named Jobs", `{"Jobs":{"1.s":{"Job_Name":"Jobs","euser":"a"},"2.s":{"Job_Name":"\"Jobs\":{","euser":"b"}}}`, JSON,
			[]string{`1.s euser=a Job_Name=Jobs`, `2.s euser=b Job_Name="Jobs":{`}, nil},
		{"json with a backslash at the end of a string", "{\n\t\"Jobs\":\t{\n\t\t\"1.s\":\t{\n\t\t\t\"comment\":\t\"x\\\",\n\t\t\t\"euser\":\t\"a\"\n\t\t},\n\t\t\"2.s\":\t{\n\t\t\t\"euser\":\t\"b\"\n\t\t}\n\t}\n}\n", JSON,
			[]string{`1.s euser=a comment=x\`, "2.s euser=b"}, []string{"a string with a quote or a backslash that is not escaped"}},
		{"json with a backslash at the end of a job", "{\n\t\"Jobs\":\t{\n\t\t\"1.s\":\t{\n\t\t\t\"euser\":\t\"a\",\n\t\t\t\"comment\":\t\"x\\\"\n\t\t},\n\t\t\"2.s\":\t{\n\t\t\t\"euser\":\t\"b\"\n\t\t}\n\t}\n}\n", JSON,
			[]string{`1.s euser=a comment=x\`, "2.s euser=b"}, []string{"a string with a quote or a backslash that is not escaped"}},
		{"json with a backslash on one line", `{"Jobs":{"1.s":{"comment":"x\","euser":"a"},"2.s":{"euser":"b"}}}`, JSON,
			[]string{`1.s euser=a comment=x\`, "2.s euser=b"}, []string{"a string with a quote or a backslash that is not escaped"}},
		{"json with a quote at the beginning", `{"Jobs":{"1.s":{"comment":""hi" he said","euser":"a"},"2.s":{"euser":"b"}}}`, JSON,
			[]string{`1.s euser=a comment="hi" he said`, "2.s euser=b"}, []string{"a string with a quote or a backslash that is not escaped"}},
		{"json with a backslash, and a line break behind it", "{\"Jobs\":{\"1.s\":{\n\"Job_Name\":\"\",\n\"euser\":\"\\\"},\n\"2.s\":{\n\"Job_Name\":\"a\",\n\"euser\":\"\n\"}}}", JSON,
			[]string{`1.s euser=\ Job_Name=`, "2.s euser= Job_Name=a"}, []string{"a list that is cut off", "a string that is cut off", "a string with a quote or a backslash that is not escaped"}},
		{"json with line breaks in a string", "{\"Jobs\":{\"1.s\":{\"comment\":\"x\",\n\"Job_Name\":\"y\nz\",\n\"euser\":\"a\"},\"2.s\":{\"euser\":\"b\"}}}", JSON,
			[]string{"1.s euser=a Job_Name=y\nz comment=x", "2.s euser=b"}, nil},
		{"json with characters beyond 16 bits", `{"Jobs":{"1.s":{"comment":"\ud83d\ude00 \ud83d \ude00\ud83d"}}}`, JSON, []string{"1.s comment=😀 � ��"}, nil},
		{"json with other members", `{"Jobs":{"1.s":{"euser":"a"}},"x":{"y":[1,{"z":2}]},"n":null}`, JSON, []string{"1.s euser=a"}, nil},
		{"two lists of json", `{"Jobs":{"1.s":{"euser":"a"}}}` + "\n" + `{"Jobs":{"2.s":{"euser":"b"}}}`, JSON, []string{"1.s euser=a", "2.s euser=b"}, []string{"a second Jobs object"}},
		{"dsv", "Job Id: 1.s|Job_Name=a\\|b|job_state=Q|Resource_List.ncpus=2\nJob Id: 2.s|Job_Name=c|euser=b\n", DSV,
			[]string{"1.s job_state=Q Job_Name=a|b +ncpus=2", "2.s euser=b Job_Name=c"}, nil},
		{"dsv with another delimiter", "Job Id: 1.s;;Job_Name=a|b;;job_state=Q\n", DSV, []string{"1.s job_state=Q Job_Name=a|b"}, nil},
		{"dsv with other lines", "Job Id: 1.s,Job_Name=a,junk\nnonsense\n", DSV, []string{"1.s Job_Name=a"}, []string{"a field without a value", "a line that is not a job"}},
		{"csv", "Job Id,euser,job_state,Resource_List.ncpus\n1.s,\"a,b\",Q,2\n2.s,,H\n", CSV,
			[]string{"1.s job_state=Q euser=a,b +ncpus=2", "2.s job_state=H"}, []string{"a line with too few or too many fields"}},
		{"csv with line ends in quotes", "id,comment\n1,\"a\nb\"\n2,c\njunk\n", CSV, []string{"1 comment=a\nb", "2 comment=c"},
			[]string{"a line with too few or too many fields"}},
		{"json of objects on several lines", "{\n \"euser\": \"a\",\n \"id\": \"1.s\"\n}\n{\n \"id\": \"2.s\"\n}\n", JSONL, []string{"1.s euser=a", "2.s"}, nil},
		{"json of an array", "[{\"id\":\"1.s\",\n\"euser\":\"a ]\\\"}\"},\n{\"state\":\"Q\",\"id\":\"2.s\"}]\n", JSONL, []string{`1.s euser=a ]"}`, "2.s job_state=Q"}, nil},
		{"json of an array that is cut off", "[{\"id\":\"1.s\"},\n{\"id\":\"2.s\",\"euser\":\"a\"", JSONL, []string{"1.s", "2.s euser=a"}, []string{"a job that is cut off"}},
		{"json of an array with other things", "[1,{\"id\":\"1.s\"},null,\"x\"]", JSON, nil, []string{"text that is not JSON"}},
		{"json of entries", "{\"key\":\"1.s\",\"value\":{\"euser\":\"a\",\"value\":{\"x\":1},\"Resource_List\":{\"ncpus\":2}}}\n", JSONL, []string{"1.s euser=a +ncpus=2"}, nil},
		{"json of an array of lists", "[{\"1.s\":{\"euser\":\"a\"}},\n{\"2.s\":{}}]", JSON, []string{"1.s euser=a", "2.s"}, nil},
		{"csv of this program", "rank,id,value,float32,user,state\n1,1.s,2,2,'-a,Q\n", CSV, []string{"1.s job_state=Q euser=-a"}, nil},
		{"csv without an ID", "name,euser\n1,a\n", CSV, nil, nil},
		{"text without an ID", "Job Id: \n    euser = a\n", Text, nil, []string{noID}},
		{"text with a job without an ID", "Job Id: 1.s\n    euser = a\n\nJob Id: \n    euser = b\n\nJob Id: 2.s\n    euser = c\n", Text, []string{"1.s euser=a", "2.s euser=c"}, []string{noID}},
		{"json lines", "{\"id\":\"1.s\",\"euser\":\"a\",\"Resource_List\":{\"ncpus\":2}}\n\n{\"job_state\":\"Q\",\"id\":\"2.s\"}\nnonsense\n", JSONL,
			[]string{"1.s euser=a +ncpus=2", "2.s job_state=Q"}, []string{"a line that is not an object"}},
	}
	for _, test := range tests {
		for _, chunk := range []int{0, 64, 300} {
			t.Run(fmt.Sprint(test.name, "/", chunk), func(t *testing.T) {
				format, list, problems := show(t, test.text, Options{Chunk: chunk, Workers: 2})
				if format != test.format {
					t.Errorf("format %s, want %s", format, test.format)
				}
				if diff := cmp.Diff(test.jobs, list); diff != "" {
					t.Errorf("jobs (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(test.problems, problems); diff != "" {
					t.Errorf("problems (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// However a list is cut into chunks, the jobs are the same.
func TestChunks(t *testing.T) {
	for _, format := range []string{"json", "txt", "dsv"} {
		text := recordedList(t, format)
		_, want, _ := show(t, text, Options{})
		if len(want) != 60 {
			t.Fatalf("%s: %d jobs, want 60", format, len(want))
		}
		for _, chunk := range []int{1000, 3000, 7777} {
			_, got, problems := show(t, text, Options{Chunk: chunk, Workers: 3})
			if !slices.Equal(got, want) || problems != nil {
				t.Errorf("%s in chunks of %d: other jobs, or %v", format, chunk, problems)
			}
		}
	}
}

func recordedList(t testing.TB, format string) string {
	t.Helper()
	name := "../../../../testdata/scheduler/02-fstree/qstat-f." + format
	if text, err := os.ReadFile(name); err == nil {
		return string(text)
	}
	f, err := os.Open(name + ".gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// fuzz reads any text as a list, and holds the jobs of every way to cut it into
// chunks to those of the whole.
func fuzz(f *testing.F, format Format, seed string) {
	text := recordedList(f, seed)
	f.Add(text[:4000], 100)
	f.Add(text[1000:3000], 64)
	f.Add(qstatJSON, 64)
	f.Add("", 64)
	f.Add("Job Id: 1.s|Job_Name=a\\|b\nid,euser\n1,\"\n{\"id\":1}\n", 64)
	f.Add(strings.Replace(qstatJSON, "\"a\"", "\"a\\\"", 1), 10)
	f.Fuzz(func(t *testing.T, text string, chunk int) {
		text = strings.ReplaceAll(text, "\x00", "\x01") // no text at all
		if format == DSV {
			text = "Job Id: 0.s|Job_Name=first\n" + text // by which the delimiter is known
		}
		_, want, wantProblems := show(t, text, Options{Format: format, Workers: 1, Chunk: 1 << 20})
		if len(want) > len(text)+1 {
			t.Errorf("%d jobs from %d bytes", len(want), len(text))
		}
		_, got, problems := show(t, text, Options{Format: format, Chunk: 1 + int(uint(chunk)%4096), Workers: 2})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("jobs in chunks (-whole +chunks):\n%s", diff)
		}
		if diff := cmp.Diff(wantProblems, problems); diff != "" {
			t.Errorf("problems in chunks (-whole +chunks):\n%s", diff)
		}
	})
}

func FuzzJSON(f *testing.F)  { fuzz(f, JSON, "json") }
func FuzzText(f *testing.F)  { fuzz(f, Text, "txt") }
func FuzzDSV(f *testing.F)   { fuzz(f, DSV, "dsv") }
func FuzzCSV(f *testing.F)   { fuzz(f, CSV, "dsv") }
func FuzzJSONL(f *testing.F) { fuzz(f, JSONL, "json") }
