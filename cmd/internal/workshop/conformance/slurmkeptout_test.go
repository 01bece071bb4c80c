package conformance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/workshop"
)

// keptOut are the rules by which job 22 of the small site, of user bob, never starts in partition batch, each with what
// makes it so.
var keptOut = []struct {
	changes string
	submit  string // what bob asks for who asks for the same; "" where --submit has no word for it
	says    string // "" where the job may start
}{
	{"", "time=6:00:00", ""},
	{"partition.batch.MaxTime=00:10:00", "time=6:00:00", "partition batch has jobs of up to 0:10:00, and it asks for 6:00:00 (MaxTime)"},
	{"partition.batch.MaxTime=00:10:00;job.22.TimeLimit=UNLIMITED;", "", "partition batch has jobs of up to 0:10:00, and it asks for no end (MaxTime)"},
	{"partition.batch.MaxTime=00:10:00;job.22.TimeLimit=Partition_Limit", "", ""},
	{"partition.batch.MaxTime=00:10:00;job.22.Partition=batch,fast", "", ""},
	{"partition.batch.MaxTime=00:10:00;partition.fast.MaxTime=00:20:00;job.22.Partition=batch,fast", "", "partition batch has jobs of up to 0:10:00, and it asks for 6:00:00 (MaxTime)"},
	{"partition.batch.MaxTime=00:10:00;qos.normal.Flags=PartitionTimeLimit", "time=6:00:00", ""},
	{"partition.batch.MaxTime=00:10:00;config.SlurmUser=bob(1002)", "time=6:00:00", ""},
	{"partition.batch.State=DOWN", "nodes=1", "partition batch is DOWN and starts no job until an administrator puts it up (State)"},
	{"partition.batch.State=INACTIVE", "", "partition batch is INACTIVE and starts no job until an administrator puts it up (State)"},
	{"partition.batch.State=DRAIN", "", ""},
	{"partition.batch.State=DOWN;partition.batch.MaxTime=00:10:00", "time=6:00:00", "partition batch has jobs of up to 0:10:00, and it asks for 6:00:00 (MaxTime)"},
	{"partition.batch.MaxTime=00:10:00;partition.fast.MaxTime=01:00:00;partition.fast.State=DOWN;job.22.Partition=batch,fast", "", "partition batch has jobs of up to 0:10:00, and it asks for 6:00:00 (MaxTime)"},
	{"partition.batch.MaxTime=00:10:00;partition.fast.MaxTime=10:00:00;partition.fast.State=DOWN;job.22.Partition=batch,fast", "", "partition fast is DOWN and starts no job until an administrator puts it up (State)"},
	{"partition.batch.State=DOWN;job.22.Partition=batch,fast", "", ""},
	{"partition.batch.MaxNodes=1;job.22.NumNodes=2-2;job.22.ReqTRES=cpu=4,mem=8000M,node=2,billing=4", "nodes=2,ntasks=4", "partition batch lets no job have more than 1 node, and it asks for 2 (MaxNodes)"},
	{"partition.batch.MaxNodes=1;job.22.NumNodes=2-2;job.22.ReqTRES=cpu=4,mem=8000M,node=2,billing=4;qos.normal.Flags=PartitionMaxNodes", "nodes=2,ntasks=4", ""},
	{"partition.batch.MaxNodes=0", "nodes=1", "partition batch lets no job have more than 0 nodes, and it asks for 1 (MaxNodes)"},
	{"partition.batch.MinNodes=2;job.22.NumNodes=1-1", "nodes=1,ntasks=4", "partition batch lets no job have fewer than 2 nodes, and it asks for 1 at most (MinNodes)"},
	{"partition.batch.MinNodes=2;job.22.NumNodes=1-1;qos.normal.Flags=PartitionMinNodes", "nodes=1,ntasks=4", ""},
	{"partition.batch.MinNodes=2;job.22.NumNodes=1-3", "nodes=1-3,ntasks=4", ""},
	{"partition.batch.MaxMemPerNode=1500", "mem-per-cpu=2000", "partition batch lets no job have more than 1500 MB of a node, and it asks for 2000 (MaxMemPerNode)"},
	{"partition.batch.MaxMemPerNode=8000", "mem-per-cpu=2000", ""},
	{"config.MaxMemPerCPU=UNLIMITED;config.MaxMemPerNode=1500", "mem-per-cpu=2000", "partition batch lets no job have more than 1500 MB of a node, and it asks for 2000 (MaxMemPerNode)"},
	{"config.MaxMemPerCPU=UNLIMITED;config.MaxMemPerNode=1500;partition.batch.MaxMemPerNode=8000", "mem-per-cpu=2000", ""},
	{"assoc.a/bob.QOS=high", "qos=normal", "a/bob may not use QOS normal: theirs are high (QOS of the association)"},
	{"assoc.a/bob.QOS=normal;job.22.QOS=high,normal", "", ""},
	{"assoc.a/bob.QOS=high;config.AccountingStorageEnforce=associations,limits", "qos=normal", ""},
	{ofReservation("Users=ann,cat|Accounts=(null)"), "", "reservation course does not let in a/bob (Users or Accounts)"},
	{ofReservation("Users=-bob|Accounts=(null)"), "", "reservation course does not let in a/bob (Users or Accounts)"},
	{ofReservation("Users=(null)|Accounts=b"), "", "reservation course does not let in a/bob (Users or Accounts)"},
	{ofReservation("Users=(null)|Accounts=-root"), "", "reservation course does not let in a/bob (Users or Accounts)"},
	{ofReservation("Users=ann,bob|Accounts=root"), "", ""},
	{ofReservation("Users=-ann|Accounts=(null)"), "", ""},
	{"partition.batch.AllowAccounts=b", "nodes=1", "partition batch does not let in account a with QOS normal (AllowAccounts)"},
	{"partition.batch.AllowAccounts=b,A", "nodes=1", ""},
	{"partition.batch.DenyAccounts=a", "nodes=1", "partition batch does not let in account a with QOS normal (DenyAccounts)"},
	{"partition.batch.DenyAccounts=b", "nodes=1", ""},
	{"partition.batch.DenyAccounts=a;config.EnforcePartLimits=YES", "nodes=1", "partition batch does not let in account a with QOS normal (DenyAccounts)"},
	{"partition.batch.AllowQos=high", "qos=normal", "partition batch does not let in account a with QOS normal (AllowQos)"},
	{"partition.batch.AllowQos=high;config.EnforcePartLimits=YES", "qos=normal", "partition batch does not let in account a with QOS normal (AllowQos)"},
	{"partition.batch.MaxTime=00:10:00;config.EnforcePartLimits=ANY", "time=6:00:00", "partition batch has jobs of up to 0:10:00, and it asks for 6:00:00 (MaxTime)"},
	{"partition.batch.State=DOWN;config.EnforcePartLimits=ALL", "nodes=1", "partition batch is DOWN and starts no job until an administrator puts it up (State)"},
}

