package record

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	moved "fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/dump/dumptest"
	"fairshare/cmd/internal/slurm/obfuscate"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// past returns a site of which the past is asked, with what is told of reservations for a record.
func past(t *testing.T, d *dump.Dump, record *Record) (*setup.Site, string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "site")
	if err := d.Write(name); err != nil {
		t.Fatal(err)
	}
	n, _, err := setup.OpenPast(name)
	if err != nil {
		t.Fatal(err)
	}
	remarks, err := ReadWorld(n, nil, record, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, r := range remarks {
		said = append(said, r.Text)
	}
	return n, strings.Join(said, "\n")
}

// What is told of reservations, and what a replay keeps of them: their nodes, begin, end and since when they are known.
func TestReservations(t *testing.T) {
	at := func(clock string) int64 {
		x, err := time.Parse("15:04:05", clock)
		if err != nil {
			t.Fatal(err)
		}
		return x.AddDate(2026, 2, 1).Unix()
	}
	one := func(id int, nodes, reservation, start string, limit int64) *Job {
		return &Job{Job: &sched.Job{ID: id, Request: &sched.Request{CPUs: 2}, Submit: at("08:00:00"), Limit: limit, Run: 1800}, NodeList: nodes, reservation: reservation, Start: at(start), End: at(start) + 1800}
	}
	for _, test := range []struct {
		name, printed, table string
		jobs                 []*Job
		want                 string // of each: name, nodes, begin, end, and since when it is known
		in                   string // Job.In of each job
		said                 string
	}{
		{"as printed", dumptest.Maint1 + dumptest.Chemres, "", nil, "chemres c02 12:49:47-18:49:47 flex, maint1 c05,c06 17:48:00-19:48:00", "", "2 reservations of 3 nodes for 10.0 node hours, in which 0 jobs"},
		{"FLEX is said", dumptest.Chemres, "", nil, "chemres c02 12:49:47-18:49:47 flex", "", "reservation chemres (96 core hours) is FLEX"},
		{"jobs that would have run into it", dumptest.Maint1, "", []*Job{one(1, "c[04-05]", "", "16:00:00", 9000), one(2, "c05", "", "16:30:00", 600), one(3, "c04", "", "17:00:00", 9000)},
			"maint1 c05,c06 17:48:00-19:48:00 since 16:00:01", "0 0 0", "in which 0 jobs"},
		{"a job that started on its nodes, in it and not in it", dumptest.Maint1, "", []*Job{one(1, "c05", "maint1", "18:00:00", 600), one(2, "c06", "", "18:30:00", 600)},
			"maint1 c05,c06 17:48:00-19:48:00", "1 0", "1 start of the record on nodes that a reservation kept then for others"},
		{"of the database alone", "", dumptest.BookedHeader + dumptest.BookedMaint, []*Job{one(1, "c05", "maint1", "18:00:00", 600)}, "", "0", "reservation maint1 (38 core hours) is not modelled: nothing tells its nodes\n1 job with 1 core hours ran in reservation maint1"},
		{"the database tells the end", dumptest.Maint1, dumptest.BookedHeader + dumptest.BookedMaint, nil, "maint1 c05,c06 17:48:00-19:00:00", "", ""},
		{"the database tells nodes", "", "Name|TimeStart|TimeEnd|NodeNames|Flags\nx|2026-03-02T12:00:00|2026-03-02T13:00:00|f[01-02]|SPEC_NODES\n", nil, "x f01,f02 12:00:00-13:00:00", "", ""},
		{"of another cluster", "", dumptest.BookedHeader + strings.Replace(dumptest.BookedMaint, "hpc", "abc", 1), nil, "", "", ""},
		{"cores of a node", strings.Replace(dumptest.Chemres, "CoreCnt=16", "CoreCnt=4", 1), "", nil, "", "", "is not modelled: it has some of the cores"},
		{"repeated", strings.Replace(dumptest.Maint1, "MAINT,", "MAINT,DAILY,", 1), "", nil, "maint1 c05,c06 17:48:00-19:48:00", "", "reservation maint1 (64 core hours each time) comes again (DAILY)"},
		{"one that floats", strings.Replace(dumptest.Chemres, "FLEX", "TIME_FLOAT", 1), "", nil, "", "", "TIME_FLOAT"},
		{"of licences", "ReservationName=lic StartTime=2026-03-02T12:49:47 EndTime=2026-03-02T18:49:47 Duration=06:00:00\n   Nodes=(null) NodeCnt=0 CoreCnt=0 Flags= Licenses=matlab:2\n", "", nil, "", "", ""},
		{"after the record", strings.ReplaceAll(dumptest.Maint1, "2026-03-02", "2026-03-04"), "", nil, "", "", ""},
		{"no time", strings.Replace(dumptest.Maint1, "2026-03-02T19:48:00", "then", 1), "", nil, "", "", "reservation maint1 is left out: its times cannot be read"},
	} {
		record := &Record{Last: at("20:00:00"), Jobs: append([]*Job{{Job: &sched.Job{Submit: at("08:00:00")}}}, test.jobs...)}
		n, said := past(t, dumptest.Booked(t, test.printed, test.table), record)
		clock := func(at int64) string { return time.Unix(at, 0).UTC().Format("15:04:05") }
		var got, in []string
		for _, k := range n.Setup.Reservations {
			var names []string
			for i, node := range n.Setup.Nodes {
				if k.Nodes.Has(i) {
					names = append(names, node.Name)
				}
			}
			text := fmt.Sprintf("%s %s %s-%s", k.Name, strings.Join(names, ","), clock(k.Start), clock(k.End))
			if k.Known > 0 {
				text += " since " + clock(k.Known)
			}
			if k.IsFlex {
				text += " flex"
			}
			got = append(got, text)
		}
		for _, x := range test.jobs {
			in = append(in, fmt.Sprint(x.Reservation))
		}
		if strings.Join(got, ", ") != test.want || strings.Join(in, " ") != test.in || !strings.Contains(said, test.said) {
			t.Errorf("%s: %v, want %s; jobs run in %v, want %s; said: %s", test.name, got, test.want, in, test.in, said)
		}
	}
}

