package conformance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/pbs/explain"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/pbs/snapshot"
	"fairshare/cmd/internal/trace"
)

// tableRowsOf returns the jobs of the list of a PBS site as a table that has all columns would have them.
func tableRowsOf(t testing.TB, dir string) (rows []qstat.TableRow) {
	snap, err := snapshot.Open(dir)
	if err != nil || len(snap.Jobs()) == 0 {
		return nil
	}
	in, err := snap.Jobs()[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	schema := qstat.NewSchema("Job_Name", "euser", "Job_Owner", "queue", "job_state", "Resource_List.nodect", "Resource_List.ncpus", "Resource_List.mem", "comment")
	take := func(b *qstat.Batch) (list []qstat.TableRow) {
		for i := range b.Records {
			v := b.Records[i].Values
			text := func(at int) string { return strings.Join(strings.Fields(string(v[at])), "_") }
			user, _, _ := strings.Cut(text(2), "@")
			if len(v[1]) > 0 {
				user = text(1)
			}
			if len(v[4]) != 1 || user == "" || text(0) == "" || text(3) == "" {
				continue
			}
			n := len(list)
			list = append(list, qstat.TableRow{ID: string(b.Records[i].ID), Name: text(0), User: user, Queue: text(3), State: v[4][0], Chunks: text(5), Tasks: text(6), Memory: text(7),
				Walltime: fmt.Sprintf("%02d:00", n%40), Elapsed: fmt.Sprintf("00:%02d", n%60), CPUTime: fmt.Sprintf("%02d:00:01", n%24), Comment: strings.Join(strings.Fields(string(v[8])), " ")})
			if r := &list[n]; n%2 == 0 { // longer than some columns, and than all
				r.User, r.Queue, r.Name = r.User+"-long", r.Queue+"-of-all-of-them", r.Name+"-with-a-long-name"
			}
			if v[4][0] == 'Q' && n%3 == 0 {
				list[n].Starts = fmt.Sprintf("We %02d", n%24)
			}
		}
		return list
	}
	if _, err := qstat.Read(in, qstat.Options{Workers: 1, Schema: schema}, take, func(list []qstat.TableRow) error { rows = append(rows, list...); return nil }); err != nil {
		return nil // one that is broken, or no list
	}
	return rows
}

// cutTo returns a name as qstat prints it in a column.
func cutTo(name string, width int) string {
	if len(name) > width {
		return name[:width-1] + "*"
	}
	return name
}

// printTable prints some rows as qstat does with a choice of options, of which T and s stand for themselves, a for -a, and p for none of
// these, and takes into told what that tells.
func printTable(how string, rows []qstat.TableRow, told map[string]*qstat.TableRow) string {
	var b strings.Builder
	dash := func(text string) string {
		if text == "" {
			return "--"
		}
		return text
	}
	name := func(of *string, text string) {
		if *of == "" || strings.HasSuffix(*of, "*") && (len(text) >= len(*of)) {
			*of = text
		}
	}
	if how == "p" {
		b.WriteString("Job id            Name             User              Time Use S Queue\n----------------  ---------------- ----------------  -------- - -----\n")
	} else {
		last := "Time"
		if strings.Contains(how, "T") {
			last = "Start"
		}
		fmt.Fprintf(&b, "\nserver: \n                                                            Req'd  Req'd   \nJob ID          Username Queue    Jobname    SessID NDS TSK Memory Time  S %s\n--------------- -------- -------- ---------- ------ --- --- ------ ----- - -----\n", last)
	}
	for _, r := range rows {
		is := told[r.ID]
		if is == nil {
			is = &qstat.TableRow{ID: r.ID, State: r.State}
			told[r.ID] = is
		}
		if how == "p" {
			fmt.Fprintf(&b, "%-17s %-16s %-17s %8s %c %s\n", r.ID, cutTo(r.Name, 15), cutTo(r.User, 15), dash(r.CPUTime), r.State, cutTo(r.Queue, 15))
			name(&is.Name, cutTo(r.Name, 15))
			name(&is.User, cutTo(r.User, 15))
			name(&is.Queue, cutTo(r.Queue, 15))
			is.CPUTime = r.CPUTime
			continue
		}
		last := r.Elapsed
		if strings.Contains(how, "T") {
			last, is.Starts = r.Starts, r.Starts
		} else {
			is.Elapsed = r.Elapsed
		}
		name(&is.Name, cutTo(r.Name, 10))
		name(&is.User, cutTo(r.User, 8))
		name(&is.Queue, cutTo(r.Queue, 8))
		is.Chunks, is.Tasks, is.Memory, is.Walltime = r.Chunks, r.Tasks, r.Memory, r.Walltime
		fmt.Fprintf(&b, "%-15s %-8s %-8s %-10s %6s %3s %3s %6s %5s %c %s \n", r.ID, cutTo(r.User, 8), cutTo(r.Queue, 8), cutTo(r.Name, 10), "--", dash(r.Chunks), dash(r.Tasks), dash(r.Memory), r.Walltime, r.State, dash(last))
		if strings.Contains(how, "s") {
			fmt.Fprintf(&b, "   %s\n", dash(r.Comment))
			is.Comment = r.Comment
		}
	}
	return b.String()
}

// Tables of qstat that tell of the same jobs in other columns tell together what one with all of these columns would, whatever their
// order, and whichever of the jobs each has.
func TestTablesOfJobs(t *testing.T) {
	asked, several := 0, 0
	for _, p := range sites(t) {
		if !p.isPBS() {
			continue
		}
		rows := tableRowsOf(t, p.dir)
		if len(rows) == 0 {
			continue
		}
		asked++
		random := rand.New(rand.NewPCG(1, uint64(len(rows))))
		for range 6 {
			told := map[string]*qstat.TableRow{}
			var texts [][]byte
			for _, how := range []string{"p", "a", "sa", "T", "sT"} {
				some := append([]qstat.TableRow{}, rows...)
				if random.IntN(2) == 0 {
					continue
				}
				if random.IntN(2) == 0 {
					some = slices.DeleteFunc(some, func(qstat.TableRow) bool { return random.IntN(3) == 0 })
				}
				random.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
				texts = append(texts, []byte(printTable(how, some, told)))
			}
			random.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
			if len(texts) > 1 {
				several++
			}
			got := qstat.ReadTable(texts...)
			if len(got.Differ) > 0 || got.Lines > 0 || len(got.Rows) != len(told) {
				t.Fatalf("%s: %d rows of %d, %q", p.name, len(got.Rows), len(told), got.Differ)
			}
			if joined := qstat.ReadTable(slices.Concat(texts...)); len(joined.Rows) != len(told) {
				t.Fatalf("%s: one below the other, %d rows of %d", p.name, len(joined.Rows), len(told))
			}
			for _, r := range got.Rows {
				r.Cut = nil
				if want := told[r.ID]; fmt.Sprint(r) != fmt.Sprint(*want) {
					t.Fatalf("%s: %+v, and with all columns %+v", p.name, r, *want)
				}
			}
		}
	}
	if asked < fewest(11, 8) || several < asked {
		t.Errorf("%d sites, %d of them with several tables", asked, several)
	}
}

// A table counts as many jobs that wait as the list of the same moment: an array once, whether qstat -t prints its subjobs beside it or not.
func TestTablesCountArraysOnce(t *testing.T) {
	asked, arrays := 0, 0
	for _, p := range sites(t) {
		if !p.isPBS() {
			continue
		}
		rows := tableRowsOf(t, p.dir)
		i := slices.IndexFunc(rows, func(r qstat.TableRow) bool { return r.State == 'Q' && !strings.Contains(r.ID, "[") })
		if i < 0 {
			continue
		}
		isSubjob := func(r qstat.TableRow) bool {
			array, _, is := trace.Subjob(r.ID)
			return is && slices.ContainsFunc(rows, func(of qstat.TableRow) bool { return of.ID == array })
		}
		var with []qstat.TableRow
		for _, r := range rows { // as qstat -t has an array of which two subjobs wait and one runs; a list has some of them at times
			if isSubjob(r) {
				continue
			}
			if with = append(with, r); !trace.IsArray(r.ID) {
				continue
			}
			for index, state := range []byte("RQQ") {
				subjob := r
				subjob.ID, subjob.State = trace.SubjobID(r.ID, index), state
				with = append(with, subjob)
			}
		}
		if slices.ContainsFunc(with, isSubjob) {
			arrays++
		}
		asked++
		queued := map[string]bool{}
		for _, r := range rows {
			if (r.State == 'Q' || r.State == 'B') && !isSubjob(r) {
				queued[r.ID] = true
			}
		}
		of, err := explain.See(qstat.ReadTable([]byte(printTable("p", with, map[string]*qstat.TableRow{}))), rows[i].ID, "")
		if err != nil || of.Waiting != len(queued) {
			t.Errorf("%s: %d jobs wait, and in the table %d: %v", p.name, len(queued), of.Waiting, err)
		}
	}
	if asked < fewest(11, 8) || arrays < 2 {
		t.Errorf("%d sites, %d of them with arrays", asked, arrays)
	}
}
