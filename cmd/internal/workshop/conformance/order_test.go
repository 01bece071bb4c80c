package conformance

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fairshare/cmd/internal/cli"
	"fairshare/cmd/internal/lab"
)

// The order of sort is that of compare, before and after a change, of explain, of the lab, and of
// metrics.
func TestOrder(t *testing.T) {
	hold(t, sites(t), 29, func(t testing.TB, p place, d *differences) {
		jobs := asked(t, "sort", p.dir, "--all")
		var considered []line
		for _, row := range jobs.rows {
			if row["rank"] != "" {
				considered = append(considered, row)
			}
		}
		ranked := table{jobs.columns, considered}
		d.equal("sort and sort -o ids", ranked.column("id"), strings.Fields(answered(t, "sort", p.dir, "-o", "ids")))
		compareOrders(t, p, d, jobs)
		explainOrder(t, p, d, ranked)
		if !p.isFlux { // whose sites have no lab
			labOrder(t, p, d, ranked)
		}
		metricsOrder(t, p, d, ranked)
	}, known{"slurm-now/25.05-evening.tgz:", "rank of job 205 batch in sort and compare", "a job of several QOS has an entry for each, which the columns of both do not tell apart"})
}

// change is what compare is asked about.
func change(p place) []string {
	switch {
	case p.isSlurm:
		return []string{"--set", "PriorityWeightAge=20000"}
	case p.isFlux:
		return []string{"--set", "weight.queue=2000"}
	}
	return []string{"-f", "ncpus"}
}

// compareOrders holds the old ranks of compare to the order, and the new ones to what sort prints
// with the same change, or explain, where sort takes none.
func compareOrders(t testing.TB, p place, d *differences, jobs table) {
	if p.isSlurm && strings.Contains(ask("sort", p.dir).said, "no priority is computed") {
		if a := ask(append([]string{"compare", p.dir}, change(p)...)...); a.isGiven() || !strings.Contains(a.said, "what --set changes cannot be computed") {
			d.add("compare does not refuse a change of what it does not know: exit %d: %s", a.code, a.said)
		}
		return
	}
	now := jobs.entries()
	moves := asked(t, append([]string{"compare", p.dir}, change(p)...)...)
	found := moves.entries()
	for id, row := range now {
		if _, isMoved := found[id]; !isMoved && row["rank"] != "" {
			d.add("job %s is not in compare", id)
		}
	}
	var then map[string]line
	if p.isPBS() {
		then = asked(t, append([]string{"sort", p.dir, "--all"}, change(p)...)...).entries()
		const night = "2026-03-07T03:00" // which is no prime time, where any is not
		at := func(args ...string) table { return asked(t, append(args, "--at", night, "--tz", "UTC")...) }
		is, was := at(append([]string{"sort", p.dir, "--all"}, change(p)...)...).entries(), at("sort", p.dir, "--all").entries()
		for _, m := range at(append([]string{"compare", p.dir}, change(p)...)...).rows {
			d.equal("rank of job "+m.entry()+" at night in sort and compare", was[m.entry()]["rank"], m["old_rank"])
			d.equal("new rank of job "+m.entry()+" at night in sort and compare", is[m.entry()]["rank"], m["new_rank"])
		}
	}
	for i, m := range moves.rows {
		id := m.entry()
		d.equal("rank of job "+id+" in sort and compare", now[id]["rank"], m["old_rank"])
		switch {
		case p.isPBS():
			d.equal("new rank of job "+id+" in sort and compare", then[id]["rank"], m["new_rank"])
		case i%10 == 3 && moves.isOnly(m["id"]):
			told := ofJSON(t, "["+answered(t, append([]string{"explain", m["id"], p.dir, "-o", "json"}, change(p)...)...)+"]").rows[0]
			d.equal("new rank of job "+id+" in explain and compare", told["rank"], m["new_rank"])
		}
	}
}

// explainOrder holds what explain says of the first, the last and some other jobs to the order.
func explainOrder(t testing.TB, p place, d *differences, ranked table) {
	lines := ofJSON(t, answered(t, "sort", p.dir, "-o", "json"))
	var now table // where a cycle can be gone through
	if !p.isFlux {
		if a := ask("sort", p.dir, "--now", "--tz", "UTC", "-o", "json"); a.isGiven() && a.out != "" {
			now = ofJSON(t, a.out)
		}
	}
	n := len(ranked.rows)
	for i, row := range ranked.rows {
		id := row["id"]
		if i != 1 && i != n-1 && i != n/2 || !ranked.isOnly(id) {
			continue
		}
		told := ofJSON(t, "["+answered(t, "explain", id, p.dir, "-o", "json")+"]").rows[0]
		for name, value := range lines.rows[i] {
			d.equal("job "+id+", "+name+" in sort and explain", value, told[name])
		}
		if len(now.rows) > 0 {
			of := now.rows[i]
			then := ofJSON(t, "["+told["now"]+"]").rows[0]
			for _, name := range []string{"starts_now", "waits_for"} {
				d.equal(name+" of job "+id+" in sort --now and explain", of[name], then[name])
			}
		}
		// That of the nearest one ahead that may start, as explain says, at a site of Slurm in the partition of the job where there is one; or of
		// the nearest one.
		isStuck := func(of line) bool { return strings.Contains(told["stuck_ahead"], strconv.Quote(of["id"])) }
		isOwn := func(other line) bool { return other["partition"] == row["partition"] && !isStuck(other) }
		at := lastOf(ranked.rows[:i], isOwn)
		if at < 0 {
			at = lastOf(ranked.rows[:i], func(other line) bool { return !isStuck(other) })
		}
		if at < 0 {
			at = i - 1
		}
		if i == 0 || !ranked.isOnly(ranked.rows[at]["id"]) {
			continue
		}
		type job struct {
			ID   string
			Rank int
		}
		var pair struct {
			First, Second string
			Ranks         []int
			Job, Other    job // at sites of Slurm and flux
		}
		if err := json.Unmarshal([]byte(answered(t, "explain", id, p.dir, "--vs", "ahead", "-o", "json")), &pair); err != nil {
			t.Fatal(err)
		}
		second := pair.Second
		if !p.isPBS() {
			second, pair.Ranks = pair.Job.ID, []int{pair.Other.Rank, pair.Job.Rank}
			d.equal("the one ahead of job "+id, ranked.rows[at]["id"], pair.Other.ID)
		}
		d.equal("job "+id+" and the one ahead", []any{ranked.rows[at]["id"], id, []int{at + 1, i + 1}}, []any{pair.First, second, pair.Ranks})
	}
}

