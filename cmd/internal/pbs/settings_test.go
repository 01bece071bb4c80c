package pbs

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairshare/fstree"
)

// ownerNamed has the owners by the words of testdata/reads.txt.
var ownerNamed = map[string]Owner{"job": OfJob, "request": OfRequest, "queue": OfQueue, "server": OfServer, "scheduler": OfScheduler,
	"vnode": OfVnode, "reservation": OfReservation, "config": OfConfig}

// Each setting stands in the table once of each owner, and says what becomes of it, here and in a copy.
func TestSettings(t *testing.T) {
	owners := map[string]Owner{}
	for s := range Settings() {
		if owners[s.Name]&s.Of != 0 {
			t.Errorf("%s is there twice of one owner", s.Name)
		}
		owners[s.Name] |= s.Of
		isUsed := s.Acts != 0 || s.IsRead
		switch {
		case s.Of == 0:
			t.Errorf("%s is nobody's", s.Name)
		case !isUsed && s.Lacks == "" && s.Without == "":
			t.Errorf("%s says nothing of what becomes of it", s.Name)
		case s.Without != "" && (isUsed || s.Lacks != ""):
			t.Errorf("%s is without effect, and is not", s.Name)
		case isUsed && (s.Copy == NotCopied) != (s.Secret != ""):
			t.Errorf("%s is kept in a copy, or left out for a reason: %q", s.Name, s.Secret)
		case s.Of&OfAttributes != 0 && (s.Acts != 0 || s.isText) && textSetting(s.example()) == nil && s.field == nil && s.queue == nil:
			t.Errorf("nothing keeps %s", s.Name)
		case s.Acts != 0 && s.queue != nil && s.queue.get == nil:
			t.Errorf("nothing tells what %s was", s.Name)
		}
	}
}

// example returns the name of an attribute that is of a setting.
func (s *Setting) example() string {
	if s.PerResource || s.Acts != 0 {
		return s.Name + ".ncpus"
	}
	return s.Name
}

// What the table has of sched_config is what fstree reads of it, and what else PBS knows.
func TestSettingsOfConfig(t *testing.T) {
	var has, others []string
	for s := range Settings() {
		switch {
		case s.Of&OfConfig == 0:
		case s.Acts != 0 && s.Of == OfConfig:
			has = append(has, s.Name)
		default:
			others = append(others, s.Name)
		}
	}
	slices.Sort(has)
	slices.Sort(others)
	read, known := fstree.Settings()
	slices.Sort(known)
	if diff := cmp.Diff(read, has); diff != "" {
		t.Errorf("what fstree reads, and what acts: %s", diff)
	}
	if diff := cmp.Diff(known, others); diff != "" {
		t.Errorf("what fstree passes over: %s", diff)
	}
}

// All that PBS's scheduler reads stands in the table.
func TestAllThatPBSReads(t *testing.T) {
	text, err := os.ReadFile("testdata/reads.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if words[0] == "#" || ownerNamed[words[0]] == 0 {
			continue
		}
		for _, word := range words[1:] {
			name, isOfResource := strings.CutSuffix(word, ".*")
			s := SettingOf(ownerNamed[words[0]], name)
			if s == nil || s.PerResource != isOfResource {
				t.Errorf("the table does not have %s of a %s", word, words[0])
			}
		}
	}
}

// reader is a place in the source that takes attributes by their names.
type reader struct {
	from, to string // from what to what in a file
	of       Owner
	except   string // names that only this program's own output has
}

var readers = []reader{
	{"var recordNames", "\n}", OfJob, ""},
	{"var nowNames", "\n}", OfJob, ""},
	{"switch string(name) {\n\tcase ", "default:", OfJob | OfReservation, ""},
	{"var knownNames", "\n", OfJob, ""},
	{"attributes := []string{\n\t\tstateAt", "\n\t}", OfJob, "entity subjobs reason considered"},
	{"var keywordAttributes", "\n", OfJob, "job_priority"},
	{"func (a attributes) vnode()", "\n}", OfVnode, "vnode host"},
	{"func reservationOf(", "\n}", OfReservation, "id"},
}

// sources returns the texts of the source, by their paths, but for tests.
func sources(t *testing.T) map[string]string {
	texts := map[string]string{}
	root := moduleRoot(t)
	for _, dir := range []string{"cmd", "fstree"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			texts[filepath.ToSlash(strings.TrimPrefix(path, root))] = string(text) // wherever the clone is
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// moduleRoot returns the directory that has go.mod.
func moduleRoot(t *testing.T) string {
	dir, err := filepath.Abs(".")
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("there is no go.mod")
	return ""
}

var (
	isLiteral  = regexp.MustCompile(`"([A-Za-z_]+)\.?[a-z]*"`)
	isOfIndex  = regexp.MustCompile(`(?:of|a)\["([A-Za-z_]+)`)
	isNoReader = regexp.MustCompile(`settings[a-z]*\.go$|/slurm|/obfuscate/|/qstat/attributes\.go$`)
)

// Every name that a reader takes is in the table, and whatever the table says to be read is named by a reader.
func TestReaders(t *testing.T) {
	logged := map[string]Owner{}
	for s := range Settings() {
		for _, name := range strings.Fields(s.Logged) {
			logged[name] |= s.Of
		}
	}
	texts := sources(t)
	for _, r := range readers {
		isFound := false
		for file, text := range texts {
			_, after, ok := strings.Cut(text, r.from)
			part, _, isClosed := strings.Cut(after, r.to)
			if !ok || !isClosed || strings.Contains(file, "/slurm/") {
				continue
			}
			found := isOfIndex.FindAllStringSubmatch(part, -1)
			if len(found) == 0 {
				found = isLiteral.FindAllStringSubmatch(part, -1)
			}
			for _, m := range found {
				isFound = true
				if name := m[1]; SettingOf(r.of, name) == nil && logged[name]&r.of == 0 && !slices.Contains(strings.Fields(r.except), name) {
					t.Errorf("%s takes %s, and the table does not have it", file, name)
				}
			}
		}
		if !isFound {
			t.Errorf("no reader takes anything in %q: tell the test where it is now", r.from)
		}
	}
	words := map[string]bool{}
	for file, text := range texts {
		if isNoReader.MatchString(file) && !strings.Contains(file, "/fstree/") {
			continue
		}
		for _, m := range isLiteral.FindAllStringSubmatch(text, -1) {
			words[m[1]] = true
		}
	}
	for s := range Settings() {
		isNamed := func(name string) bool { return words[name] }
		if s.IsRead && s.queue == nil && !slices.ContainsFunc(append(strings.Fields(s.Logged), s.Name), isNamed) {
			t.Errorf("%s is read, and no reader names it", s.Name)
		}
	}
}

// The manual names what the order of jobs depends on.
func TestSettingsInManual(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(moduleRoot(t), "cmd/formula/formula.1"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), ".BI sched. NAME = VALUE")
	part, _, _ := strings.Cut(after, ".BI server. NAME = VALUE")
	named := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\.(?:RB \( |BR )([a-z_]+) [,)]`).FindAllStringSubmatch(part, -1) {
		named[m[1]] = true
	}
	want := map[string]bool{}
	for _, name := range settable("", false) {
		if name, isOfSched := strings.CutPrefix(name, "sched."); isOfSched && name != "half_life" {
			want[name] = true
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(named))); diff != "" {
		t.Errorf("what acts on the order, and what the manual names: %s", diff)
	}
}