// ofOtherRow is what sort and explain say of the row of partition fast, of jobs that partition batch keeps out for another reason.
var ofOtherRow = map[string]string{
	"partition.batch.MaxTime=00:10:00;partition.fast.MaxTime=00:20:00;job.22.Partition=batch,fast":                           "partition fast has jobs of up to 0:20:00, and it asks for 6:00:00 (MaxTime)",
	"partition.batch.MaxTime=00:10:00;partition.fast.MaxTime=01:00:00;partition.fast.State=DOWN;job.22.Partition=batch,fast": "partition fast has jobs of up to 1:00:00, and it asks for 6:00:00 (MaxTime)",
	"partition.batch.MaxTime=00:10:00;partition.fast.MaxTime=10:00:00;partition.fast.State=DOWN;job.22.Partition=batch,fast": "partition fast is DOWN and starts no job until an administrator puts it up (State)",
}

// ofReservation has job 22 ask for a reservation of some guests.
func ofReservation(guests string) string {
	var b strings.Builder
	for _, x := range strings.Split("StartTime=2026-03-02T11:00:00|EndTime=2026-03-03T12:00:00|Duration=1-01:00:00|Nodes=n4|NodeCnt=1|CoreCnt=8|Features=(null)|PartitionName=(null)|Flags=SPEC_NODES|TRES=cpu=8|"+guests+"|Licenses=(null)|State=ACTIVE", "|") {
		b.WriteString("resv.course." + x + ";")
	}
	return b.String() + "job.22.Reservation=course"
}

