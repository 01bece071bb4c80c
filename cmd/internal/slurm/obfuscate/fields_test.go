package obfuscate

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sacct"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/workshop"
)

// Each column that sacct's reader asks for is one that a copy keeps, and each way of keeping has its rewriter.
func TestColumnsAreCopied(t *testing.T) {
	for _, names := range sacct.Names() {
		for _, name := range names {
			if dump.CopyOf(dump.KindAccounting, name) == slurm.CopyNot {
				t.Errorf("the column %s of sacct is read, and a copy lacks it", name)
			}
		}
	}
	for how := slurm.CopyNot + 1; how <= slurm.CopySome; how++ {
		if rewriters[how] == nil {
			t.Errorf("nothing keeps what is to be kept in way %d", how)
		}
	}
}

// value of a field, as a copy has it.
type kept struct{ field, value string }

// collector gathers the values of all fields in recordings, and what becomes of them.
type collector struct {
	*hider
	copies map[kept]string
	fields map[string]int // how many values each has
}

func (c *collector) take(field string, how slurm.Copy, value string) {
	k := kept{field, value}
	if _, isSeen := c.copies[k]; !isSeen && how != slurm.CopyNot {
		c.copies[k] = c.rewritten(how, value)
		c.fields[field]++
	}
}

// Whatever value of all recordings a reader takes, another one has another copy, and numbers and times have their own:
// no reader can tell a copy from its site by it. What is kept in part alone is left out.
func TestCopiesTellValuesApart(t *testing.T) {
	c := &collector{newHider(obfuscate.Shift{}), map[kept]string{}, map[string]int{}}
	ways := map[string]slurm.Copy{}
	for _, d := range recordings(t) {
		c.nameNodes(d)
		for _, p := range d.Parts {
			each(p, func(field string, how slurm.Copy, value string) {
				ways[field] = how
				c.take(field, how, value)
			})
		}
	}
	if len(c.fields) < 150 || len(c.copies) < 5_000 {
		t.Errorf("only %d fields with %d values", len(c.fields), len(c.copies))
	}
	from := map[kept]string{}
	for k, copied := range c.copies {
		how := ways[k.field]
		if how == slurm.CopySome || how == slurm.CopySince || how == slurm.CopySubmitLine || how == slurm.CopyParameters {
			continue
		}
		if isOwn := how == slurm.CopyValue || how == slurm.CopyTime || how == slurm.CopyAmount || how == slurm.CopyID; isOwn && copied != k.value {
			t.Errorf("%s %q becomes %q", k.field, k.value, copied)
		}
		key := kept{k.field, copied}
		if other, isTwice := from[key]; isTwice && alike(other, how) != alike(k.value, how) {
			t.Errorf("%s: %q and %q both become %q", k.field, other, k.value, copied)
		}
		from[key] = k.value
	}
}