// A job that ran in a MAGNETIC reservation without asking for it was attracted, if that lets it in, and the reservation is known by
// then; one that asked for it runs in it alone.
func TestAttractedOfRecord(t *testing.T) {
	magnetic := strings.Replace(dumptest.Chemres, "Flags=FLEX", "Flags=FLEX,MAGNETIC", 1)
	begin := time.Date(2026, 3, 2, 12, 49, 47, 0, time.UTC).Unix()
	for _, test := range []struct {
		name, printed, asked string
		in, attracted        int32 // Job.Reservation and Job.In
		known                int64 // since when the reservation is, in seconds from its begin; 0 for the last start that would have run into it
	}{
		{"as it lets in everybody but one", strings.Replace(magnetic, "Accounts=chem", "Accounts=-chem", 1), "", 0, 1, -60},
		{"that asked for it", strings.Replace(magnetic, "Accounts=chem", "Accounts=-chem", 1), "chemres", 1, 0, 0},
		{"of others", magnetic, "", 1, 0, 0},
		{"of nobody knows whom", strings.Replace(magnetic, "Accounts=chem", "Accounts=(null)", 1), "", 1, 0, 0},
		{"in one that attracts nobody", strings.Replace(dumptest.Chemres, "Accounts=chem", "Accounts=-chem", 1), "", 1, 0, 0},
	} {
		x := &Job{Job: &sched.Job{ID: 1, Submit: begin - 7200, Limit: 600, Run: 600, Request: &sched.Request{CPUs: 2}}, NodeList: "c02", reservation: "chemres", asked: test.asked, Start: begin - 60, End: begin + 540}
		other := &Job{Job: &sched.Job{ID: 2, Submit: begin - 7200, Limit: 9000, Run: 600, Request: &sched.Request{CPUs: 2}}, NodeList: "c02", Start: begin - 30, End: begin + 570}
		record := &Record{Last: begin + 36_000, Jobs: []*Job{x, other}}
		n, said := past(t, dumptest.Booked(t, test.printed, ""), record)
		known := n.Setup.Reservations[0].Known - begin
		if test.known == 0 {
			test.known = -29 // after the last one that would have run into it
		}
		if x.Reservation != test.in || x.In != test.attracted || known != test.known {
			t.Errorf("%s: it asks for %d and is in %d, which is known %d s after it begins; want %d, %d and %d", test.name, x.Reservation, x.In, known, test.in, test.attracted, test.known)
		}
		if isSaid := strings.Contains(said, "is MAGNETIC, and nothing tells whom it lets in"); isSaid != strings.Contains(test.name, "nobody knows") {
			t.Errorf("%s: %s", test.name, said)
		}
	}
}

// An obfuscated site keeps the same nodes at the same times, and tells nobody's name.
func TestHiddenReservations(t *testing.T) {
	d := dumptest.Booked(t, dumptest.Maint1+dumptest.Chemres+strings.Replace(strings.ReplaceAll(dumptest.Chemres, "chemres", "part"), "CoreCnt=16", "CoreCnt=4", 1)+strings.Replace(strings.ReplaceAll(dumptest.Maint1, "maint1", "more"), "PartitionName=(null) ", "", 1)+strings.ReplaceAll(dumptest.Chemres, "chemres", "last"), dumptest.BookedHeader+dumptest.BookedMaint)
	hidden, err := obfuscate.Copy(d, moved.Shift{})
	if err != nil {
		t.Fatal(err)
	}
	record := &Record{Last: math.MaxInt32, Jobs: []*Job{{Job: &sched.Job{}}}}
	want, wantSaid := past(t, d, record)
	got, said := past(t, hidden, record)
	same := func(a, b sched.Reservation) bool {
		return slices.Equal(a.Nodes, b.Nodes) && a.Start == b.Start && a.End == b.End && a.IsFlex == b.IsFlex
	}
	if len(want.Setup.Reservations) != 4 || !slices.EqualFunc(got.Setup.Reservations, want.Setup.Reservations, same) || strings.Count(said, "\n") != strings.Count(wantSaid, "\n") {
		t.Errorf("%v %s, want %v %s", got.Setup.Reservations, said, want.Setup.Reservations, wantSaid)
	}
	for _, k := range []dump.Kind{dump.KindReservations, dump.KindPastReservations} {
		parts := hidden.All(k)
		for _, name := range []string{"maint1", "chemres", "c02", "c05", "hpc", "main"} { // root is nobody's name
			if len(parts) != 1 || strings.Contains(parts[0].Text, name) {
				t.Errorf("%s is in %v", name, parts)
			}
		}
	}
}

