package trace

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/file"
)

// Every line of the recorded logs prints back alike.
func TestRecordedLines(t *testing.T) {
	types := map[string]int{}
	for _, run := range runs {
		for _, log := range logsOf(t, run) {
			err := file.EachLine(log, func(number int, line []byte) error {
				l, why := ParseLine(line)
				if why != "" || l.String() != string(line) {
					t.Errorf("%s:%d: %s\n%s\n%s", log.Name, number, why, line, l)
				}
				types[l.Type]++
				return nil
			}, func(int, string) { t.Error("a line is too long") })
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(types) < 10 || types["E"] < 1000 {
		t.Errorf("lines by type: %v", types)
	}
}

// Lines as sites have them: quotes, blanks in values, old ones.
func TestParseLine(t *testing.T) {
	const begin = "03/02/2026 07:18:39;E;1.s;"
	for message, want := range map[string][]Attribute{
		"":                               nil,
		"floating license hour:0":        nil,
		"queue=workq":                    {{"queue", "workq", 0, 0}},
		"user=a group=b ":                {{"user", "a", 0, 1}, {"group", "b", 0, 1}},
		`user=a account="x y=z" queue=q`: {{"user", "a", 0, 1}, {"account", "x y=z", '"', 1}, {"queue", "q", 0, 0}},
		`account="" queue=q`:             {{"account", "", '"', 1}, {"queue", "q", 0, 0}},
		`account="a "b" c" queue=q`:      {{"account", `a "b" c`, '"', 1}, {"queue", "q", 0, 0}},
		`Resource_List.x='a "b" c' y=1`:  {{"Resource_List.x", `a "b" c`, '\'', 1}, {"y", "1", 0, 0}},
		`account="not closed queue=q`:    {{"account", `"not closed`, 0, 1}, {"queue", "q", 0, 0}},
		"resources_used.GPU_endTime=tr-ebu01:(gpu0:Tue Sep 03 23:27:26 2019) resources_used.mem=1kb": {
			{"resources_used.GPU_endTime", "tr-ebu01:(gpu0:Tue Sep 03 23:27:26 2019)", 0, 1}, {"resources_used.mem", "1kb", 0, 0}},
		`resources_used.j={"a": 1, "b": "c"} session=3`:   {{"resources_used.j", `{"a": 1, "b": "c"}`, 0, 1}, {"session", "3", 0, 0}},
		`resources_used.q="x" session=3`:                  {{"resources_used.q", `"x"`, 0, 1}, {"session", "3", 0, 0}},
		"a=1  b=2":                                        {{"a", "1", 0, 2}, {"b", "2", 0, 0}},
		"jobname=a;b;c":                                   {{"jobname", "a;b;c", 0, 0}},
		"Job deleted as result of dependency on job 17.s": nil,
		"text before user=a":                              {{"user", "a", 0, 0}},
		"exec_vnode=(n01:ncpus=4:mem=8388608kb) x=1":      {{"exec_vnode", "(n01:ncpus=4:mem=8388608kb)", 0, 1}, {"x", "1", 0, 0}},
	} {
		l, why := ParseLine([]byte(begin + message))
		if diff := cmp.Diff(want, l.Attributes); diff != "" || why != "" {
			t.Errorf("%q: %s (-want +got):\n%s", message, why, diff)
		}
		if got := l.String(); got != begin+message {
			t.Errorf("%q prints back as %q", begin+message, got)
		}
	}
	for _, line := range []string{"", "x", "03/02/2026 07:18:39", "03/02/2026 07:18:39;E;1.s", "3/2/2026 07:18:39;E;1.s;", "13/02/2026 07:18:39;E;1.s;",
		"03/02/1969 07:18:39;E;1.s;", "03/02/2026 24:18:39;E;1.s;", "03/02/2026 07:18:39;EE;1.s;x", "2026-03-02 07:18:39;E;1.s;x", "03/02/2026 07:18:39;;1.s;x", "02/29/2026 07:18:39;E;1.s;x"} {
		if _, why := ParseLine([]byte(line)); why == "" {
			t.Errorf("%q is accepted", line)
		}
	}
}

// A record with a value that cannot be is left out, and it is told which value that is.
func TestBadValues(t *testing.T) {
	const good = "03/02/2026 09:00:00;E;1.s;ctime=1772438400 qtime=1772438400 etime=1772438400 start=1772438400 end=1772442000 Resource_List.ncpus=4\n"
	begin := "03/02/2026 09:00:00;E;2.s;"
	for _, c := range []struct{ line, want string }{
		{begin + "start=17724371OO end=1", `start is "17724371OO", which is no time in seconds since 1970: the record is left out`},
		{begin + "start=1772438400 end=1772442000 resources_used.walltime=-10:00:00", "resources_used.walltime is -10:00:00, less than nothing: the record is left out"},
		{begin + "Resource_List.ncpus=-4", "Resource_List.ncpus is -4, less than nothing: the record is left out"},
		{begin + "Resource_List.ncpus=4x", "Resource_List.ncpus is 4x, which is no number: the record is left out"},
		{begin + "Resource_List.ncpus=NaN", "Resource_List.ncpus is NaN, which is no number: the record is left out"},
		{begin + "Resource_List.mem=-1gb", "Resource_List.mem is -1gb, less than nothing: the record is left out"},
		{begin + "Resource_List.walltime=-1", ""},
		{begin + "Resource_List.walltime=soon", "Resource_List.walltime is soon, which is no time: the record is left out"},
		{begin + "Resource_List.walltime=1000000000000", "Resource_List.walltime is 1000000000000, more than any machine has"},
		{begin + "Resource_List.mem=4xb", "Resource_List.mem is 4xb, which is no size: the record is left out"},
		{begin + "Resource_List.nodect=two", "Resource_List.nodect is two, which is no number: the record is left out"},
		{begin + "resources_used.walltime=1h", "resources_used.walltime is 1h, which is no time: the record is left out"},
		{begin + "resources_used.cput=x", "resources_used.cput is x, which is no time: the record is left out"},
		{begin + "resources_used.mem=0b resources_used.cput=00:00:05 resources_used.walltime=10", ""},
		{begin + "resources_used.mem=many", "resources_used.mem is many, which is no size: the record is left out"},
		{begin + "resources_used.ncpus=4x", "resources_used.ncpus is 4x, which is no number: the record is left out"},
		{begin + "start=5 end=1772437200", "start is 5, which lies before 1990: the record is left out"},
		{begin + "start=-5 end=1772437200", "start is -5, which lies before 1990"},
		{begin + "start= end=1772437200", `start is "", which is no time`},
		{begin + "start=1772438400 end=1772438399", "end is 1772438399, before its start 1772438400"},
		{begin + "start=99999999999999999999", "start is 99999999999999999999, more than a day after the record's own time"},
		{begin + "etime=1772528401", "etime is 1772528401, more than a day after the record's own time"},
		{begin + "Resource_List.ncpus=999999999", "Resource_List.ncpus is 999999999, more than any machine has"},
		{begin + "Resource_List.ncpus=9223372036854775807", "Resource_List.ncpus is 9223372036854775807, more than any machine has"},
		{begin + "resources_used.walltime=99999999999999:00:00", "resources_used.walltime is 99999999999999:00:00, more than"},
		{begin + "Resource_List.mem=99999999999999tb", "Resource_List.mem is 99999999999999tb, more than"},
		{"03/02/1970 09:00:00;E;2.s;", "its time 03/02/1970 09:00:00 does not lie between 1990 and 2199"},
		{"03/02/9999 09:00:00;L;license;", "its time 03/02/9999 09:00:00 does not lie between 1990 and 2199"},
		{"03/02/2016 09:00:00;L;license;", "its time 03/02/2016 09:00:00 is far from that of the lines around it"},
		{"03/02/2027 09:00:00;E;2.s;", "its time 03/02/2027 09:00:00 is far from that of the lines around it"},
		{begin + "ctime=0 qtime=0 etime=0 start=0 end=0 Resource_List.ncpus=100000000", ""},
		{begin + "etime=1772528400", ""}, // of another zone, perhaps
	} {
		for _, log := range []string{good + good + c.line + "\n", c.line + "\n" + good + good, good + c.line + "\n" + good} {
			tr, err := Read([]file.Source{text(log)}, time.UTC, Keep{})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, p := range tr.Problems {
				got += p.Detail
			}
			if (c.want == "") != (got == "") || !strings.Contains(got, c.want) || len(tr.Problems) > 1 {
				t.Errorf("%s: it says %q, want %q", c.line, got, c.want)
			}
			if c.want != "" && (len(tr.Jobs) != 1 || tr.First != 1772438400 || tr.Last != 1772442000 || len(tr.hours) == 0) {
				t.Errorf("%s: %d jobs from %d to %d in %d days", c.line, len(tr.Jobs), tr.First, tr.Last, len(tr.hours))
			}
		}
	}
}

// A line that is too long costs itself only, in bounded memory.
func TestLongLine(t *testing.T) {
	good := "03/02/2026 08:00:00;Q;%d.s;user=a queue=q\n"
	log := fmt.Sprintf(good, 1) + "03/02/2026 08:00:00;Q;9.s;user=" + strings.Repeat("x", 3*file.MaxLine) + "\n" + fmt.Sprintf(good, 2)
	tr, err := Read([]file.Source{text(log)}, time.UTC, Keep{})
	if err != nil || len(tr.Jobs) != 2 || len(tr.Problems) != 1 || tr.Problems[0].Line != 2 {
		t.Fatalf("%d jobs, %v (%v)", len(tr.Jobs), tr.Problems, err)
	}
}

// Whatever a line is, it prints back or is told.
func FuzzLine(f *testing.F) {
	f.Add(`03/02/2026 07:18:39;E;1.s;user=a account="x y" Resource_List.a='b "c"' resources_used.d=e f g=h `)
	f.Add("03/02/2026 08:00:00;L;license;floating license hour:0")
	f.Add("03/02/2026 08:00:00;a;1.s;=x a==b c= d")
	f.Fuzz(func(t *testing.T, line string) {
		if l, why := ParseLine([]byte(line)); why == "" && l.String() != line {
			t.Errorf("%q prints back as %q", line, l)
		}
	})
}