// Dates are moved in whatever field of all recordings they stand, seconds since 1970 in those of times, and numbers of jobs;
// nothing else is another one, and dates stand in no field that is none of times.
func TestFieldsAreMoved(t *testing.T) {
	shift := obfuscate.Shift{Weeks: -104, Numbers: 1000}
	plain, moved := newHider(obfuscate.Shift{}), newHider(shift)
	times, numbers, seen := 0, 0, map[kept]bool{}
	for _, d := range recordings(t) {
		plain.nameNodes(d)
		moved.nameNodes(d)
		for _, p := range d.Parts {
			each(p, func(field string, how slurm.Copy, value string) {
				if seen[kept{field, value}] {
					return
				}
				seen[kept{field, value}] = true
				want, got := plain.rewritten(how, value), moved.rewritten(how, value)
				isTime := how == slurm.CopyTime || how == slurm.CopySome || how == slurm.CopySince
				switch {
				case how == slurm.CopyID && want != "":
					numbers++
					number, err := strconv.Atoi(jobNumber().FindStringSubmatch(want)[1])
					if err != nil {
						t.Fatal(err)
					}
					want = strconv.Itoa(number+1000) + jobNumber().FindStringSubmatch(want)[2]
				case how == slurm.CopyDependency:
					want = parent().ReplaceAllStringFunc(want, func(one string) string {
						numbers++
						number, err := strconv.Atoi(one[1:])
						if err != nil {
							t.Fatal(err)
						}
						return ":" + strconv.Itoa(number+1000)
					})
				case isTime && date().MatchString(want):
					times++
					want = date().ReplaceAllStringFunc(want, func(one string) string {
						day, err := time.Parse(time.DateOnly, one)
						if err != nil {
							t.Fatal(err)
						}
						return day.AddDate(0, 0, -7*104).Format(time.DateOnly)
					})
				case date().MatchString(want):
					t.Errorf("%s is no time: %s", field, want)
				}
				if got != want {
					t.Errorf("%s: %q becomes %q, want %q", field, value, got, want)
				}
			})
		}
	}
	if times < 2_000 || numbers < 1_000 {
		t.Errorf("only %d times and %d numbers", times, numbers)
	}
	for value, want := range map[string]string{"1772437196": "1709537996", "0": "0", "4294967295": "4294967295", "Unknown": "Unknown", "2026-03-02T08:00:00+0100": "2024-03-04T08:00:00+0100"} {
		if got := moved.rewritten(slurm.CopyTime, value); got != want {
			t.Errorf("%s becomes %s, want %s", value, got, want)
		}
	}
}

// alike returns what readers take a value for, where they take several for one.
func alike(value string, how slurm.Copy) string {
	switch value = strings.TrimSpace(value); how {
	case slurm.CopyUserNumber, slurm.CopyGroupNumber, slurm.CopyQOSNumber, slurm.CopyAccountNumber: // of which the name is read
		value, _, _ = strings.Cut(value, "(")
		value = strings.TrimSuffix(value, "N/A")
	case slurm.CopyWord: // without who did it
		value, _, _ = strings.Cut(value, " by ")
	case slurm.CopyGRES:
		value = strings.NewReplacer("gres:", "", "gres/", "", "=", ":").Replace(socket().ReplaceAllString(strings.ToLower(value), ""))
	case slurm.CopyLicences, slurm.CopyTRES, slurm.CopyLicence:
		list, _ := sched.ParseLicences(value)
		text, _ := json.Marshal(list)
		if value = strings.ToLower(value); len(list) > 0 {
			value = strings.ToLower(string(text))
		}
	case slurm.CopyHosts:
		if list, err := slurm.Hostlist(value); err == nil {
			value = strings.Join(list, ",")
		}
	}
	return value
}

// each gives every field of a part that is kept, with its value.
func each(p dump.Part, do func(field string, how slurm.Copy, value string)) {
	isTable := strings.Contains(p.Text, "|") || p.Kind == dump.KindPriorities
	switch {
	case strings.HasPrefix(p.Text, "{"):
	case p.Kind == dump.KindAccounting || isTable && reflect.ValueOf(dump.CopyOf(p.Kind, "user")+dump.CopyOf(p.Kind, "name")+dump.CopyOf(p.Kind, "start")).Int() > 0:
		var split *sacct.Splitter
		for line := range strings.Lines(p.Text) {
			line = strings.TrimRight(line, "\r\n")
			if split == nil || sacct.IsHeader([]byte(line)) {
				split = sacct.NewSplitter([]byte(line), func(string) bool { return true })
				continue
			}
			cells, why := split.Split([]byte(line))
			if at := slices.Index(split.Names, "jobid"); why == "" && at >= 0 && bytes.Contains(cells[at], []byte(".")) {
				continue // a step, which no reader takes
			}
			for i, cell := range cells {
				if name := split.Names[i]; why == "" && i < len(split.Names) && !(p.Kind == dump.KindPriorities && name == "partition") {
					do(name+" of table "+string(rune('A'+int(p.Kind))), dump.CopyOf(p.Kind, name), strings.TrimSpace(string(cell)))
				}
			}
		}
	case p.Kind == dump.KindConfig:
		for line := range strings.Lines(p.Text) {
			if m := isSetting().FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
				do(m[1], dump.CopyOf(dump.KindConfig, strings.ToLower(m[1])), m[2])
			}
		}
	default:
		text := dump.ReasonTime().ReplaceAllString(jobName.ReplaceAllString(p.Text, ""), "Reason=hidden[user@$1]")
		for word := range strings.FieldsSeq(text) {
			key, value, isField := strings.Cut(word, "=")
			how := dump.CopyOf(p.Kind, strings.ToLower(key))
			if p.Kind == dump.KindJobs {
				how = slurm.JobCopy(key)
			}
			if isField {
				do(key+" of record "+string(rune('A'+int(p.Kind))), how, value)
			}
		}
	}
}

