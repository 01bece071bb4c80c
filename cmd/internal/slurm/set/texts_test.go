package set

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/workshop"
)

// textEdit is how what a site prints tells a setting: the parts of a kind with what stands there.
type textEdit struct {
	setting string
	kind    dump.Kind
	edit    func(text string) string
}

// inLine returns an edit of what stands behind a key in the first line, or the record, that a pattern finds.
func inLine(pattern, value string) func(string) string {
	find := regexp.MustCompile(pattern)
	return func(text string) string {
		at := find.FindStringSubmatchIndex(text)
		if at == nil {
			return text
		}
		return text[:at[2]] + value + text[at[3]:]
	}
}

// inTable returns an edit of a cell of a table parted by pipes.
func inTable(name, column, value string) func(string) string {
	return func(text string) string {
		lines := strings.Split(text, "\n")
		at := slices.Index(strings.Split(lines[0], "|"), column)
		for i, line := range lines {
			if cells := strings.Split(line, "|"); at >= 0 && cells[0] == name {
				cells[at] = value
				lines[i] = strings.Join(cells, "|")
			}
		}
		return strings.Join(lines, "\n")
	}
}

// edited returns a site as what it prints tells it once it is edited, without the priorities that sprio prints of the site as
// it was, and whether that changed any text.
func edited(t *testing.T, name string, e *textEdit) (s *order.Site, isOther bool) {
	t.Helper()
	d, err := dump.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	d.Parts = slices.DeleteFunc(d.Parts, func(p dump.Part) bool { return p.Kind == dump.KindPriorities })
	for i := range d.Parts {
		if p := &d.Parts[i]; e != nil && p.Kind == e.kind {
			text := e.edit(p.Text)
			isOther = isOther || text != p.Text
			p.Text = text
		}
	}
	if s, err = order.New(d); err != nil {
		t.Fatal(err)
	}
	return s, isOther
}

// What --set makes of the order is what the order is where the site's own text says so: the places where the setting moves no
// priority, and the priorities that are computed and the tiers always.
func TestSettingsAreTexts(t *testing.T) {
	all := 0
	for _, name := range []string{"slurm-now/24.11-busy", "slurm-site/t2_busy"} {
		name = "../../../../testdata/" + name + ".tgz"
		own, _ := edited(t, name, nil)
		now := own.Rows()
		var edits []textEdit
		add := func(kind dump.Kind, edit func(string) string, setting string, args ...any) {
			edits = append(edits, textEdit{fmt.Sprintf(setting, args...), kind, edit})
		}
		for _, kind := range []string{"none", "qos", "partition_prio"} {
			add(dump.KindConfig, inLine(`(?m)^PreemptType +=[ ](.*)$`, "preempt/"+kind), "PreemptType=preempt/%s", kind)
		}
		for _, key := range []string{"Age", "Assoc", "FairShare", "JobSize", "Partition", "QOS"} {
			add(dump.KindConfig, inLine(`(?m)^PriorityWeight`+key+` +=[ ](.*)$`, "7654"), "PriorityWeight%s=7654", key)
		}
		for _, q := range own.Preemption().QOS {
			add(dump.KindQOS, inTable(q.Name, "Priority", "77"), "qos.%s.priority=77", q.Name)
			add(dump.KindQOS, inTable(q.Name, "Preempt", ""), "qos.%s.Preempt=", q.Name)
			for _, over := range own.Preemption().QOS {
				add(dump.KindQOS, inTable(q.Name, "Preempt", over.Name), "qos.%s.Preempt=%s", q.Name, over.Name)
			}
		}
		for partition := range own.Conf.Partitions {
			record := `PartitionName=` + regexp.QuoteMeta(partition) + `\n(?:   .*\n)*?.*`
			add(dump.KindPartitions, inLine(record+`\bPriorityTier=(\d+)`, "9"), "partition.%s.tier=9", partition)
			add(dump.KindPartitions, inLine(record+`\bPriorityJobFactor=(\d+)`, "33"), "partition.%s.factor=33", partition)
		}
		for i, r := range now {
			if r.Rank == 0 || i%16 > 0 {
				continue
			}
			record := `(?m)^JobId=` + regexp.QuoteMeta(r.Job.ID) + ` .*\n(?:   .*\n)*?.*`
			add(dump.KindJobs, inLine(record+`\bNice=(-?\d+)`, "321"), "job.%s.nice=321", r.Job.ID)
			for _, q := range own.Preemption().QOS {
				add(dump.KindJobs, inLine(record+`\bQOS=(\S+)`, q.Name), "job.%s.qos=%s", r.Job.ID, q.Name)
			}
		}
		const aSecond = 3 // or two of age: the last sweep is found by the priorities, which the text lacks under the setting
		moved, other, same, loops := 0, 0, 0, 0
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(edits), func(i, k int) { edits[i], edits[k] = edits[k], edits[i] })
		for i, e := range edits {
			if !workshop.Among(i, 1) {
				continue
			}
			want, isOther := edited(t, name, &e)
			changed, changes, err := With(own, []string{e.setting})
			if err != nil && strings.Contains(err.Error(), "sacctmgr refuses a loop of preemption") {
				loops++
				continue
			}
			if err != nil || changes[0].IsSame {
				if err != nil && isOther && !strings.Contains(err.Error(), "it changes nothing") {
					t.Errorf("%s: %v", name, err)
				}
				if same++; !slices.Equal(placesOf(now), placesOf(want.Rows())) {
					t.Errorf("%s, %s changes nothing or is refused (%v), and the site that says so has another order", name, e.setting, err)
				}
				continue
			}
			after, _ := After(own, now, changed, changes)
			is := map[order.Place]order.Row{}
			isPriority := false
			for _, r := range after {
				is[r.Place()] = r
				isPriority = isPriority || r.Rank > 0 && r.Priority != r.Was.Priority
			}
			if !isOther {
				t.Errorf("%s: no text tells %s", name, e.setting)
			}
			rows := want.Rows()
			for _, r := range rows {
				if x := is[r.Place()]; r.Rank > 0 && (math.Abs(x.Priority-r.Priority) > aSecond || x.Tier != r.Tier) {
					t.Errorf("%s, %s: job %s has priority %g and tier %g, and by the text %g and %g", name, e.setting, r.Job.ID, x.Priority, x.Tier, r.Priority, r.Tier)
					break
				}
			}
			if isPriority {
				other++
				continue
			}
			if got, want := placesOf(after), placesOf(rows); !slices.Equal(got, want) {
				t.Errorf("%s, %s: the order is %v, and by the text %v", name, e.setting, got, want)
			}
			if !slices.Equal(placesOf(now), placesOf(after)) {
				moved++
			}
		}
		t.Logf("%s: %d settings; %d move jobs and no priority, %d move priorities, %d change nothing", name, len(edits), moved, other, same)
		if all += moved; other == 0 || workshop.TestsAll() && (moved == 0 || other < 10) {
			t.Errorf("%s: %d settings move jobs and %d priorities", name, moved, other)
		}
	}
	if all == 0 {
		t.Error("no setting moves jobs and no priority")
	}
}

// placesOf returns the jobs that Slurm considers, in their order.
func placesOf(rows []order.Row) (is []string) {
	for _, r := range rows {
		if r.Rank > 0 {
			is = append(is, r.Job.ID+" "+r.Partition+" "+r.QOS)
		}
	}
	return is
}
