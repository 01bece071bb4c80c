package study_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/snapshot"
	pbsstudy "fairshare/cmd/internal/pbs/study"
	"fairshare/cmd/internal/pbs/study/studytest"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/workshop"
)

// The hours of the sites that settings are tried on.
const (
	holidays  = "YEAR 2026\n weekday 0900 1200\n saturday none all\n sunday none all\n"
	dedicated = "03/02/2026 13:00 03/02/2026 14:00\n"
)

// Whatever a replay knows of a policy is the policy's own: a setting that is tried starts the
// same jobs in the same seconds on the same vnodes as a site that has it in its files. A plain run
// tries a setting until it has changed something in a recording, .ci/run tries it in all.
func TestSettingsOfTheirOwn(t *testing.T) {
	t.Parallel()
	changes := map[string]bool{}
	for _, name := range []string{"P1x", "P2", "Q1"} {
		dir := t.TempDir()
		unpackSite(t, studytest.Recordings+name+"/snapshot", dir)
		writeHours(t, dir, holidays, dedicated)
		s := studytest.OfRun(t, name)
		s.Inputs.Usage = nil // each rebuilds it
		s.Inputs.Site = siteAt(t, dir)
		s.Wanted.Until, s.Wanted.KeepVnodes = float64(s.Work.First+9*3600), true
		run := func(site *pbs.Site, c study.Changes) string {
			p, _, err := pbsstudy.NewPolicy(c, site)
			if err != nil {
				t.Fatal(err)
			}
			return startsOf(t, s, p)
		}
		for setting, value := range studytest.Settings {
			if changes[setting] && !workshop.TestsAll() {
				continue
			}
			var beside []string
			for _, other := range studytest.Beside[setting] {
				entity, _, isShares := strings.Cut(other, ".shares=")
				if _, isThere := s.Inputs.Site.SchedPriv.Tree.Lookup(entity); isShares && !isThere {
					continue
				}
				beside = append(beside, other)
			}
			all := append(slices.Clip(beside), setting+"="+value)
			own := t.TempDir()
			if err := os.CopyFS(own, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			isConfig := setInSite(t, own, setting, value)
			want := run(siteAt(t, own), study.Changes{Settings: beside})
			if got := run(s.Inputs.Site, study.Changes{Settings: all}); got != want {
				t.Errorf("%s: --set %s=%s is not as a site with it in its own files", name, setting, value)
			}
			if isConfig && run(s.Inputs.Site, study.Changes{SchedPriv: own + "/sched_priv", Settings: beside}) != want {
				t.Errorf("%s: a second sched_priv with %s=%s is not as a site with it in its own files", name, setting, value)
			}
			changes[setting] = changes[setting] || want != run(s.Inputs.Site, study.Changes{Settings: beside})
		}
		for what, hours := range map[string][2]string{"holidays": {strings.Replace(holidays, "0900", "1100", 1), dedicated}, "dedicated_time": {holidays, "03/02/2026 09:00 03/02/2026 12:00\n"}} {
			own := t.TempDir()
			if err := os.CopyFS(own, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			writeHours(t, own, hours[0], hours[1])
			beside := []string{"sched.primetime_prefix=workq", "sched.dedicated_prefix=highq"}
			want := run(siteAt(t, own), study.Changes{Settings: beside})
			if run(s.Inputs.Site, study.Changes{SchedPriv: own + "/sched_priv", Settings: beside}) != want {
				t.Errorf("%s: a second sched_priv with other %s is not as a site with them", name, what)
			}
			changes[what] = changes[what] || want != run(s.Inputs.Site, study.Changes{Settings: beside})
		}
	}
	for setting, isChange := range changes {
		if !isChange {
			t.Errorf("%s changes nothing in any recording, so that the test tells nothing of it", setting)
		}
	}
	tried, known := slices.Collect(maps.Keys(studytest.Settings)), pbs.ReplaySettings("workq")
	isOf := func(setting, name string) bool { return setting == name || strings.HasPrefix(setting, name+".") }
	for _, name := range known {
		if name != "sched.half_life" && !slices.ContainsFunc(tried, func(setting string) bool { return isOf(setting, name) }) { // which is refused: it is fairshare_decay_time
			t.Errorf("%s is not tried", name)
		}
	}
	for _, setting := range tried {
		if !slices.ContainsFunc(known, func(name string) bool { return isOf(setting, name) }) {
			t.Errorf("%s is tried, and in no table", setting)
		}
	}
}

// siteAt returns the site of an unpacked snapshot, under the formula in force.
func siteAt(tb testing.TB, dir string) *pbs.Site {
	tb.Helper()
	snap, err := snapshot.Open(dir)
	if err != nil {
		tb.Fatal(err)
	}
	site, _, err := snap.Files().Read()
	if err == nil {
		_, _, err = site.SetFormula("")
	}
	if err != nil {
		tb.Fatal(err)
	}
	return site
}

// writeHours writes the files of a site about times with rules of their own.
func writeHours(tb testing.TB, dir, holidays, dedicated string) {
	tb.Helper()
	for name, text := range map[string]string{pbs.HolidaysFile: holidays, pbs.DedicatedFile: dedicated} {
		if err := os.WriteFile(filepath.Join(dir, "sched_priv", name), []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
}

// startsOf returns what a policy starts, when and where.
func startsOf(tb testing.TB, s *pbsstudy.Study, p *pbsstudy.Policy) string {
	tb.Helper()
	on := *s
	if _, err := on.Use([]*pbsstudy.Policy{p}); err != nil {
		tb.Fatal(err)
	}
	all, err := on.Run(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	r := all[1].First.Result
	vnodes := make([]string, len(r.Start))
	for i := range vnodes {
		vnodes[i] = r.Vnodes(i)
	}
	return fmt.Sprint(r.Start, vnodes)
}

// unpackSite copies a snapshot with its files unpacked, and without its logs.
func unpackSite(tb testing.TB, from, to string) {
	err := fs.WalkDir(os.DirFS(from), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(path, "server_priv") {
			return err
		}
		f, err := os.Open(filepath.Join(from, path))
		if err != nil {
			return err
		}
		defer f.Close()
		var r io.Reader = f
		name, isPacked := strings.CutSuffix(path, ".gz")
		if isPacked {
			if r, err = gzip.NewReader(f); err != nil {
				return err
			}
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o700); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), text, 0o600)
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// setInSite writes a setting into the files of a site. It reports whether it is one of
// sched_config.
func setInSite(tb testing.TB, dir, setting, value string) (isConfig bool) {
	edit := func(name string, change func(text string) string) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte(change(string(text))), 0o600)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	of, name, _ := strings.Cut(setting, ".")
	if of == "sched" && !pbs.IsAttribute(name) {
		edit("sched_priv/sched_config", func(text string) string {
			lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), name) })
			return strings.Join(lines, "\n") + "\n" + name + ": \"" + value + "\"\tALL\n"
		})
		return true
	}
	without := func(text string) string {
		lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
			return regexp.MustCompile(`(^|\s)` + regexp.QuoteMeta(name) + `\s*\+?=`).MatchString(line)
		})
		return strings.Join(lines, "\n")
	}
	if of == "queue" {
		queue, attribute, _ := strings.Cut(name, ".")
		name = map[string]string{"priority": "Priority"}[attribute]
		if name == "" {
			name = attribute
		}
		edit("server/qstat_Qf.out", func(text string) string {
			before, after, ok := strings.Cut(text, "Queue: "+queue+"\n")
			own, rest, _ := strings.Cut(after, "\nQueue: ")
			if !ok {
				tb.Fatal("no queue " + queue)
			}
			if rest != "" {
				rest = "\nQueue: " + rest
			}
			return before + "Queue: " + queue + "\n    " + name + " = " + value + "\n" + without(own) + rest
		})
		return false
	}
	for _, file := range []string{"server/qstat_Bf.out", "server/qmgr_ps.out", "scheduler/qmgr_lsched.out", "scheduler/qmgr_psched.out"} {
		edit(file, without)
	}
	object := map[string]string{"sched": "scheduler/qmgr_psched.out", "server": "server/qmgr_ps.out"}[of]
	edit(object, func(text string) string {
		return text + "\nset " + map[string]string{"sched": "sched default", "server": "server"}[of] + " " + name + " = " + value + "\n"
	})
	return false
}