var jobName = regexp.MustCompile(`(?m) JobName=.*$|^\s*(Comment|AdminComment|Command|WorkDir|Std\w+|SubmitLine)=.*$`)

// recordings returns all sites of Slurm in testdata, with their tables of sacct.
func recordings(t *testing.T) (list []*dump.Dump) {
	t.Helper()
	const testdata = "../../../../testdata/"
	for _, pattern := range []string{"slurm-site/*.tgz", "slurm-now/*.tgz", "slurm-replay/*/site.tgz"} {
		names, err := filepath.Glob(testdata + pattern)
		if err != nil || len(names) < 3 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for i, name := range names {
			if i%3 != 0 && !workshop.TestsAll() {
				continue
			}
			d, err := dump.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			if sacct := filepath.Join(filepath.Dir(name), "sacct.txt.gz"); exists(sacct) {
				text, err := file.At(sacct).Text(1 << 30)
				if err != nil {
					t.Fatal(err)
				}
				d.Set("sacct.txt", text)
			}
			list = append(list, d)
		}
	}
	return list
}

func exists(name string) bool { _, err := os.Stat(name); return err == nil }

// A copy of what sacct --json and squeue --json print has the same jobs under other names.
func TestJSONIsCopied(t *testing.T) {
	h := newHider(obfuscate.Shift{})
	const queue = `{"jobs":[{"job_id":7,"user_name":"bob","account":"chem","qos":"normal","partition":"main","job_state":["PENDING"],"state_reason":"Resources","resv_name":"","priority":{"set":true,"infinite":false,"number":5},` +
		`"nice":0,"submit_time":{"set":true,"infinite":false,"number":1789371925},"time_limit":{"set":true,"infinite":false,"number":60},"shared":["none"],"tres_req_str":"cpu=4,mem=1G,node=1,billing=4","comment":"bob","name":"bobs"}]}`
	d := &dump.Dump{}
	d.Set("squeue.json", queue)
	text := h.part(d, d.Parts[0])
	if strings.Contains(text, "bob") || strings.Contains(text, "chem") || strings.Contains(text, "main") {
		t.Error(text)
	}
	for _, want := range []string{"JobId=7 ", "Priority=5 ", "SubmitTime=2026-09-14T07:45:25 ", "JobState=PENDING ", "OverSubscribe=NO ", "ReqTRES=cpu=4,mem=1G,node=1,billing=4 "} {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
	if dump.KindOf(text) != dump.KindJobs {
		t.Errorf("%s is not told", text)
	}
	const accounting = `{"jobs":[{"account":"chem","allocation_nodes":1,"job_id":7,"name":"bobs","nodes":"c01","partition":"main","user":"bob","time":{"elapsed":60,"end":1789372000,"start":1789371940,"submission":1789371925,"eligible":1789371925,"limit":{"set":true,"number":60}},` +
		`"state":{"current":["COMPLETED"]},"tres":{"requested":[{"type":"cpu","count":4},{"type":"gres","name":"gpu:a100","count":1}]},"qos":"normal","submit_line":"sbatch -n4 -w c01 /home/bob/x"}]}`
	table := h.accountingOfJSON(accounting)
	for _, want := range []string{"|1789371940|", "|cpu=4,gres/gpu:model-1=1|", "|sbatch -n4 -whost-1"} {
		if !strings.Contains(table, want) || strings.Contains(table, "bob") || strings.Contains(table, "c01") {
			t.Errorf("%s lacks %s", table, want)
		}
	}
}