// What keeps a job out of its partition whatever runs is one rule for sort, explain, when, its --submit and that of nodes, and
// a replay: all of them say it in the same words, and none where it is lifted. They say that it is for ever, but for the state
// of a partition, which is of now.
func TestKeptOut(t *testing.T) {
	t.Parallel()
	for i, x := range keptOut {
		if !workshop.Among(i, 4) {
			continue
		}
		site := newSmallSlurm()
		site.edit(x.changes)
		answers := answersOf(site.write(t, fmt.Sprint("keptout", i)))
		of := func(name, args string) answer { return answers.to(question{name, args}) }
		has := func(where, text, says string) {
			t.Helper()
			if x.says != "" && !strings.Contains(text, says) {
				t.Errorf("%s: %s does not say %q:\n%s", x.changes, where, says, text)
			}
			if isOfNow := strings.HasSuffix(x.says, "(State)"); isOfNow && strings.Contains(text, "never") {
				t.Errorf("%s: %s has it never start:\n%s", x.changes, where, text)
			}
			if x.says == "" && (strings.Contains(text, "never") || where == "--submit" && text != "") {
				t.Errorf("%s: %s keeps the job out:\n%s", x.changes, where, text)
			}
		}
		for _, row := range ofCSV(t, of("sort", "sort DIR --all -o csv").out).rows {
			if row["id"] == "22" {
				text := row["limit"]
				if row["never"] != "" {
					text = "never " + row["never"]
				}
				says := x.says
				switch other := ofOtherRow[x.changes]; {
				case other != "" && row["partition"] == "fast":
					says = other
				case other != "":
					says = "partition batch has jobs of up to 0:10:00, and it asks for 6:00:00 (MaxTime)"
				}
				has("sort", text, says)
			}
		}
		has("explain", of("explain", "explain 22 DIR").out, cmp.Or(ofOtherRow[x.changes], x.says))
		forecast := ofCSV(t, of("when", "when DIR 22 --runs 1 -o csv").out).rows[0]
		begin := outcome.Never
		if strings.HasSuffix(x.says, "(State)") {
			begin = outcome.Held
		}
		has("when", forecast["reason"], begin+x.says)
		started := ""
		for _, row := range ofCSV(t, of("replay", "replay DIR -o starts").out).rows {
			if row["job"] == "22" {
				started = row["start"]
			}
		}
		isUntold := strings.Contains(x.changes, "resv.") || strings.Contains(x.changes, "UNLIMITED;") // sacct has the reservation of jobs that started alone
		isOfNow := strings.HasSuffix(x.says, "(State)")                                               // a replay is of other times
		if !isUntold && (started == "") != (x.says != "" && !isOfNow) {
			t.Errorf("%s: in a replay it starts at %q", x.changes, started)
		}
		if x.submit != "" {
			a := of("submit", "when DIR --submit account=a,"+x.submit+" --user bob --partition batch --runs 1 -o csv")
			said, before := a.said, "error: the job is refused: "
			if isTaken := !strings.Contains(x.says, "(QOS of") && (strings.Contains(x.says, "(State)") || !strings.Contains(x.changes, "EnforcePartLimits")); isTaken && a.isGiven() {
				said, before = ofCSV(t, a.out).rows[0]["reason"], begin
			}
			_, keptOut, _ := strings.Cut(said, before)
			var room struct {
				Asked struct{ Lacks, Now, Refused string }
			}
			nodes := of("room", "nodes DIR --submit account=a,"+x.submit+" --user bob --partition batch -o json")
			if err := json.Unmarshal([]byte(nodes.out), &room); err != nil {
				t.Fatalf("%s: %v\n%s", x.changes, err, nodes.said)
			}
			refused, never := strings.TrimSpace(keptOut), ""
			if before == begin {
				refused, never = "", x.says
			}
			if room.Asked.Refused != refused {
				t.Errorf("%s: when --submit refuses it for %q, nodes --submit for %q", x.changes, refused, room.Asked.Refused)
			}
			switch is := room.Asked.Now; {
			case begin == outcome.Held:
				has("nodes --submit", is, "is held: "+never)
			case never != "":
				has("nodes --submit", is, "never starts: "+never)
			case refused == "":
				has("nodes --submit", is, "")
			}
			if has("--submit", keptOut, x.says); x.says == "" && !a.isGiven() {
				t.Errorf("%s: --submit: %s", x.changes, a.said)
			}
		}
	}
}