// FuzzReservations reads anything for what tells of reservations, and makes sure that what is kept can be replayed.
func FuzzReservations(f *testing.F) {
	f.Add(dumptest.Maint1+dumptest.Chemres, dumptest.BookedHeader+dumptest.BookedMaint)
	f.Add("ReservationName=x StartTime=2026-03-02T12:49:47 EndTime=2026-03-02T12:49:47 Nodes=c[01-999999] CoreCnt=-1e300 TRES=cpu=1e300", "Name|TimeStart|TimeEnd|NodeNames\nx|2026-03-02T12:49:47|9999-03-02T12:49:47|c[1-\n")
	n, _, err := setup.OpenPast("../../../../testdata/slurm-site/t2_busy.tgz")
	if err != nil {
		f.Fatal(err)
	}
	setup := *n.Setup
	f.Fuzz(func(t *testing.T, printed, table string) {
		of, now := setup, *n
		now.Setup = &of
		now.World = &dump.Dump{Parts: []dump.Part{{Kind: dump.KindReservations, Text: printed}, {Kind: dump.KindPastReservations, Text: table}}}
		if now.Reservations, _, err = now.World.Reservations(time.UTC); err != nil {
			return
		}
		now.Keep(0, math.MaxInt64)
		for _, k := range of.Reservations {
			if k.End <= k.Start || len(k.Nodes) != len(sched.NewSet(len(of.Nodes))) || k.ID == 0 {
				t.Errorf("%+v", k)
			}
		}
	})
}

// A job that has not started asks for a reservation on its line of sbatch, another one runs in what sacct has.
func TestReservationOfRecord(t *testing.T) {
	n, _, err := setup.OpenPast("../../../../testdata/slurm-site/t2_busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	const header = "JobID|User|Account|Partition|QOS|Submit|Start|End|Timelimit|ReqCPUS|ReqTRES|NodeList|State|Reservation|SubmitLine\n"
	const began, waits = "|2026-03-02T11:00:00|2026-03-02T12:00:00|01:00:00|1|cpu=1,mem=1G,node=1|c01|COMPLETED|", "|Unknown|Unknown|01:00:00|1|cpu=1,mem=1G,node=1|None assigned|PENDING|"
	for _, test := range []struct{ row, want string }{
		{began + "course|sbatch --reservation=course -n1", "course"},
		{began + "|sbatch --reservation=course -n1", ""},
		{waits + "|sbatch -J x --reservation=course -n1", "course"},
		{waits + "|/usr/bin/sbatch --reservation course -n1", "course"},
		{waits + "|sbatch -n1", ""},
		{waits + "|sbatch a.sh --reservation=course", ""},
		{waits + "|srun --reservation=course", ""},
	} {
		record := recordOf(t, n.Setup, header+"1|alice|hep|main|normal|2026-03-02T10:00:00"+test.row+"\n")
		if len(record.Jobs) != 1 || record.Jobs[0].reservation != test.want {
			t.Errorf("%s: %+v, want %s", test.row, record.Jobs, test.want)
		}
	}
}

// The table of sacctmgr show reservation is one of reservations, in which jobs of a flexible one count as such that ran
// before it.
func TestReservationsAsPrinted(t *testing.T) {
	past, _, err := setup.OpenPast(dumptest.Replays + "S4a/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	record, err := Read(past.Setup, []file.Source{file.At(dumptest.Replays + "S4a/sacct.txt.gz")}, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadWorld(past, nil, record, time.UTC); err != nil {
		t.Fatal(err)
	}
	var kept, in []string
	for _, k := range past.Setup.Reservations {
		kept = append(kept, fmt.Sprintf("%s %d", k.Name, k.End-k.Start))
	}
	for _, x := range record.Jobs {
		if x.Reservation > 0 {
			in = append(in, x.ID+" "+past.Setup.Reservations[x.Reservation-1].Name)
		}
	}
	if got, want := fmt.Sprint(kept, in), "[course 300 upkeep 180 soft 300] [199 course 210 course 219 course 308 course 318 course 429 soft 435 soft 583 soft 596 soft]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
