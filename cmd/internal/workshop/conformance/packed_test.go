package conformance

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A folder that is packed, in whatever order and below whatever folders, is the same site.
func TestPacked(t *testing.T) {
	hold(t, sitesOfForms(t), 37, func(t testing.TB, p place, d *differences) {
		dir := filepath.Join(unpackedIn, "packed", filepath.FromSlash(p.name))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		backwards, packed := filepath.Join(dir, "site.tar"), filepath.Join(dir, "site.tgz")
		write := func(name string, text []byte) {
			if err := os.WriteFile(name, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write(backwards, pack(t, p.dir, "of/site", true))
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		if _, err := z.Write(pack(t, p.dir, ".", false)); err != nil {
			t.Fatal(err)
		}
		z.Close()
		write(packed, out.Bytes())
		job := asked(t, "sort", p.dir, "--all").rows[0]["id"]
		for _, args := range [][]string{{"sort", "SITE", "--all", "-o", "csv"}, {"explain", job, "SITE", "-o", "json"}, {"history", "SITE", "--tz", "UTC", "-o", "csv"}} {
			name := strings.Join(args, " ")
			whole := askOf(args, p.dir)
			if args[0] != "history" && !whole.isGiven() { // of which few sites have logs
				t.Fatal(name, whole.said)
			}
			for _, archive := range []string{packed, backwards} {
				a := askOf(args, archive)
				d.equal("exit of "+name+" of "+filepath.Base(archive), whole.code, a.code)
				if whole.isGiven() && whole.out != a.out {
					d.add("%s differs in %s", name, filepath.Base(archive))
				}
				d.equal("what "+name+" says of "+filepath.Base(archive), sayings(whole, p.dir), sayings(a, archive+"/of/site", archive))
			}
		}
	})
}

// JSON whose keys stand in their order, as jq -S prints it, and texts below a blank line, are what they were.
func TestKeysAndBlankLines(t *testing.T) {
	hold(t, sitesOfForms(t), 23, func(t testing.TB, p place, d *differences) {
		if p.isPBS() { // whose jobs stand in JSON in the order of the queue
			return
		}
		files, changed := filesBelow(t, p.dir), 0
		for name, text := range files {
			var data any
			switch from := json.NewDecoder(strings.NewReader(text)); {
			case !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "["):
				files[name] = "\n" + text
			default:
				from.UseNumber()
				if err := from.Decode(&data); err != nil || from.More() { // a line for each job
					continue
				}
				sorted, err := json.MarshalIndent(data, "", "  ")
				if err != nil {
					t.Fatal(err)
				}
				files[name] = string(sorted) + "\n"
			}
			changed++
		}
		if changed == 0 {
			return
		}
		args := words("sort SITE --all -o csv")
		one, other := askOf(args, p.dir), askOf(args, write(t, "keys/"+p.name, files))
		d.equal("exit", one.code, other.code)
		if one.isGiven() && one.out != other.out {
			d.add("another order: %s", other.said)
		}
		if first := "as of "; strings.Contains(one.said, first) {
			_, was, _ := strings.Cut(one.said, first)
			_, is, _ := strings.Cut(other.said, first)
			d.equal("the moment", strings.Fields(was)[0], strings.Fields(is)[0])
		}
	})
}

// askOf asks a command about a site, which its arguments call SITE.
func askOf(args []string, site string) answer {
	args = slices.Clone(args)
	args[slices.Index(args, "SITE")] = site
	a := ask(args...)
	a.out = strings.ReplaceAll(a.out, site, "SITE")
	return a
}

// sayings returns what a command says of a site that has some names.
func sayings(a answer, names ...string) string {
	for _, name := range names {
		a.said = strings.ReplaceAll(a.said, name, "SITE")
	}
	return a.said
}

// pack returns an archive of a folder, below another one.
func pack(t testing.TB, dir, top string, isBackwards bool) []byte {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if isBackwards {
		slices.Reverse(names)
	}
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		at, _ := filepath.Rel(dir, name)
		at = path.Join(top, filepath.ToSlash(at))
		if top == "." {
			at = "./" + at
		}
		if err := w.WriteHeader(&tar.Header{Name: at, Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(w, bytes.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
