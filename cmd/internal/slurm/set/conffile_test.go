package set

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/dump/dumptest"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/cmd/internal/workshop"
)

// confEdit is a change of a slurm.conf: text that is replaced, wherever it stands there, and the settings that say the same.
type confEdit struct {
	old, new string
	settings []string
}

// withConf returns the recorded sites that have their slurm.conf beside what scontrol prints, and it.
func withConf(t *testing.T, do func(name string, site *dump.Dump, conf string)) {
	t.Helper()
	var names []string
	for _, pattern := range []string{"../../../../testdata/slurm-site/*.tgz", "../../../../testdata/slurm-replay/*/site.tgz", dumptest.Sites + "*.tgz"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	tried := 0
	for _, name := range names {
		site, err := dump.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if confs := site.All(dump.KindConf); len(confs) == 1 && len(site.All(dump.KindConfig)) > 0 {
			if tried++; workshop.Among(tried, 1) {
				do(name, site, confs[0].Text)
			}
		}
	}
	if tried < 15 {
		t.Errorf("only %d recordings have a slurm.conf", tried)
	}
}

// confFile returns what a text changes of a site, read from a file.
func confFile(t *testing.T, site *dump.Dump, text string) *ConfFile {
	t.Helper()
	name := filepath.Join(t.TempDir(), "new.conf")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := dump.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := ReadConf(site, file)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// setupOf returns what a scheduler knows of a site, and how it is changed.
func setupOf(t *testing.T, site *dump.Dump) (*sched.Setup, func(settings []string) ([]Change, error)) {
	t.Helper()
	past, _, err := setup.Past(site)
	if err != nil {
		t.Fatal(err)
	}
	return past.Setup, func(settings []string) ([]Change, error) {
		_, changes, err := ChangeSetup(past.Setup, settings)
		return changes, err
	}
}

// The slurm.conf of each recorded site changes nothing of it, and a changed one is the settings that say the same, in whatever order,
// as far as the site has what they change.
func TestConfFileIsSettings(t *testing.T) {
	edits := []confEdit{
		{"PriorityWeightAge=", "PriorityWeightAge=7", []string{"PriorityWeightAge=7*"}},
		{"PriorityType=", "PriorityFavorSmall=YES\nPriorityType=", []string{"PriorityFavorSmall=YES"}},
		{"SchedulerParameters=", "SchedulerParameters=bf_resolution=77,", []string{"bf_resolution=77"}},
		{"default_queue_depth=200", "default_queue_depth=30", []string{"default_queue_depth=30"}},
		{"bf_max_job_user=20,", "", []string{"bf_max_job_user=0"}},
		{"matlab:4", "matlab:9", []string{"licences.matlab=9"}},
		{"PartitionName=main ", "PartitionName=main State=DRAIN ", []string{"partition.main.State=DRAIN"}},
		{"PriorityTier=2", "PriorityTier=5", []string{"partition.short.tier=5"}},
		{"PriorityJobFactor=50", "PriorityJobFactor=51", []string{"partition.gpu.factor=51"}},
		{"AllowQos=normal,high,gpuq", "", []string{"partition.gpu.AllowQos=ALL"}},
	}
	found := make([]int, len(edits))
	withConf(t, func(name string, site *dump.Dump, conf string) {
		same := confFile(t, site, conf)
		_, changes := setupOf(t, site)
		if _, err := same.Try(changes); err == nil || len(same.Settings)+len(same.Others) > 0 || !strings.HasSuffix(err.Error(), "changes nothing: what it says of priorities, scheduling and partitions is in force") {
			t.Errorf("%s: its own slurm.conf changes %v and %v: %v", name, same.Settings, same.Others, err)
		}
		for i, e := range edits {
			if !strings.Contains(conf, e.old) {
				continue
			}
			text := strings.ReplaceAll(conf, e.old, e.new)
			f := confFile(t, site, text)
			if _, err := f.Try(changes); err != nil {
				continue // the site lacks what it changes
			}
			is := func(setting string) bool {
				begin, isBegin := strings.CutSuffix(e.settings[0], "*")
				return setting == e.settings[0] || isBegin && strings.HasPrefix(setting, begin)
			}
			if len(f.Settings) == 1 && is(f.Settings[0]) {
				found[i]++
			} else if !slices.ContainsFunc(f.Settings, func(x string) bool { return strings.HasPrefix(x, "partition.") || is(x) }) {
				t.Errorf("%s with %s: %v", name, e.new, f.Settings)
			}
		}
	})
	for i, n := range found {
		if n == 0 {
			t.Errorf("no recording is changed by %s in place of %s", edits[i].new, edits[i].old)
		}
	}
}

// A whole slurm.conf that lacks a line which its site has is told to differ, unless the line says what is so without it.
func TestConfFileWithout(t *testing.T) {
	defaults, _, err := slurm.ParseConf("ClusterName=x\nSlurmctldHost=y\nNodeName=n CPUs=1\nPartitionName=p Nodes=n\n", slurm.Beside{})
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]int{}
	withConf(t, func(name string, site *dump.Dump, conf string) {
		whole := confFile(t, site, conf)
		for line := range strings.Lines(conf) {
			key, value, ok := strings.Cut(strings.TrimSpace(line), "=")
			x := slurm.ConfigAttributes.Of(strings.ToLower(key))
			if !ok || x == nil || x.Idle != "" || x.Name == "ClusterName" || strings.Count(conf, "\n"+key+"=") != 1 {
				continue
			}
			f := confFile(t, site, strings.Replace(conf, line, "", 1))
			isDefault := plainlyOf(x, value) == "" || slices.ContainsFunc(ofScheduling, func(of [2]string) bool { return of[0] == key && dump.Plainly(of[1]) == dump.Plainly(value) })
			if slurm.IsSetting(key) {
				was, _, err := site.Conf()
				if err != nil {
					t.Fatal(err)
				}
				isDefault = slices.ContainsFunc(defaults.Settings(), func(of slurm.Setting) bool {
					return strings.EqualFold(of.Name, key) && slices.Contains(was.Settings(), of)
				})
			}
			isTold := len(f.Settings)+len(f.Others) > len(whole.Settings)+len(whole.Others)
			if told[x.Name]++; !isTold && !isDefault && key != "SchedulerParameters" {
				t.Errorf("%s without %s: %v, %v", name, strings.TrimSpace(line), f.Settings, f.Others)
			}
		}
	})
	for _, key := range []string{"AccountingStorageEnforce", "AccountingStorageType", "AccountingStorageTRES", "PriorityWeightAge", "SelectTypeParameters", "PriorityMaxAge"} {
		if told[key] == 0 {
			t.Errorf("no recording sets %s", key)
		}
	}
}

// Each attribute of nodes on which starts depend is told where a slurm.conf has another one.
func TestConfFileOfNodes(t *testing.T) {
	told := map[string]int{}
	withConf(t, func(name string, site *dump.Dump, conf string) {
		for key, change := range map[string][2]string{
			"RealMemory": {`RealMemory=\d+`, "RealMemory=1234"}, "Weight": {` Weight=\d+`, " Weight=77"}, "Features": {`Feature=\w+`, "Feature=odd"}, "Gres": {`Gres=gpu:(\w+:)?\d+`, "Gres=gpu:${1}9"},
			"CoresPerSocket": {`CPUs=\d+( .*)CoresPerSocket=\d+`, "${1}CoresPerSocket=3"}, "ThreadsPerCore": {`CPUs=\d+( .*)ThreadsPerCore=\d+`, "${1}ThreadsPerCore=8"}, "MemSpecLimit": {`(RealMemory=\d+)`, "$1 MemSpecLimit=7"},
			"CPUs": {`CPUs=\d+( .*)CoresPerSocket=\d+`, "${1}CoresPerSocket=3"},
		} {
			re := regexp.MustCompile(`(?m)^(NodeName=.*)` + change[0])
			text := re.ReplaceAllString(conf, "${1}"+strings.NewReplacer("${1}", "${2}", "$1", "${2}").Replace(change[1]))
			if text == conf {
				continue
			}
			if f := confFile(t, site, text); !slices.ContainsFunc(f.Others, func(other string) bool { return strings.HasPrefix(other, key+" of ") }) {
				t.Errorf("%s with %s: %v, %v", name, change[1], f.Settings, f.Others)
			}
			told[key]++
		}
	})
	if len(told) != 8 {
		t.Errorf("attributes that were changed: %v", told)
	}
}

// A site that has a changed slurm.conf as its own has the order and the scheduler that a site with the slurm.conf as it is has under
// --set of the changed file.
func TestConfFileOrOwn(t *testing.T) {
	ofAll := []string{"PriorityWeightAge=", "PriorityWeightAge=3", "PriorityWeightFairshare=", "PriorityWeightFairshare=2", "SchedulerParameters=", "SchedulerParameters=bf_resolution=77,default_queue_depth=33,",
		"PriorityWeightTRES=CPU=500", "PriorityWeightTRES=CPU=900"}
	ofPartitions := []string{"PriorityTier=2", "PriorityTier=7", "PriorityJobFactor=50", "PriorityJobFactor=5", "MaxTime=02:00:00", "MaxTime=01:00:00"}
	// pair returns a site that has a slurm.conf in place of what scontrol prints of some kinds, the site with one that is changed, and
	// what the changed file changes.
	pair := func(site *dump.Dump, conf string, edits []string, without ...dump.Kind) (was, own *dump.Dump, f *ConfFile) {
		var kinds []dump.Kind
		for _, p := range site.Parts {
			if !slices.Contains(without, p.Kind) {
				kinds = append(kinds, p.Kind)
			}
		}
		was, own = site.Only(kinds...), site.Only(kinds...)
		text := strings.NewReplacer(edits...).Replace(conf)
		at := slices.IndexFunc(own.Parts, func(p dump.Part) bool { return p.Kind == dump.KindConf })
		own.Parts[at].Text = text
		return was, own, confFile(t, was, text)
	}
	ordered := 0
	withConf(t, func(name string, site *dump.Dump, conf string) {
		was, own, f := pair(site, conf, ofAll, dump.KindConfig)
		is, changes := setupOf(t, was)
		want, _ := setupOf(t, own)
		if _, err := f.Try(changes); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, _, err := ChangeSetup(is, f.Settings)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := got.Conf.Settings(), want.Conf.Settings(); !reflect.DeepEqual(a, b) {
			t.Errorf("%s under %v: %v, want %v", name, f.Settings, a, b)
		}
		if !reflect.DeepEqual(got.Backfill, want.Backfill) || got.Depth != want.Depth {
			t.Errorf("%s under %v: %+v %d, want %+v %d", name, f.Settings, got.Backfill, got.Depth, want.Backfill, want.Depth)
		}
		was, own, f = pair(site, conf, slices.Concat(ofAll, ofPartitions), dump.KindConfig, dump.KindPartitions)
		at, err := order.New(was)
		if err != nil || at.LacksConf() != "" || len(at.Jobs) == 0 {
			return // a record without a list
		}
		to, err := order.New(own)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Try(func(settings []string) ([]Change, error) { _, changes, err := With(at, settings); return changes, err }); err != nil {
			t.Fatal(err)
		}
		changed, _, err := With(at, f.Settings)
		if err != nil {
			t.Fatal(err)
		}
		terms := func(rows []order.Row) (list []string) {
			for _, r := range rows {
				list = append(list, fmt.Sprint(r.Job.ID, r.Partition, r.Tier, r.Priority, r.Points()))
			}
			return list
		}
		ordered++
		a, b := terms(changed.UnsortedRows()), terms(to.UnsortedRows())
		if len(a) != len(b) {
			t.Fatalf("%s under %v: %d rows, want %d", name, f.Settings, len(a), len(b))
		}
		for i := range a {
			if a[i] != b[i] {
				t.Errorf("%s under %v: %s, want %s", name, f.Settings, a[i], b[i])
			}
		}
	})
	if ordered == 0 || workshop.TestsAll() && ordered < 3 {
		t.Errorf("only %d recordings have an order", ordered)
	}
}

// A PartitionName line of a part is all that the partition has, as slurmctld reads it, and its PreemptMode one beside that of the site.
func TestConfFileOfPart(t *testing.T) {
	withConf(t, func(name string, site *dump.Dump, conf string) {
		if !strings.Contains(name, "t2_busy") {
			return
		}
		line := regexp.MustCompile(`(?m)^PartitionName=gpu .*$`).FindString(conf)
		if same := confFile(t, site, line+"\n"); len(same.Settings) > 0 {
			t.Errorf("%s: its own line of gpu changes %v", name, same.Settings)
		}
		f := confFile(t, site, line+" MaxTime=1:00:00 PreemptMode=OFF\n")
		mode := strings.ToUpper(dump.Plainly(site.Config("preemptmode")))
		if !slices.Contains(f.Settings, "partition.gpu.MaxTime=1:00:00") || slices.Contains(f.Settings, "partition.gpu.PreemptMode=OFF") == (mode == "" || mode == "OFF") {
			t.Errorf("%s: %v, under PreemptMode=%s", name, f.Settings, mode)
		}
	})
}

// A copy of the slurm.conf that a site has, with an edit, means to change that alone: what scontrol update has changed since stays as it
// is in force, and is named. The file of the site itself is what slurmctld reads when it is told to; and where a site has none, the state
// of a partition alone is left.
func TestEditsOfAnOwnConf(t *testing.T) {
	withConf(t, func(name string, site *dump.Dump, conf string) {
		parts := slices.Clone(site.Parts)
		for i, p := range parts {
			if p.Kind == dump.KindPartitions {
				parts[i].Text = strings.ReplaceAll(p.Text, "State=UP", "State=DOWN")
			}
		}
		changed := &dump.Dump{Name: site.Name, Parts: parts}
		isDown := func(of []string) bool { return slices.ContainsFunc(of, isState) }
		if f := confFile(t, changed, conf); !isDown(f.Settings) || f.Left != nil {
			t.Errorf("%s: its own slurm.conf sets %v and leaves %v", name, f.Settings, f.Left)
		}
		f := confFile(t, changed, conf+"\nPriorityCalcPeriod=7\n")
		if isDown(f.Settings) || !isDown(f.Left) {
			t.Errorf("%s: an edit sets %v and leaves %v", name, f.Settings, f.Left)
		}
		changed.Parts = slices.DeleteFunc(parts, func(p dump.Part) bool { return p.Kind == dump.KindConf })
		if f := confFile(t, changed, conf); isDown(f.Settings) || !isDown(f.Left) {
			t.Errorf("%s without its slurm.conf: it sets %v and leaves %v", name, f.Settings, f.Left)
		}
	})
}
