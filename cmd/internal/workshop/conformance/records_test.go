package conformance

import (
	"cmp"
	"compress/gzip"
	"hash/maphash"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// record is what a site has recorded of its past.
type record struct {
	place        // without the record
	text  string // of the accounting logs or the table of sacct
	usage string // the file of the usage at the begin, "" for none
	then  string // the site with the jobs that it listed at some moment, "" if there is none
}

// records returns every record of testdata/replay, testdata/slurm-replay and testdata/slurm-site.
func records(t testing.TB) (list []place, by map[string]record) {
	by = map[string]record{}
	add := func(r record) {
		list = append(list, r.place)
		by[r.name] = r
	}
	for _, run := range matching(t, "replay/*/snapshot") {
		files := filesBelow(t, run)
		var text strings.Builder
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if strings.HasPrefix(name, "server_priv/accounting/") {
				text.WriteString(files[name])
				delete(files, name)
			}
		}
		name := path.Join("replay", filepath.Base(filepath.Dir(run)))
		add(record{place{name: name, dir: write(t, "bare/"+name, files)}, text.String(), usageOf(run), ""})
	}
	for _, table := range matching(t, "slurm-replay/*/sacct.txt.gz") { // one run has JSON alone
		run := filepath.Join(filepath.Dir(table), "site.tgz")
		name := path.Join("slurm-replay", filepath.Base(filepath.Dir(run)))
		add(record{place{name: name, dir: write(t, "bare/"+name, members(t, run)), isSlurm: true}, plain(t, table), "", ""})
	}
	files := printed(t, "t5_end")
	maps.DeleteFunc(files, func(name, _ string) bool { return strings.HasPrefix(name, "sacct-") })
	add(record{place{name: "slurm-site", dir: write(t, "bare/slurm-site", files), isSlurm: true}, plain(t, filepath.Join(testdata, "slurm-site", "sacct-all.txt.gz")), "", ""})
	return list, by
}

// usageOf returns the usage database as it was before a snapshot's logs, "" for an empty one.
func usageOf(snapshot string) string {
	name := filepath.Join(filepath.Dir(snapshot), "usage.begin")
	if info, err := os.Stat(name); err != nil || info.Size() == 0 {
		return ""
	}
	return name
}