// lastOf returns the number of the last of some rows that is what is asked for, -1 for none.
func lastOf(rows []line, is func(line) bool) int {
	for i := range slices.Backward(rows) {
		if is(rows[i]) {
			return i
		}
	}
	return -1
}

// isOnly reports whether a job has one row.
func (t table) isOnly(id string) bool {
	n := 0
	for _, row := range t.rows {
		if row["id"] == id {
			n++
		}
	}
	return n == 1
}

// labOrder holds the rows of the lab's page to the order.
func labOrder(t testing.TB, p place, d *differences, ranked table) {
	var got struct {
		Problem string
		Ranking struct {
			Rows []struct {
				ID   string
				Rank *int
			}
		}
	}
	var want []string
	for _, row := range ranked.rows[:min(len(ranked.rows), 500)] {
		want = append(want, row["rank"]+" "+row["id"])
	}
	var site struct {
		Formula string `json:"in_force"`
	}
	page, _ := openLab(t, "", p.dir)
	page.ask(t, "site", lab.Request{}, &site)
	tried := lab.Query{State: lab.State{Formula: site.Formula}, Count: 500}
	page.ask(t, "try", lab.Request{Query: tried}, &got)
	var shown []string
	for _, row := range got.Ranking.Rows {
		shown = append(shown, strconv.Itoa(*row.Rank)+" "+row.ID)
	}
	if got.Problem != "" {
		d.add("the lab: %s", got.Problem)
		return
	}
	d.equal("order of sort and the lab", want, shown)
}

// page is the address of the lab's page of a site, which is served.
type page string

// openLab serves the page of a site until the end of the test, and returns what was said before. stdin is what stands on
// standard input.
func openLab(t testing.TB, stdin string, args ...string) (page, fmt.Stringer) {
	ctx, end := context.WithCancel(context.Background())
	out, printed := io.Pipe()
	var said bytes.Buffer
	over := make(chan int, 1)
	go func() {
		over <- cli.Run(ctx, slices.Concat([]string{"lab", "--no-browser", "--http", "localhost:0"}, args), cli.Config{Stdin: strings.NewReader(stdin), Stdout: printed, Stderr: &said})
		printed.Close()
	}()
	t.Cleanup(func() { end(); <-over })
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the lab says no address: %v %s", err, &said)
	}
	go io.Copy(io.Discard, out)
	return page(strings.TrimSpace(address)), &said
}

// ask asks the page's server a question.
func (p page) ask(t testing.TB, question string, request lab.Request, into any) {
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(string(p)+question, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v %.300s", response.Status, err, text)
	}
}

// isStuck reports whether a rule keeps a row's job out of its partition, or the state of that, whatever else runs.
func isStuck(row line) bool { return strings.Contains(row["limit"], "partition "+row["partition"]+" ") }

// metricsOrder holds the best ranks and the number of jobs in metrics to the order.
func metricsOrder(t testing.TB, p place, d *differences, ranked table) {
	names := map[string]string{"pbs_queue": "queue", "pbs_entity": "entity"}
	switch {
	case p.isSlurm:
		names = map[string]string{"slurm_partition": "partition", "slurm_account": "account"}
	case p.isFlux:
		names = map[string]string{"flux_queue": "queue", "flux_bank": "bank"}
	}
	printed := answered(t, "metrics", p.dir)
	for prefix, column := range names {
		best, jobs := map[string]string{}, map[string]int{}
		for _, row := range ranked.rows {
			of := row[column]
			if row["never"] == "" && !isStuck(row) {
				best[of] = cmp.Or(best[of], row["rank"])
			}
			n, _ := strconv.Atoi(cmp.Or(row["subjobs"], "1"))
			jobs[of] += n
		}
		var wantRanks, wantJobs, ranks, waiting []string
		for of, rank := range best {
			wantRanks = append(wantRanks, of+" "+rank)
		}
		for of, n := range jobs {
			wantJobs = append(wantJobs, of+" "+strconv.Itoa(n))
		}
		for text := range strings.Lines(printed) {
			name, value, _ := strings.Cut(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), ".0")), "} ")
			metric, label, _ := strings.Cut(name, "{")
			of := strings.Trim(strings.TrimPrefix(label, column+"="), `"`)
			switch metric {
			case prefix + "_best_rank":
				ranks = append(ranks, of+" "+value)
			case prefix + "_jobs_waiting":
				if value != "0" {
					waiting = append(waiting, of+" "+value)
				}
			}
		}
		for _, list := range [][]string{wantRanks, wantJobs, ranks, waiting} {
			slices.Sort(list)
		}
		d.equal("best ranks by "+column+" in sort and metrics", wantRanks, ranks)
		d.equal("jobs by "+column+" in sort and metrics", wantJobs, waiting)
	}
}