// A job of two partitions of which one takes no jobs as long never starts there, and there alone: sort, its cycle and explain
// say so of that row, and when asks about the job, which starts in the other one.
func TestKeptOutOfOnePartition(t *testing.T) {
	t.Parallel()
	site := newSmallSlurm()
	site.edit("job.22.Partition=batch,fast;job.22.TimeLimit=09:00:00;partition.fast.MaxTime=01:00:00;job.23.Partition=batch")
	answers := answersOf(site.write(t, "keptouthere"))
	of := func(name, args string) string { return answers.out(t, name, args) }
	const kept = "partition fast has jobs of up to 1:00:00, and it asks for 9:00:00 (MaxTime)"
	rows := 0
	for _, row := range ofCSV(t, of("sort", "sort DIR --now -o csv")).rows {
		if row["id"] != "22" {
			continue
		}
		rows++
		isHere := row["partition"] == "fast"
		for column, text := range map[string]string{"limit": "PartitionTimeLimit: " + kept, "waits_for": "never: " + kept} {
			if is := row[column]; isHere && is != text || !isHere && strings.Contains(is, kept) {
				t.Errorf("in partition %s its %s is %q", row["partition"], column, is)
			}
		}
		if row["never"] != "" {
			t.Errorf("in partition %s it never starts anywhere: %s", row["partition"], row["never"])
		}
	}
	if rows != 2 {
		t.Errorf("the job has %d rows", rows)
	}
	if is, text := of("here", "explain 22@fast DIR"), "under QOS normal, whatever else runs: PartitionTimeLimit: "+kept; !strings.Contains(is, "it does not start in partition fast "+text) || strings.Contains(is, "a limit holds it") {
		t.Errorf("explain does not say %q:\n%s", text, is)
	}
	if is := of("elsewhere", "explain 22@batch DIR"); strings.Contains(is, kept) {
		t.Errorf("explain has it kept out of partition batch:\n%s", is)
	}
	if row := ofCSV(t, of("when", "when DIR 22 --runs 1 -o csv")).rows[0]; row["queue"] != "batch" || strings.Contains(row["reason"], kept) {
		t.Errorf("when: %v", row)
	}
}

// A job of two partitions of which one is down is held there, and there alone: sort, its cycle, explain and metrics say so of
// that row, and when asks about the job, which starts in the other one.
func TestHeldInOnePartition(t *testing.T) {
	t.Parallel()
	const held = "partition batch is DOWN and starts no job until an administrator puts it up (State)"
	site := newSmallSlurm()
	site.edit("partition.batch.State=DOWN;partition.batch.PriorityTier=5;job.22.Partition=batch,fast;job.22.NumNodes=4-4;job.22.NumCPUs=32;job.22.ReqTRES=cpu=32,mem=8000M,node=4,billing=32")
	answers := answersOf(site.write(t, "heldhere"))
	of := func(name, args string) string { return answers.out(t, name, args) }
	ranks := map[string]string{} // by partition
	for _, row := range ofCSV(t, of("sort", "sort DIR --now -o csv")).rows {
		if row["id"] != "22" {
			continue
		}
		isHere := row["partition"] == "batch"
		ranks[row["partition"]] = row["rank"]
		for column, text := range map[string]string{"limit": "PartitionDown: " + held, "waits_for": "held: " + held} {
			if is := row[column]; isHere && is != text || !isHere && strings.Contains(is, held) {
				t.Errorf("in partition %s its %s is %q", row["partition"], column, is)
			}
		}
		if row["never"] != "" {
			t.Errorf("in partition %s it never starts: %s", row["partition"], row["never"])
		}
	}
	if is, text := of("here", "explain 22@batch DIR"), "it does not start in partition batch, whatever else runs: PartitionDown: "+held; !strings.Contains(is, text) {
		t.Errorf("explain does not say %q:\n%s", text, is)
	}
	if is := of("elsewhere", "explain 22@fast DIR"); strings.Contains(is, held) {
		t.Errorf("explain has it held in partition fast:\n%s", is)
	}
	if row := ofCSV(t, of("when", "when DIR 22 --runs 1 -o csv")).rows[0]; row["queue"] != "fast" || strings.Contains(row["reason"], held) || row["place"] != ranks["fast"] || row["place"] == ranks["batch"] {
		t.Errorf("when: %v, of ranks %v", row, ranks)
	}
	for _, row := range ofCSV(t, of("try", "when DIR 22 --runs 1 --try partition=batch -o csv")).rows {
		if isIn := row["change"] != ""; isIn != (row["reason"] == "held: "+held) || isIn == (row["p50"] != "") {
			t.Errorf("when --try: %v", row)
		}
	}
	if is := of("tried", "when DIR 22 --runs 1 --try partition=batch"); strings.Contains(is, "after 14d") || !strings.Contains(is, "partition=batch  held  ") {
		t.Errorf("when --try does not say that it is held:\n%s", is)
	}
	metrics := of("metrics", "metrics DIR")
	for text, is := range map[string]bool{
		`slurm_partition_up{partition="batch"} 0.0`: true, `slurm_partition_up{partition="fast"} 1.0`: true,
		`slurm_partition_best_rank{partition="batch"}`: false, `slurm_partition_best_rank{partition="fast"}`: true,
	} {
		if strings.Contains(metrics, text) != is {
			t.Errorf("metrics: %s: %v\n%s", text, !is, metrics)
		}
	}
}

