package conformance

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/lab"
	"fairshare/cmd/internal/workshop"
)

// A list of one user's own jobs, of a site that keeps the jobs of others from who asks, is said to be one by each command
// that ranks jobs, and nothing is forecast of it.
func TestOwnJobs(t *testing.T) {
	asked := 0
	for _, run := range matching(t, "replay/*/snapshot/job/qstat_f_F_json.out") {
		snapshot := filepath.Dir(filepath.Dir(run))
		files := filesBelow(t, snapshot)
		job, isCut := ownOfPBS(t, files)
		if !isCut {
			continue
		}
		if asked++; !workshop.Among(asked, 3) {
			continue
		}
		name := "replay/" + filepath.Base(filepath.Dir(snapshot))
		t.Run(name, func(t *testing.T) { askOwn(t, write(t, "own/"+name, files), job) })
	}
	for _, archive := range matching(t, "slurm-site/*.tgz") {
		for _, p := range sitesIn(t, archive) {
			files := filesBelow(t, p.dir)
			job, isCut := ownOfSlurm(files)
			if !isCut {
				continue
			}
			asked++
			t.Run(p.name, func(t *testing.T) { askOwn(t, write(t, "own/"+strings.ReplaceAll(p.name, ":", "/"), files), job) })
		}
	}
	if asked < 8 {
		t.Errorf("only %d sites", asked)
	}
}

// askOwn asks all commands about a site with one user's own jobs.
func askOwn(t *testing.T, dir, job string) {
	says := regexp.MustCompile(`the list lacks \d+ of them: it is of those that you may see|the list is of those that you may see \(PrivateData has jobs\)`)
	change := []string{"compare", dir, "--set", "sched.fair_share=false"}
	if _, err := os.Stat(filepath.Join(dir, "job")); err != nil { // of Slurm
		change[3] = "PriorityWeightAge=7"
	}
	for _, args := range [][]string{{"sort", dir}, {"explain", job, dir}, change, {"metrics", dir}, {"when", dir, "--runs", "1"}} {
		a := ask(args...)
		if !says.MatchString(a.said) {
			t.Errorf("%s does not say of which jobs it is: %s", args[0], a.said)
		}
		if args[0] == "when" && a.isForecast() {
			t.Errorf("when forecasts %s", a.out)
		}
	}
	page, said := openLab(t, "", dir)
	if !says.MatchString(said.String()) {
		t.Errorf("the lab does not say of which jobs it is: %s", said)
	}
	var shown json.RawMessage
	if page.ask(t, "site", lab.Request{}, &shown); !says.Match(shown) {
		t.Errorf("the page of the lab does not say of which jobs it is: %.2000s", shown)
	}
}

// ownOfPBS cuts a PBS site to the jobs of a user who has one that waits, and returns that job. isCut is false for a site
// whose vnodes run too few jobs of others.
func ownOfPBS(t *testing.T, files map[string]string) (job string, isCut bool) {
	const name = "job/qstat_f_F_json.out"
	var list map[string]any
	if err := json.Unmarshal([]byte(files[name]), &list); err != nil {
		t.Fatal(err)
	}
	jobs, _ := list["Jobs"].(map[string]any)
	running := map[string]int{}
	user, all := "", 0
	for _, id := range slices.Sorted(maps.Keys(jobs)) {
		of := jobs[id].(map[string]any)
		switch of["job_state"] {
		case "Q":
			if job == "" {
				job, user = id, of["euser"].(string)
			}
		case "R":
			running[of["euser"].(string)]++
			all++
		}
	}
	if job == "" || all-running[user] < 4 || !strings.Contains(files["node/pbsnodes_va.out"], "jobs = ") {
		return "", false
	}
	for id, of := range jobs {
		if of.(map[string]any)["euser"] != user {
			delete(jobs, id)
		}
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	files[name] = string(text)
	for name, text := range files {
		if strings.HasPrefix(name, "server/") {
			files[name] = strings.ReplaceAll(text, "query_other_jobs = True", "query_other_jobs = False")
		}
		if strings.HasPrefix(name, "server_priv/accounting/") { // which a user does not have
			delete(files, name)
		}
	}
	return job, true
}

var (
	isPendingOf = regexp.MustCompile(`(?s)^JobId=(\d+) .*UserId=(\w+)\(.*JobState=PENDING`)
	isAllocated = regexp.MustCompile(`CPUAlloc=[1-9]\d`)
)

// ownOfSlurm does so with a Slurm site.
func ownOfSlurm(files map[string]string) (job string, isCut bool) {
	const jobs, config = "scontrol-show-job.txt", "scontrol-show-config.txt"
	records := strings.Split(files[jobs], "\n\n")
	user := ""
	for _, r := range records {
		if m := isPendingOf.FindStringSubmatch(r); m != nil && user == "" {
			job, user = m[1], m[2]
		}
	}
	isOther := func(r string) bool { return !strings.Contains(r, "UserId="+user+"(") }
	hasOthers := slices.ContainsFunc(records, func(r string) bool { return isOther(r) && strings.Contains(r, "JobState=RUNNING") })
	if user == "" || !hasOthers || !isAllocated.MatchString(files["scontrol-show-node.txt"]) {
		return "", false
	}
	files[jobs] = strings.Join(slices.DeleteFunc(records, isOther), "\n\n") + "\n"
	files[config] = regexp.MustCompile(`PrivateData( *)= none`).ReplaceAllString(files[config], "PrivateData$1= jobs,users")
	for name := range files {
		if strings.HasPrefix(name, "squeue") || strings.HasPrefix(name, "sacct-") {
			delete(files, name)
		}
	}
	return job, true
}
