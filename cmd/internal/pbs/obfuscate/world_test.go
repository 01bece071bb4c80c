package obfuscate

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/snapshot"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/workshop"
)

// What tells of vnodes, reservations and hours is kept, with other names and moved with all
// else, and nothing more of the logs and files that it comes from.
func TestWorld(t *testing.T) {
	const (
		serverLog = "03/02/2026 08:10:00.123456;0004;Server@zqserver;Node;zqvnode;attributes set: state = offline\n" +
			"03/02/2026 08:11:00;0004;Server@zqserver;Node;zqvnode;attributes set: comment = zqcomment\n" +
			"03/02/2026 08:12:00;0004;Server@zqserver;Node;zqvnode;attributes set: resources_available.zqres = 7\n" +
			"03/02/2026 08:13:00;0080;Server@zqserver;Req;zquser;connect\n" +
			"03/02/2026 09:00:00;0004;Server@zqserver;Node;zqvnode;node down: communication closed with zqhost\n"
		rstat = "Resv ID: R7.zqserver\nReserve_Name = zqname\nReserve_Owner = zquser@zqhost\nreserve_state = RESV_CONFIRMED\nreserve_start = Mon Mar 02 10:00:00 2026\n" +
			"reserve_end = Mon Mar 02 12:00:00 2026\nqueue = R7\nAuthorized_Users = zquser@zqhost\nresv_nodes = (zqvnode:ncpus=2)\n\t+(zqvnode:ncpus=1)\n\n"
		holidays   = "* zqremark\nYEAR 2026\nweekday 0900 1500\nsaturday none all\nsunday none all\n  359 Dec 25 zqfeast\nzqgarbage\n"
		dedicated  = "# zqremark\n03/02/2026 17:30 03/02/2026 18:30 zqwhy\n"
		accounting = "03/02/2026 08:50:13;U;S31.zqserver;requestor=zquser@zqhost recurrence_rrule=FREQ=HOURLY;INTERVAL=2;UNTIL=20260302T235959 timezone=Etc/UTC Interactive=-5\n" +
			"03/02/2026 09:05:44;A;47.zqserver;Job deleted as result of dependency on job 44.zqserver\n"
		taken = "1772489799"
	)
	s, err := read("x.tar", bytes.NewReader(workshop.Archive(t, "s/ctime", taken, "s/reservation/pbs_rstat_f.out", rstat,
		"s/sched_priv/holidays", holidays, "s/sched_priv/dedicated_time", dedicated, "s/server/qstat_Bf.out", "Server: zqserver\n    scheduling = True\n")))
	if err != nil {
		t.Fatal(err)
	}
	log := func(name, text string) []file.Source {
		return []file.Source{{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}}
	}
	s.KeepLogs(log("20260302", accounting), log("20260302", serverLog))
	for _, weeks := range []int{0, -9, -300} { // 2 March less 9 weeks is at the end of a year
		hidden, err := Snapshot(s, obfuscate.Shift{Weeks: weeks})
		if err != nil {
			t.Fatal(err)
		}
		all := textOf(t, hidden)
		if at := strings.Index(all, "zq"); at >= 0 {
			t.Errorf("%d weeks: %q gets through", weeks, all[max(0, at-40):min(len(all), at+40)])
		}
		moved, _ := hidden.Taken()
		by := moved.Unix() - 1772489799
		if weeks == 0 && by != 0 || by%(7*24*3600) != 0 || by > int64(weeks)*7*24*3600 {
			t.Errorf("%d weeks: moved by %d s", weeks, by)
		}
		at := func(text string) int64 { when, _ := time.Parse("2006-01-02 15:04", text); return when.Unix() + by }
		text := func(name string) string {
			text, err := hidden.Files().SchedPriv.Read(name, 1000)
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		hours, problems := world.ParseHours(text(pbs.HolidaysFile), text(pbs.DedicatedFile), time.UTC)
		if len(problems) > 0 {
			t.Error(problems)
		}
		for hour := range 24 * 7 {
			when := at("2026-03-01 00:00") + int64(hour)*3600
			before, _ := world.ParseHours(holidays, dedicated, time.UTC)
			_, isDedicated := hours.Dedicated(when)
			_, wasDedicated := before.Dedicated(when - by)
			if hours.IsPrime(when) != before.IsPrime(when-by) || isDedicated != wasDedicated {
				t.Fatalf("%d weeks: hour %d is other than it was", weeks, hour)
			}
		}
		status, _ := hidden.First(snapshot.Reservations).Text(1000)
		reservations, wrong := world.ParseStatus(status, time.UTC)
		if len(reservations) != 1 || len(wrong) > 0 || len(reservations[0].Holds) != 1 || reservations[0].Holds[0].Start != at("2026-03-02 10:00") || !strings.HasSuffix(reservations[0].Holds[0].Nodes, ":ncpus=1)") {
			t.Errorf("%v %v of %s", reservations, wrong, status)
		}
		plain, err := file.Plain(must(hidden.KeptServerLogs()[0].Open()))
		if err != nil {
			t.Fatal(err)
		}
		events, _, err := world.ReadVnodeEvents(nil, plain, time.UTC)
		if err != nil || len(events) != 3 || events[0].At != at("2026-03-02 08:10") || events[1].Amount != 7 || events[2].Kind != world.Down {
			t.Errorf("%v %v", events, err)
		}
		kept, problemsOfLog, err := world.ReadReservations([]file.Source{hidden.KeptLogs()[0]}, time.UTC, false, 0)
		if err != nil || len(kept) != 1 || len(problemsOfLog) > 0 || !kept[0].IsASAP || !strings.Contains(all, "UNTIL="+time.Unix(at("2026-03-02 00:00"), 0).UTC().Format("20060102")+"T235959") {
			t.Errorf("%v %v %v", kept, problemsOfLog, err)
		}
		if !strings.Contains(all, "Job deleted as result of dependency on job 44.host-") {
			t.Error("the reason of a deletion is lost")
		}
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
