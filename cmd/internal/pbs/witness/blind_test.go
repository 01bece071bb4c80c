package witness

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/pbs/study"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/witness"
	"fairshare/cmd/internal/witness/witnesstest"
	"fairshare/cmd/internal/workshop"
)

// recordings are runs of a real scheduler.
const recordings = "../../../../testdata/replay/"

// spoil takes a rule away from the site that judges a record: by settings, and by an edit of a file.
type spoil struct {
	settings []string
	file     string // part of its name
	edit     func(text string) string
	noList   bool // of jobs, which tells %N
}

// judge judges the record of a run by its site, of which a rule may be taken away.
func judge(t *testing.T, run string, s spoil) *witnesstest.Judged {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "snapshot")
	from := recordings + run + "/snapshot"
	edited := s.file == ""
	err := filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		rest, _ := filepath.Rel(from, name)
		if err != nil || entry.IsDir() {
			return os.MkdirAll(filepath.Join(dir, rest), 0o700)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if s.file != "" && strings.Contains(rest, s.file) {
			isPacked := strings.HasSuffix(rest, ".gz")
			before := string(text)
			if isPacked {
				before = string(workshop.Unpacked(t, name))
			}
			if after := s.edit(before); after != before {
				text, edited = []byte(after), true
				rest = strings.TrimSuffix(rest, ".gz")
			}
		}
		return os.WriteFile(filepath.Join(dir, rest), text, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	if !edited {
		t.Fatalf("%s: nothing to edit in %s", run, s.file)
	}
	q := site.Replaying{Zone: time.UTC, Settings: s.settings}
	if usage := recordings + run + "/usage.begin"; exists(usage) {
		q.Usage = usage
	}
	if list := recordings + run + "/priority.csv"; exists(list) && !s.noList {
		q.Jobs = list
	}
	input := site.NewInput(strings.NewReader(""))
	logs, _, err := pbssite.FindLogs([]string{dir}, "UTC", input)
	if err != nil {
		t.Fatal(err)
	}
	in, _, err := study.NewInputs(q, logs, input)
	if err != nil {
		t.Fatal(err)
	}
	policies, _, err := in.Policies(q, input)
	if err != nil {
		t.Fatal(err)
	}
	judging := policies[len(policies)-1]
	on, _, err := in.Load(logs, judging.Site)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := on.Use([]*study.Policy{judging}); err != nil {
		t.Fatal(err)
	}
	return witnesstest.Judge(t, New(on))
}

func exists(name string) bool {
	about, err := os.Stat(name)
	return err == nil && about.Size() > 0
}

// without returns an edit that takes the lines away which have some words.
func without(words string) func(string) string {
	return func(text string) string {
		var b strings.Builder
		for line := range strings.Lines(text) {
			if !strings.Contains(line, words) {
				b.WriteString(line)
			}
		}
		return b.String()
	}
}

// withoutReservations takes away what accounting has of reservations.
func withoutReservations(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if parts := strings.SplitN(line, ";", 3); len(parts) < 3 || !strings.Contains("UYBFKk", parts[1]) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// replaced returns an edit that replaces words.
func replaced(old, by string) func(string) string {
	return func(text string) string { return strings.ReplaceAll(text, old, by) }
}

// blind has rules that are taken away from the site that judges a record, one at a time, and what the first
// group has to be about.
var blind = []struct {
	rule, run string
	spoil
	side  witness.Side
	group string // part of its sentence
}{
	{"`max_run` of each user", "P4", spoil{settings: []string{"server.max_run=[u:PBS_GENERIC=1000]"}}, witness.Wait, "jobs kept waiting"},
	{"`max_run_res.ncpus` of each group", "P4", spoil{settings: []string{"server.max_run_res.ncpus=[g:PBS_GENERIC=80000]"}}, witness.Wait, "of 16 cpus or more"},
	{"`max_run_res.ncpus` of group east in queue qb", "Q4y", spoil{settings: []string{"queue.qb.max_run_res.ncpus=[g:east=48000]"}}, witness.Wait, "of queue qb"},
	{"`max_run` of project beta in queue qa", "Q4y", spoil{settings: []string{"queue.qa.max_run=[u:PBS_GENERIC=5]"}}, witness.Wait, "of project beta"},
	{"`%N` of arrays", "P5", spoil{noList: true}, witness.Wait, "of user"},
	{"`strict_ordering`", "P2", spoil{settings: []string{"sched.strict_ordering=false"}}, witness.Wait, "jobs"},
	{"`backfill_depth` (0 in its place)", "Q1", spoil{settings: []string{"server.backfill_depth=0"}}, witness.May, "(strict_ordering)"},
	{"`fair_share`", "Q1", spoil{settings: []string{"sched.fair_share=false"}}, witness.May, "is the order of jobs another one"},
	{"`fair_share` with a formula", "P1x", spoil{settings: []string{"sched.fair_share=false"}}, witness.Wait, "the order of jobs"},
	{"`fairshare_decay_time` (1 h in its place)", "L1", spoil{settings: []string{"sched.fairshare_decay_time=1:00:00"}}, witness.Wait, "of group physics"},
	{"`by_queue`", "Q3y", spoil{settings: []string{"sched.by_queue=false"}}, witness.Wait, "of queue workq"},
	{"`round_robin`", "Q4y", spoil{settings: []string{"sched.round_robin=false"}}, witness.Wait, "the order of jobs"},
	{"priority of queue highq", "P4", spoil{settings: []string{"queue.highq.priority=0"}}, witness.Wait, "the order of jobs"},
	{"`job_sort_formula_threshold`", "Q4y", spoil{settings: []string{"sched.job_sort_formula_threshold=-1000"}}, witness.Wait, "beside free vnodes"},
	{"`preemptive_sched`", "P6", spoil{settings: []string{"sched.preemptive_sched=false"}}, witness.May, "of queue expressq"},
	{"`ngpus` in `resources`", "P1x", spoil{file: "sched_config", edit: replaced(", ngpus", "")}, witness.Where, "that ask for ngpus"},
	{"vnode n03, which was offline", "V4", spoil{file: "server_logs", edit: without(";n03;")}, witness.Where, "vnode n03"},
	{"vnode n06, which was offline", "V4", spoil{file: "server_logs", edit: without(";n06;")}, witness.Where, "vnode n06"},
	{"`holidays`: prime and non-prime time", "V2", spoil{file: "holidays", edit: func(string) string { return "" }}, witness.May, "of queue np_night"},
	{"`dedicated_time`", "V2", spoil{file: "dedicated_time", edit: func(string) string { return "" }}, witness.May, "of queue dedq"},
	{"`backfill_prime`", "V2", spoil{file: "sched_config", edit: replaced("backfill_prime: true", "backfill_prime: false")}, witness.Wait, "beside free vnodes"},
	{"`node_group_enable`", "V3", spoil{settings: []string{"server.node_group_enable=false"}}, witness.Where, "switch="},
	{"all reservations", "V1", spoil{file: "accounting", edit: withoutReservations}, witness.Where, "other vnodes"},
	{"all maintenance reservations", "V6", spoil{file: "accounting", edit: withoutReservations}, witness.Where, "vnode n03"},
	{"`max_run` of each user", "Q4y", spoil{settings: []string{"server.max_run=[u:PBS_GENERIC=700]"}}, witness.Wait, "does a limit keep them"},
	{"`max_run_res.ncpus` of each group", "Q4y", spoil{settings: []string{"server.max_run_res.ncpus=[g:PBS_GENERIC=24000]"}}, witness.Wait, "of group north"},
	{"`max_run_res.ncpus` of users in queue top", "Q4y", spoil{settings: []string{"queue.top.max_run_res.ncpus=[u:PBS_GENERIC=5600]"}}, witness.Wait, "of queue top"},
	{"`max_run` of queue qc", "Q4y", spoil{settings: []string{"queue.qc.max_run=[o:PBS_ALL=600]"}}, witness.Wait, "of queue qc"},
	{"`backfill_depth` of queue highq (0 in its place)", "Q1", spoil{settings: []string{"queue.highq.backfill_depth=0"}}, witness.May, "of queue highq"},
	{"`backfill_depth` (0 in its place)", "P6r", spoil{settings: []string{"server.backfill_depth=0"}}, witness.May, "(strict_ordering)"},
	{"`strict_ordering`", "P3", spoil{settings: []string{"sched.strict_ordering=false"}}, witness.Where, "starts"},
	{"`strict_ordering`", "Q1", spoil{settings: []string{"sched.strict_ordering=false"}}, witness.Wait, "jobs"},
	{"`by_queue`", "P4", spoil{settings: []string{"sched.by_queue=false"}}, witness.Wait, "the order of jobs"},
	{"shares of users in `resource_group`", "L1", spoil{file: "resource_group", edit: replaced("\t40\n", "\t10\n")}, witness.Wait, "the order of jobs"},
	{"`prime_spill`", "V2", spoil{file: "sched_config", edit: replaced("prime_spill: 01:00:00", "prime_spill: 00:00:00")}, witness.May, "prime"},
	{"`preemptive_sched`, where it requeues", "P6r", spoil{settings: []string{"sched.preemptive_sched=false"}}, witness.May, "of queue expressq"},
	{"`mem` in `resources`", "P1x", spoil{file: "sched_config", edit: replaced("mem, ", "")}, witness.Where, "is less free on n02"},
	{"all moms that were killed", "V4m", spoil{file: "server_logs", edit: func(string) string { return "" }}, witness.Where, "vnode g01"},
	{"all vnodes that were offline", "V1", spoil{file: "server_logs", edit: func(string) string { return "" }}, witness.Where, "vnode n02"},
}

var update = flag.Bool("update", false, "write the table into the page")

// Each rule that is taken away is noticed, but for three, and the first group is about it. Where none is taken
// away nothing is said. The table of it stands in docs/evidence/witness.md.
func TestBlind(t *testing.T) {
	whole := map[string]*witnesstest.Judged{}
	for _, run := range []string{"P1x", "P2", "P3", "P4", "P4b", "P5", "P6", "P6r", "L1", "Q1", "Q3y", "Q4y", "V1", "V2", "V3", "V4", "V4m", "V5", "V6", "R1", "R3", "R9", "R10", "R5", "R14"} {
		j := judge(t, run, spoil{})
		whole[run] = j
		for i := range j.Causes {
			t.Errorf("%s: %s", run, j.Causes[i].Sentence(j.Facts))
		}
		for _, side := range []witness.Side{witness.May, witness.Where} {
			const least = .98 // V3 has exclusive jobs on vnodes that were not free
			if share := j.Counts.Sides[side].Share(); share < least {
				t.Errorf("%s: %.3f of %s", run, share, side)
			}
		}
		const fewest = .92 // of Q3y and Q4y, where the scheduler stood still for minutes
		if share := j.Moments.Share(); !(share >= fewest) {
			t.Errorf("%s: %.3f of the moments", run, share)
		}
	}
	noticed := 0
	table := witnesstest.NewTable("PBS")
	for _, b := range blind {
		j := judge(t, b.run, b.spoil)
		first := witnesstest.First(j)
		switch {
		case first == "" && j.Otherwise(whole[b.run]) < witnesstest.Few:
			first = witnesstest.Unseen
		case first == "":
			first = "**nothing is noticed**"
			t.Logf("%s: nothing", b.rule)
		case j.Causes[0].Side == b.side && strings.Contains(first, b.group):
			noticed++
		default:
			t.Logf("%s: %s", b.rule, first)
		}
		table.Add(b.rule, b.run, j, whole[b.run], first)
	}
	t.Logf("%d of %d are noticed", noticed, len(blind))
	const missed = 3
	if noticed < len(blind)-missed {
		t.Errorf("%d of %d are noticed", noticed, len(blind))
	}
	table.Hold(t, *update)
}
