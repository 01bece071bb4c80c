package forecast

import (
	"context"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/slurm"
)

// TestUnmodelledRows gives one of two jobs each request that is not modelled, and looks for it in the row of this job, and of no
// other one: in forecasts, in what a pass right now makes of it, and where something else is tried.
func TestUnmodelledRows(t *testing.T) {
	type request struct {
		field string
		of    func(j *slurm.ListedJob)
	}
	requests := []request{
		{"Licenses=ansys|matlab", func(j *slurm.ListedJob) { j.Licenses = "ansys|matlab" }},
		{"ReqNodeList=nowhere", func(j *slurm.ListedJob) { j.Wanted = []string{"nowhere"} }},
		{"Features=a&", func(j *slurm.ListedJob) { j.Features = "a&" }},
		{"Features=a*2", func(j *slurm.ListedJob) { j.Features = "a*2" }},
		{"MinCPUsNode=2", func(j *slurm.ListedJob) { j.NodeCPUs, j.Tasks = 2, 2 }},
		{"Features=[a*2&b*1]", func(j *slurm.ListedJob) { j.Features = "[a*2&b*1]" }},
		{"Reason=Reservation", func(j *slurm.ListedJob) { j.Reason = "Reservation" }},
		{"Reason=SomethingNew", func(j *slurm.ListedJob) { j.Reason = "SomethingNew" }},
	}
	kinds := len(requests)
	for _, of := range slurm.JobAttributes {
		if of.Lacks != "" {
			requests = append(requests, request{of.Name + "=1", func(j *slurm.ListedJob) { j.Lacks = []slurm.Lack{{Field: of.Name + "=1", What: of.Lacks}} }})
		}
	}
	if len(requests) < kinds+20 {
		t.Errorf("only %d requests", len(requests))
	}
	seen := map[int]bool{}
	for _, x := range requests {
		s := begun(t, job("7", 1, func(j *slurm.ListedJob) { j.Priority, j.Reason = 5, "Priority"; x.of(j) }), job("8", 1, func(j *slurm.ListedJob) { j.Priority, j.Reason = 4, "Priority" }))
		omitted := s.omissions(&s.Queue[0])
		if len(omitted) != 1 {
			t.Errorf("%s: %+v", x.field, omitted)
			continue
		}
		seen[omitted[0].kind] = true
		isSaid := false
		for _, r := range s.unmodelled() {
			isSaid = isSaid || r.Text == "1 waiting job: "+omitted[0].what
		}
		if !isSaid {
			t.Errorf("%s: no remark says it: %+v", x.field, s.unmodelled())
		}
		told := map[string]string{} // by where and which job
		f, err := forecast.MakeOf(context.Background(), s.state, s, forecast.Options{Runs: 1, Seed: 1, Horizon: 86400})
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range f.Jobs {
			told["when "+j.ID] = strings.Join(j.Unmodelled, ", ")
		}
		list, err := forecast.Now(context.Background(), s.state, s.judge)
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range list {
			told["now "+of.ID] = strings.Join(of.Standing().Unmodelled, ", ")
		}
		for _, id := range []string{"7", "8"} {
			if s.listed[id].isChanging {
				of, err := s.Offer(id).With("time=10")
				if err != nil {
					t.Fatal(err)
				}
				told["tried "+id] = strings.Join(of.(*offer).unmodelled(), ", ")
			}
		}
		for where, fields := range told {
			isOther := strings.HasSuffix(where, " 8")
			if isOther && fields != "" || !isOther && !strings.HasPrefix(fields, x.field) {
				t.Errorf("%s: %s has %q", x.field, where, fields)
			}
		}
		if len(told) < 5 {
			t.Errorf("%s: rows are missing: %v", x.field, told)
		}
	}
	if len(seen) != kinds+1 {
		t.Errorf("of the kinds of requests that are not modelled, %v are seen", seen)
	}
}

// An option that is asked for and is not modelled stands in the row of the job of --submit.
func TestUnmodelledOptions(t *testing.T) {
	s := siteOf(t, "S1a", 1)
	for _, test := range [][2]string{{"-n1 -t60 --exclusive=user", "exclusive=user"}, {"-n1 -t60 --deadline=23:00 --tmp=5G", "deadline=23:00, tmp=5G"}, {"-n1 -t60", ""}} {
		of, err := s.New("bob", "main", test[0])
		if err != nil {
			t.Fatal(err)
		}
		st, scheduler, id, err := of.Enter()
		if err != nil {
			t.Fatal(err)
		}
		f, err := forecast.MakeOf(context.Background(), st, scheduler, forecast.Options{Runs: 1, Seed: 1, Horizon: int64(24 * time.Hour / time.Second), Wants: func(job, _ string) bool { return job == id }})
		if err != nil || len(f.Jobs) != 1 {
			t.Fatal(f, err)
		}
		if got := strings.Join(f.Jobs[0].Unmodelled, ", "); got != test[1] {
			t.Errorf("%s: the row names %q, want %q", test[0], got, test[1])
		}
	}
}
