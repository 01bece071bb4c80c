package qstat

import (
	"bytes"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const plainTable = `Job id            Name             User              Time Use S Queue
----------------  ---------------- ----------------  -------- - -----
12.srv            STDIN            ann               00:10:00 R workq           
13.srv            a-very-long-nam* ann                      0 Q workq           
14[].srv          arr              bob                      0 B workq           
`

const wideTable = `
srv: 
                                                            Req'd  Req'd   Elap
Job ID          Username Queue    Jobname    SessID NDS TSK Memory Time  S Time
--------------- -------- -------- ---------- ------ --- --- ------ ----- - -----
12.srv          ann      workq    STDIN        4711   1   4    8gb 01:00 R 00:10
   n1/0*4
   Job run at Mon Mar 02 at 10:00 on (n1:ncpus=4)
13.sched-t*     ann      workq    x             --    1   2    --  00:30 Q   -- 
   --
15.srv          bobthel* longque* y             --    2   2    --    --  H   -- 
   Job held by bob on Mon Mar  2 10:00:00 2026

other: 
                                                            Req'd  Req'd   Est
Job ID          Username Queue    Jobname    SessID NDS TSK Memory Time  S Start
--------------- -------- -------- ---------- ------ --- --- ------ ----- - -----
16.srv          ann      workq    x             --    1   2    --  00:30 Q Mon 10:00
17.srv          ann      workq    x             --    1   2    --  00:30 Q   --
18.srv          ann      workq    x
srv$ exit
19.srv          ann      workq    x             --    1   2    --  00:30 Q   --
`

// TestIndentedTable reads tables that stand behind blanks, as in a mail, as those without them.
func TestIndentedTable(t *testing.T) {
	for _, text := range []string{plainTable, wideTable} {
		want := ReadTable([]byte(text))
		for _, indent := range []string{"  ", "    ", "\t", " \t"} {
			indented := indent + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+indent) + "\n"
			if got := ReadTable([]byte(indented)); !reflect.DeepEqual(got, want) {
				t.Errorf("behind %q: %+v, and without it %+v", indent, got, want)
			}
		}
		stripped := regexp.MustCompile(`(?m)^[ \t]+$`).ReplaceAllString("\n  "+strings.ReplaceAll(text, "\n", "\n  "), "") // blank lines of a mail have no blanks
		if got := ReadTable([]byte(stripped)); !reflect.DeepEqual(got, want) {
			t.Errorf("behind blanks, but for empty lines: %+v, and without them %+v", got, want)
		}
	}
}

func TestTable(t *testing.T) {
	plain := ReadTable([]byte(plainTable))
	want := []string{"12.srv R ann workq STDIN 00:10:00", "13.srv Q ann workq a-very-long-nam* 0", "14[].srv B bob workq arr 0"}
	var got []string
	for _, r := range plain.Rows {
		got = append(got, strings.Join([]string{r.ID, string(rune(r.State)), r.User, r.Queue, r.Name, r.CPUTime}, " "))
	}
	if !slices.Equal(got, want) || plain.Lines != 0 || !slices.Equal(plain.Rows[1].Cut, []string{"a-very-long-nam*"}) {
		t.Errorf("%q, %+v", got, plain)
	}
	got = nil
	wide := ReadTable([]byte(wideTable))
	for _, r := range wide.Rows {
		got = append(got, strings.Join([]string{r.ID, string(rune(r.State)), r.User, r.Queue, r.Tasks, r.Memory, r.Walltime, r.Elapsed, r.Starts, r.Comment}, "|"))
	}
	want = []string{
		"12.srv|R|ann|workq|4|8gb|01:00|00:10||Job run at Mon Mar 02 at 10:00 on (n1:ncpus=4)",
		"13.sched-t*|Q|ann|workq|2||00:30|||",
		"15.srv|H|bobthel*|longque*|2|||||Job held by bob on Mon Mar 2 10:00:00 2026",
		"16.srv|Q|ann|workq|2||00:30||Mon 10:00|",
		"17.srv|Q|ann|workq|2||00:30|||",
	}
	if !slices.Equal(got, want) || wide.Lines != 1 {
		t.Errorf("%q, %d lines", got, wide.Lines)
	}
	// With three lines of head, Est, Start and Time stand one below the other.
	three := strings.NewReplacer("Req'd  Req'd   Est\n", "Est\n                                                            Req'd  Req'd   Start\n", "S Start\n", "S Time\n").Replace(wideTable)
	if is := ReadTable([]byte(three)); three == wideTable || !reflect.DeepEqual(is, wide) {
		t.Errorf("%+v, with a head of two lines %+v", is, wide)
	}
	for text, is := range map[string]bool{plainTable: true, wideTable: true, "Job Id: 1.srv\n    job_state = Q\n": false, "": false, "JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n": false} {
		if IsTable([]byte(text)) != is {
			t.Errorf("%.40q: %v", text, !is)
		}
	}
}

func FuzzTable(f *testing.F) {
	f.Add([]byte(plainTable))
	f.Add([]byte(wideTable))
	f.Fuzz(func(t *testing.T, text []byte) {
		table := ReadTable(text)
		if n := len(table.Rows) + table.Lines; n > 0 && !IsTable(text) || n > bytes.Count(text, []byte("\n"))+1 {
			t.Errorf("%d rows of %q", n, text)
		}
		for _, r := range table.Rows {
			if r.ID == "" || r.State == 0 {
				t.Errorf("%+v", r)
			}
		}
	})
}
