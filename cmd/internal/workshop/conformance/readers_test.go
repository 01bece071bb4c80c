package conformance

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/lab"
)

// reader is one of the ways to ask a command that reads a record.
type reader struct {
	name   string // of the command, with what tells it from others of that
	args   string // SITE stands for the site, FILES for the record and LOGS for it as --logs takes it
	isDear bool   // whether it is asked of two ways to give a record alone, which are others for each record
	isAll  bool   // whether it is asked of all ways, since it is the one that tells whether each is read alike
	ask    func(t testing.TB, stdin string, args []string) answer
}

// readers are all that read a record, but for collect: TestCopiesOfRecords asks that.
var readers = []reader{
	{name: "history", args: "history FILES -o csv", isAll: true},
	{name: "history --by", args: "history SITE FILES --by day,user -o csv"},
	{name: "usage", args: "usage SITE FILES -o csv"},
	{name: "replay", args: "replay SITE FILES -o starts"},
	{name: "witness", args: "witness SITE FILES -o csv"},
	{name: "when", args: "when SITE LOGS --runs 2 -o csv", isAll: true}, // of which few records have the jobs
	{name: "nodes", args: "nodes SITE LOGS --forecast -o csv", isAll: true},
	{name: "when --check", args: "when SITE LOGS --check --runs 1 -o csv", isDear: true},
	{name: "lab", args: "SITE LOGS", isDear: true, ask: replayInLab},
}

// Every command that takes logs is one of the readers.
func TestReadersAreAllCommands(t *testing.T) {
	_, list, _ := strings.Cut(answered(t, "help"), "Commands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	takesLogs := regexp.MustCompile(`(?m)^ +(--logs=|\[?<logs>)`)
	found := 0
	for line := range strings.Lines(list) {
		command := strings.Fields(line)[0]
		if command == "collect" || !takesLogs.MatchString(answered(t, command, "--help-all")) {
			continue
		}
		found++
		if !slices.ContainsFunc(readers, func(r reader) bool { return strings.Fields(r.name)[0] == command }) {
			t.Errorf("%s takes logs, and no test asks it whether it reads them alike in whatever way they are given", command)
		}
	}
	if found < 6 {
		t.Errorf("only %d commands take logs", found)
	}
}

// of asks about a record that is given in one way.
func (q reader) of(t testing.TB, r record, files []string) answer {
	site := r.dir
	if q.needsJobs() {
		site = r.then
	}
	if r.isSlurm && strings.Contains(files[0], "/within/") { // the site has the record
		site, files = files[0], nil
		if q.name == "history" { // which is asked about the record alone
			site, files = "", []string{site}
		}
	}
	var args []string
	for _, word := range strings.Fields(q.args) {
		switch {
		case word == "SITE" && site == "":
		case word == "SITE":
			args = append(args, site)
		case word == "FILES":
			args = append(args, files...)
		case word == "LOGS":
			for _, name := range files {
				args = append(args, "--logs", name)
			}
		default:
			args = append(args, word)
		}
	}
	args = append(args, "--tz", "UTC")
	if r.usage != "" && !strings.HasPrefix(q.name, "history") && !q.needsJobs() {
		args = append(args, "--usage", r.usage)
	}
	if q.ask != nil {
		return q.ask(t, r.text, args)
	}
	return askWith(r.text, args...)
}

// isAsked reports whether a command is asked of a record: each is but of what has not what it needs.
func (q reader) isAsked(r record) bool {
	if q.name == "usage" && r.isSlurm { // which keeps usage itself
		return false
	}
	return !q.needsJobs() || r.then != ""
}

// needsJobs reports whether a command needs a site with a list of jobs.
func (q reader) needsJobs() bool { return q.name == "when" || q.name == "nodes" || q.name == "lab" }

// replayInLab has the lab's page replay a record, and returns the page that comes of it, without the name of what was read.
func replayInLab(t testing.TB, stdin string, args []string) (a answer) {
	address, _ := openLab(t, stdin, args...)
	var begun struct{ ID, Problem string }
	address.ask(t, "replay", lab.Request{}, &begun)
	var now lab.Work
	for begun.Problem == "" && !now.IsDone {
		address.ask(t, "progress", lab.Request{ID: begun.ID}, &now)
	}
	if problem := begun.Problem + now.Error; problem != "" {
		return answer{code: 2, said: problem}
	}
	response, err := http.Get(string(address) + "report/" + begun.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{out: tablesOf(string(page))}
}

var tableOfPage = regexp.MustCompile(`(?s)<table.*?</table>`)

// tablesOf returns the tables of a page, a row in each line.
func tablesOf(page string) string {
	return strings.ReplaceAll(strings.Join(tableOfPage.FindAllString(page, -1), "\n"), "</tr>", "</tr>\n")
}

// siteThen returns the site of a record as it was at the last moment of which its jobs were listed, "" if there is none.
func siteThen(t testing.TB, r record) string {
	files := filesBelow(t, r.dir)
	run := filepath.Base(r.name)
	if r.isSlurm {
		found, _ := filepath.Glob(filepath.Join(testdata, "slurm-replay", run, "moments.tgz"))
		if len(found) == 0 {
			return ""
		}
		all := members(t, found[0])
		var last string
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if seconds, isJobs := strings.CutSuffix(name, "/jobs.txt"); isJobs {
				last = seconds
			}
		}
		files["scontrol-show-job.txt"], files["sshare-alP.txt"] = all[last+"/jobs.txt"], all[last+"/sshare.txt"]
	} else {
		found, _ := filepath.Glob(filepath.Join(testdata, "moments", run, "*.json.gz"))
		if len(found) == 0 {
			return ""
		}
		last := slices.Max(found)
		stamp := strings.TrimSuffix(last, ".json.gz")
		files["job/qstat_f_F_json.out"], files["sched_priv/usage"], files["ctime"] = plain(t, last), plain(t, stamp+".usage"), filepath.Base(stamp)
	}
	return write(t, "then/"+r.name, files)
}

// waysOf returns which ways a command is asked of: all, or every third of them, other ones for the next record and for the next command, so
// that it is asked in each way of a third of the records of each scheduler; or two.
func (q reader) waysOf(names []string, number int) []string {
	switch {
	case q.isAll:
		return names
	case q.isDear:
		at := (2*number + q.number()) % len(names)
		return []string{names[at], names[(at+1)%len(names)]}
	}
	return everyThird(names, number+q.number())
}

// number returns the place of a command among the readers.
func (q reader) number() int {
	return slices.IndexFunc(readers, func(other reader) bool { return other.name == q.name })
}

// alike holds what commands say of a record to what they say of it when it is given in other ways, and calls asked with each.
func (r record) alike(t testing.TB, d *differences, number int, asked func(q reader, way string)) {
	ways := r.ways(t)
	names := slices.Sorted(maps.Keys(ways))[1:] // the first is the plain one
	for _, q := range readers {
		if !q.isAsked(r) {
			continue
		}
		one := q.of(t, r, ways[""])
		if !one.isGiven() && !strings.Contains(one.said, "the logs have no moment, three hours or more after their begin") {
			d.add("%s: exit %d: %s", q.name, one.code, one.said)
		}
		if !one.isGiven() {
			continue
		}
		for _, name := range q.waysOf(names, number) {
			if q.needsJobs() && strings.Contains(ways[name][0], "/within/") { // a site without jobs
				continue
			}
			compareText(d, fmt.Sprintf("%s, %s", name, q.name), one, q.of(t, r, ways[name]))
			asked(q, name)
		}
	}
}