// ways returns the names of files, and what stands on standard input, that give a record to a
// command in several ways which mean the same.
func (r record) ways(t testing.TB) map[string][]string {
	header, rows, _ := strings.Cut(r.text, "\n")
	header += "\n"
	if !r.isSlurm {
		header, rows = "", r.text
	}
	lineAt := func(part float64) int {
		at := int(part * float64(len(rows)))
		return at + strings.Index(rows[at:], "\n") + 1
	}
	middle := lineAt(0.5)
	begin, end := header+rows[:middle], header+rows[middle:]
	var odd [3]strings.Builder // each line in one of three files: those of a moment in one, or all rows of a job, as sacct prints them
	column := slices.Index(strings.Split(strings.TrimSpace(header), "|"), "JobIDRaw")
	for line := range strings.Lines(rows) {
		of := line[:min(len(line), len("03/02/2026 08:00")-3)]
		if r.isSlurm && column >= 0 {
			of, _, _ = strings.Cut(strings.Split(line, "|")[column], ".")
		}
		odd[maphash.String(oddSeed, of)%uint64(len(odd))].WriteString(line)
	}
	zoned := regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d`).ReplaceAllString(r.text, "$0+0000")
	dir := write(t, "ways/"+r.name, map[string]string{
		"all/all": r.text, "both/1": begin, "both/2": end, "joined": begin + end, "zoned": zoned,
		"overlap/1": header + rows[:lineAt(0.7)], "overlap/2": header + rows[lineAt(0.3):], "dos": strings.ReplaceAll(r.text, "\n", "\r\n"), "packed.gz": packedText(t, r.text),
		"odd/1": header + odd[0].String(), "odd/2": header + odd[1].String(), "odd/3": header + odd[2].String(),
	})
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	ways := map[string][]string{
		"":                     {at("all/all")},
		"standard input":       {"-"},
		"two files":            {at("both/1"), at("both/2")},
		"two files, reversed":  {at("both/2"), at("both/1")},
		"a file given twice":   {at("all/all"), at("all/all")},
		"a file and its first": {at("all/all"), at("both/1")},
		"a file and its last":  {at("both/2"), at("all/all")},
		"files that overlap":   {at("overlap/2"), at("overlap/1")},
		"three mixed files":    {at("odd/3"), at("odd/1"), at("odd/2")},
		"lines of Windows":     {at("dos")},
		"a packed file":        {at("packed.gz")},
		"packed, and its last": {at("both/2"), at("packed.gz")},
		"standard input, too":  {at("both/1"), "-"},
	}
	ways["a folder of two"] = []string{at("both")}
	ways["an archive of two"] = []string{packedFolder(t, at("both"))}
	if r.isSlurm {
		ways["two tables in one file"] = []string{at("joined")}
		ways["times with a zone"] = []string{at("zoned")}
		files := filesBelow(t, r.dir)
		files["sacct-1.txt"], files["sacct-2.txt"] = begin, end
		ways["in the site, two files"] = []string{write(t, "within/"+r.name, files)}
		delete(files, "sacct-1.txt")
		delete(files, "sacct-2.txt")
		if withoutDoubt(r.text) == r.text {
			tables := splitTable(rand.New(rand.NewPCG(1, uint64(len(r.text)))), r.text, 2, false)
			files["sacct-1.txt"], files["sacct-2.txt"] = tables[0], tables[1]
			ways["in the site, columns in two files"] = []string{write(t, "within/split/"+r.name, files)}
			write(t, "ways/"+r.name, map[string]string{"columns/1": tables[0], "columns/2": tables[1]})
			ways["columns in two files"] = []string{at("columns/1"), at("columns/2")}
			delete(files, "sacct-1.txt")
			delete(files, "sacct-2.txt")
		}
		files["first/sacct.txt"], files["last/sacct.txt"] = begin, end
		ways["in the site, packed folders"] = []string{packedFolder(t, write(t, "folders/within/"+r.name, files))}
	}
	return ways
}

// oddSeed is by which lines are put into files.
var oddSeed = maphash.MakeSeed()

// packedText returns a text as gzip packs it.
func packedText(t testing.TB, text string) string {
	var out strings.Builder
	z := gzip.NewWriter(&out)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	z.Close()
	return out.String()
}

// packedFolder returns the name of an archive of a folder.
func packedFolder(t testing.TB, dir string) string {
	name := dir + "-within.tgz"
	if err := os.WriteFile(name, []byte(packedText(t, string(pack(t, dir, "site", false)))), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// What history counts is what replay reads, and a record that is given in another way tells all commands the same: history is asked of each
// record in each way, and each other command in each way of a fourth of the records of a scheduler or more.
func TestRecords(t *testing.T) {
	list, by := records(t)
	type pair struct{ scheduler, command, way string }
	var mutex sync.Mutex
	held, answers, asked := 0, 0, map[pair]int{}
	t.Cleanup(func() {
		t.Logf("%d answers are those of a record that is given in one file", answers)
		if held < len(list) {
			return
		}
		for of, n := range asked {
			for _, q := range readers {
				isAsked := asked[pair{of.scheduler, q.name, of.way}]
				if of.command == "history" && !q.isDear && !q.needsJobs() && q.isAsked(record{place: place{isSlurm: of.scheduler == "slurm"}}) && 4*isAsked < n {
					t.Errorf("%s is asked of only %d of %d records of %s: %s", q.name, isAsked, n, of.scheduler, of.way)
				}
			}
		}
	})
	hold(t, list, 23, func(t testing.TB, p place, d *differences) {
		r := by[p.name]
		r.then = siteThen(t, r)
		file := r.ways(t)[""]
		if jobs := readers[0].of(t, r, file); jobs.isGiven() {
			r.count(t, d, ofCSV(t, jobs.out), file)
		}
		number := slices.IndexFunc(list, func(other place) bool { return other.name == p.name })
		r.alike(t, d, number, func(q reader, way string) {
			mutex.Lock()
			defer mutex.Unlock()
			answers++
			asked[pair{p.scheduler(), q.name, way}]++
		})
		mutex.Lock()
		defer mutex.Unlock()
		held++
	})
}

// Every record is replayed from a copy without names whose times are moved as from its site: collect says so of each.
func TestCopiesOfRecords(t *testing.T) {
	list, by := records(t)
	hold(t, list, 11, func(t testing.TB, p place, d *differences) {
		files := filesBelow(t, p.dir)
		logs := "server_priv/accounting/20260302"
		if p.isSlurm {
			logs = "sacct.txt"
		}
		files[logs] = by[p.name].text
		whole := write(t, "whole/"+p.name, files)
		if a := ask("collect", whole+".tgz", "--snapshot", whole, "--obfuscate", "--shift"); !a.isGiven() || !strings.Contains(a.said, " is replayed as its site is, with the same starts and ends of ") || strings.Contains(a.said, "another") {
			d.add("exit %d: %s", a.code, a.said)
		}
	})
}

// compareText adds a difference if two answers do not have the same lines.
func compareText(d *differences, of string, one, other answer) {
	if !other.isGiven() {
		d.add("%s: exit %d: %s", of, other.code, other.said)
		return
	}
	a, b := strings.Split(rounded(one.out), "\n"), strings.Split(rounded(other.out), "\n")
	slices.Sort(a)
	slices.Sort(b)
	if slices.Equal(a, b) {
		return
	}
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	d.add("%s: %d lines and %d, %s and %s", of, len(a), len(b), a[min(i, len(a)-1)], b[min(i, len(b)-1)])
}

// longFraction finds the digits of a number that depend on the order in which numbers were added up.
var longFraction = regexp.MustCompile(`\d+\.\d{10,}`)

// rounded returns a text with its numbers to six digits behind the point at most.
func rounded(text string) string {
	return longFraction.ReplaceAllStringFunc(text, func(digits string) string {
		number, err := strconv.ParseFloat(digits, 64)
		if err != nil {
			return digits
		}
		return strconv.FormatFloat(math.Round(number*1e6)/1e6, 'f', -1, 64)
	})
}

// count holds the jobs and the core hours that a replay tells as observed to those of history, in all
// and by queue and user.
func (r record) count(t testing.TB, d *differences, jobs table, files []string) {
	type sum struct {
		jobs  int
		hours float64
	}
	counted := map[string]sum{}
	for _, row := range jobs.rows {
		if row["start"] == "" {
			continue
		}
		run, _ := strconv.ParseFloat(cmp.Or(row["run"], "0"), 64)
		cpus, _ := strconv.ParseFloat(row["ncpus"], 64)
		for _, of := range []string{"all ", "queue " + row["queue"], "partition " + row["queue"], "user " + row["user"]} {
			s := counted[of]
			counted[of] = sum{s.jobs + 1, s.hours + run*cpus/3600}
		}
	}
	args := slices.Concat([]string{"replay", r.dir}, files, []string{"--tz", "UTC"})
	if r.usage != "" {
		args = append(args, "--usage", r.usage)
	}
	isObserved := false
	for _, row := range asked(t, args...).rows {
		of := row["kind"] + " " + row["name"]
		want, isCounted := counted[of]
		if row["policy"] != "observed" || !isCounted && row["kind"] != "queue" && row["kind"] != "user" {
			continue
		}
		isObserved = true
		all, _ := strconv.Atoi(row["jobs"])
		left, err := strconv.Atoi(row["left_waiting"])
		if err != nil {
			d.add("left_waiting of %s: %v", of, err)
		}
		d.equal("jobs of "+of+" that have started, in history and replay", want.jobs, all-left)
		if hours, _ := strconv.ParseFloat(row["core_hours"], 64); math.Abs(hours-want.hours) > 0.01 {
			d.add("core hours of %s: history has %.2f, replay %s", of, want.hours, row["core_hours"])
		}
	}
	if !isObserved {
		d.add("replay tells nothing as observed")
	}
}
