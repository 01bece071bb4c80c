package conformance

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/workshop"
)

// momentsOfPBS returns the sites of recorded runs as they were at the moments of testdata/moments:
// the snapshot of the run, with the list of jobs and the usage of then, and the logs up to then, every step-th. Of every second one the
// vnodes do not tell what is in use; of the others they tell it of the end of the run, which is not that of the list.
func momentsOfPBS(t testing.TB, step int) (list []place) {
	snapshots := map[string]map[string]string{}
	for i, found := range matching(t, "moments/*/*.json.gz") {
		if i%step != 0 {
			continue
		}
		stamp := strings.TrimSuffix(found, ".json.gz")
		run, seconds := filepath.Base(filepath.Dir(found)), filepath.Base(stamp)
		at, err := strconv.ParseInt(seconds, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if snapshots[run] == nil {
			snapshots[run] = filesBelow(t, filepath.Join(testdata, "replay", run, "snapshot"))
		}
		files := maps.Clone(snapshots[run])
		for name, text := range files {
			if strings.HasPrefix(name, "server_priv/accounting/") {
				files[name] = upTo(text, at)
			}
		}
		files["job/qstat_f_F_json.out"], files["sched_priv/usage"], files["ctime"] = plain(t, found), plain(t, stamp+".usage"), seconds
		for name, text := range files {
			if i%2 == 0 && path.Dir(name) == "node" {
				files[name] = strings.ReplaceAll(toldInUse.ReplaceAllString(text, ""), "job-busy", "free")
			}
		}
		name := path.Join("moments", run, seconds)
		list = append(list, place{name: name, dir: write(t, name, files)})
	}
	return list
}

// toldInUse is what pbsnodes tells of the jobs of a vnode, and of what they have, in both forms.
var toldInUse = regexp.MustCompile(`(?m)^ +(?:jobs|resources_assigned\.\S+) = .*\n|^ +"(?:jobs":\[[^\]]*\]|resources_assigned":\{[^}]*\}),\n`)

// upTo returns the lines of an accounting log up to a time.
func upTo(log string, at int64) string {
	var begin strings.Builder
	for text := range strings.Lines(log) {
		stamp, _, _ := strings.Cut(text, ";")
		if when, err := time.Parse("01/02/2006 15:04:05", stamp); err == nil && when.Unix() <= at {
			begin.WriteString(text)
		}
	}
	return begin.String()
}

var asOf = regexp.MustCompile(`^(Configuration data as of )\S+`)

// momentsOfSlurm returns the sites of recorded runs of Slurm as they were at the moments of their
// moments.tgz, every step-th.
func momentsOfSlurm(t testing.TB, step int) (list []place) {
	for _, found := range matching(t, "slurm-replay/*/moments.tgz") {
		site, all := members(t, filepath.Join(filepath.Dir(found), "site.tgz")), members(t, found)
		for i, jobs := range slices.Sorted(maps.Keys(all)) {
			seconds, isJobs := strings.CutSuffix(jobs, "/jobs.txt")
			if !isJobs || i/3%step != 0 {
				continue
			}
			at, err := strconv.ParseInt(seconds, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			files := maps.Clone(site)
			files["scontrol-show-job.txt"], files["sshare-alP.txt"] = all[jobs], all[seconds+"/sshare.txt"]
			files["scontrol-show-config.txt"] = asOf.ReplaceAllString(site["scontrol-show-config.txt"], "${1}"+time.Unix(at, 0).UTC().Format("2006-01-02T15:04:05"))
			name := path.Join("slurm-replay", filepath.Base(filepath.Dir(found)), seconds)
			list = append(list, place{name: name, dir: write(t, name, files), isSlurm: true})
		}
	}
	return list
}

// matching returns the files of testdata that a pattern matches.
func matching(t testing.TB, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(testdata, pattern))
	if err != nil || len(found) == 0 {
		t.Fatalf("nothing is %s: %v", pattern, err)
	}
	return found
}

// filesBelow returns the files of a folder by name, unpacked.
func filesBelow(t testing.TB, dir string) map[string]string {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(found string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, found)
			files[strings.TrimSuffix(filepath.ToSlash(name), ".gz")] = plain(t, found)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// plain returns what a file has, unpacked.
func plain(t testing.TB, name string) string {
	t.Helper()
	if strings.HasSuffix(name, ".gz") {
		return string(workshop.Unpacked(t, name))
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