// Limits count the whole nodes of a job, whether it asks for them or its partition gives no others, and sort and when say so alike.
func TestWholeNodesCount(t *testing.T) {
	t.Parallel()
	for i, x := range []struct{ changes, limit, says string }{
		{"job.22.OverSubscribe=OK", "MaxTRES=cpu=4", ""},
		{"job.22.OverSubscribe=NO", "MaxTRES=cpu=4", "QOSMaxCpuPerJobLimit: 8 cpu asked for with its whole nodes, of 4 (MaxTRES of QOS normal)"},
		{"partition.batch.OverSubscribe=EXCLUSIVE", "MaxTRES=cpu=4", "QOSMaxCpuPerJobLimit: 8 cpu asked for with its whole nodes, of 4 (MaxTRES of QOS normal)"},
		{"partition.batch.OverSubscribe=EXCLUSIVE", "MaxTRES=cpu=8", ""},
		{"partition.batch.OverSubscribe=EXCLUSIVE", "MaxTRESPerNode=cpu=7", "QOSMaxCpuPerNode: 8 cpu a node asked for with its whole nodes, of 7 (MaxTRESPerNode of QOS normal)"},
		{"partition.batch.OverSubscribe=EXCLUSIVE", "MaxTRESPU=cpu=7", "QOSMaxCpuPerUserLimit: 8 cpu in use and 8 asked for with its whole nodes, of 7 (MaxTRESPU of QOS normal)"},
	} {
		answers := answersToSlurm(t, fmt.Sprint("whole", i), x.changes+";qos.normal."+x.limit)
		of := func(args string) []line { return ofCSV(t, answers.out(t, args, args)).rows }
		for _, row := range of("sort DIR -o csv") {
			if row["id"] == "22" && row["never"] != x.says {
				t.Errorf("%s, %s: sort says %q, and not %q", x.changes, x.limit, row["never"], x.says)
			}
		}
		name, _, _ := strings.Cut(x.says, ":")
		if reason := of("when DIR 22 --runs 1 -o csv")[0]["reason"]; strings.HasPrefix(reason, outcome.Never) != (x.says != "") || !strings.Contains(reason, name) {
			t.Errorf("%s, %s: when says %q, and sort %q", x.changes, x.limit, reason, x.says)
		}
	}
}

// A list of accounts that leaves out some below one that it names is one that versions of Slurm read in two ways: that is said.
func TestAccountsBelowAreSaid(t *testing.T) {
	t.Parallel()
	for i, x := range []struct {
		changes, says string
	}{
		{"partition.batch.AllowAccounts=root", "take AllowAccounts of partition batch for the accounts below root as well"},
		{"partition.batch.DenyAccounts=root", "take DenyAccounts of partition batch for the accounts below root as well"},
		{"partition.batch.AllowAccounts=root,A,b", ""},
		{"partition.batch.AllowAccounts=a", ""},
		{"partition.batch.AllowAccounts=root;config.SLURM_VERSION=22.05.8", ""},
	} {
		answers := answersToSlurm(t, fmt.Sprint("below", i), x.changes)
		for _, args := range []string{"sort DIR --notes", "sort DIR --now --notes", "when DIR --runs 1 --notes"} {
			said := answers.to(question{args, args}).said
			if strings.Contains(said, "for the accounts below") != (x.says != "") || !strings.Contains(said, x.says) {
				t.Errorf("%s: %s does not say %q: %s", x.changes, args, x.says, said)
			}
		}
	}
}
