package conformance

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"fairshare/cmd/internal/workshop"
)

const testdata = "../../../../testdata"

// place is a site that commands are asked about.
type place struct {
	name    string // below testdata, with what follows it in an archive behind a colon
	dir     string // the folder, of an archive unpacked
	archive string // the archive that has nothing else, "" for none
	isSlurm bool
	isFlux  bool
}

// isPBS reports whether it is a site of PBS.
func (p place) isPBS() bool { return !p.isSlurm && !p.isFlux }

// scheduler returns the key of its scheduler, as tags of flags have it.
func (p place) scheduler() string {
	switch {
	case p.isSlurm:
		return "slurm"
	case p.isFlux:
		return "flux"
	}
	return "pbs"
}

// unpackedIn is the folder of what this run has unpacked.
var unpackedIn, _ = os.MkdirTemp("", "conformance")

var recorded struct {
	sync.Once
	sites []place
}

// sites returns every folder of testdata and of its archives whose jobs sort puts into an order,
// and the moments of recorded runs, put together with the site of the run. A new recording needs
// no code here. A plain run puts together some of the moments.
func sites(t testing.TB) []place {
	t.Helper()
	recorded.Do(func() {
		list := sitesBelow(t, testdata, "")
		err := filepath.WalkDir(testdata, func(path string, _ fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".tgz") {
				list = append(list, sitesIn(t, path)...)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		step := workshop.Step(8)
		recorded.sites = append(append(list, momentsOfPBS(t, step)...), momentsOfSlurm(t, step)...)
	})
	if len(recorded.sites) < 85 {
		t.Fatalf("only %d recorded sites", len(recorded.sites))
	}
	return recorded.sites
}

// some returns every step-th of the sites, or all of them where TestsAll says so. Each has been asked for its order by then.
func some(t testing.TB, step int) (list []place) {
	for i, p := range sites(t) {
		if workshop.Among(i, step) {
			list = append(list, p)
		}
	}
	return list
}

// sitesOfForms returns the sites for what holds of the form of files and answers: of the moments of each recorded run, which have all but their
// jobs and usages in common, the first and every fourth behind it.
func sitesOfForms(t testing.TB) (list []place) {
	moments := map[string]int{}
	for _, p := range sites(t) {
		run := p.name[:max(0, strings.LastIndexAny(p.name, "/:"))] // or the archive of its moments
		if strings.HasPrefix(run, "moments/") || strings.HasPrefix(run, "slurm-replay/") {
			if moments[run]++; moments[run]%4 != 1 {
				continue
			}
		}
		list = append(list, p)
	}
	return list
}

// fewest returns how much is to be found at least: of all sites, of those that some returns, or anything where a short run has a few of
// these.
func fewest(all, some int) int {
	switch {
	case workshop.TestsAll():
		return all
	case testing.Short():
		return 0
	}
	return some
}

// inPlain returns the step of a test that asks too little where a plain run takes three times its step: another one there.
func inPlain(step, plain int) int {
	if workshop.TestsAll() || testing.Short() {
		return step
	}
	return plain
}

// sitesIn returns the sites of an archive.
func sitesIn(t testing.TB, archive string) []place {
	name, _ := filepath.Rel(testdata, archive)
	name = filepath.ToSlash(name)
	inside := sitesBelow(t, write(t, name, members(t, archive)), name+":")
	if len(inside) == 1 {
		inside[0].archive = archive
	}
	return inside
}

// sitesBelow returns the innermost folders that sort takes for a site with jobs. prefix is what
// their names begin with.
func sitesBelow(t testing.TB, root, prefix string) (list []place) {
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	isPart := func(e fs.DirEntry) bool { return e.Name() == "sched_priv" || e.Name() == "commands.txt" }
	if !slices.ContainsFunc(entries, isPart) {
		for _, entry := range entries {
			if name := prefix + entry.Name(); entry.IsDir() && name != "pbsfs" { // whose folders have no jobs
				list = append(list, sitesBelow(t, filepath.Join(root, entry.Name()), name+"/")...)
			}
		}
	}
	if len(list) > 0 || len(entries) < 2 {
		return list
	}
	a := ask("sort", root, "--all", "-o", "csv")
	header, rest, _ := strings.Cut(a.out, "\n")
	if !a.isGiven() || rest == "" {
		return nil
	}
	return []place{{name: strings.TrimSuffix(prefix, "/"), dir: root, isSlurm: strings.Contains(header, ",partition,"), isFlux: strings.Contains(header, ",factor_queue,")}}
}

// members returns the files of an archive by name, unpacked.
func members(t testing.TB, archive string) map[string]string {
	files := map[string]string{}
	for name, text := range workshop.Members(t, archive) {
		if !strings.HasSuffix(name, "/") {
			files[strings.TrimSuffix(strings.TrimPrefix(name, "./"), ".gz")] = text
		}
	}
	return files
}

// printed returns the files of a recorded site of Slurm at a moment, such as t1_morning, as its administrator has printed them.
func printed(t testing.TB, moment string) map[string]string {
	files := map[string]string{}
	for name, text := range members(t, filepath.Join(testdata, "slurm-site", moment+".tgz")) {
		if of, isRoot := strings.CutPrefix(name, moment+"/root/"); isRoot {
			files[of] = text
		}
	}
	return files
}

// write writes files into a new folder and returns its path.
func write(t testing.TB, name string, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(unpackedIn, filepath.FromSlash(name))
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
