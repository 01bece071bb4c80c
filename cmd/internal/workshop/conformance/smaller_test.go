package conformance

import (
	"maps"
	"regexp"
	"testing"
)

// A site whose vnodes have less now than what ran there is answered by each command that takes the record in, and the
// witness has a job that the rules could never let run as one whose start they do not allow. Where settings do not tell that
// jobs use up a resource, vnodes do, which print how much of it is assigned.
func TestVnodesThatHaveLessThanRan(t *testing.T) {
	const vnodes, settings, neverFits = "node/pbsnodes_avFjson.out", "server/qmgr_pr.out", "13.pbsref"
	whole := members(t, matching(t, "moments/snapshot_20260302_14_45_00.tgz")[0])
	files := map[string]string{}
	for name, text := range whole {
		files[regexp.MustCompile(`^snapshot[^/]*/`).ReplaceAllString(name, "")] = text
	}
	replace := func(pattern, by string) string {
		return regexp.MustCompile(pattern).ReplaceAllString(files[vnodes], by)
	}
	for kind, changed := range map[string]struct{ file, text string }{
		"fewer":   {vnodes, replace(`"ngpus":4`, `"ngpus":1`)},
		"none":    {vnodes, replace(`"ngpus":4`, `"ngpus":0`)},
		"memory":  {vnodes, replace(`"mem":"\w+"`, `"mem":"8gb"`)},
		"removed": {vnodes, replace(`"ngpus":4,`, ``)},
		"renamed": {vnodes, replace(`"ngpus"`, `"boards"`)},
		"untold":  {settings, files[settings][:60]},
	} {
		t.Run(kind, func(t *testing.T) {
			if changed.text == files[changed.file] {
				t.Fatal("nothing is changed")
			}
			less := maps.Clone(files)
			less[changed.file] = changed.text
			dir := write(t, "smaller/"+kind, less)
			for _, args := range [][]string{{"sort", dir, "--now"}, {"when", dir, "--runs", "2"}, {"replay", dir}} {
				answered(t, append(args, "--tz", "UTC")...)
			}
			starts, want := 0, "differs"
			if kind == "untold" {
				want = "agrees"
			}
			for _, row := range asked(t, "witness", dir, "--tz", "UTC").rows {
				if row["job"] == neverFits {
					if starts++; row["may"] != want {
						t.Errorf("the witness says of job %s, where %s was expected: %v", neverFits, want, row)
					}
				}
			}
			if starts != 1 {
				t.Errorf("job %s starts %d times", neverFits, starts)
			}
		})
	}
}
