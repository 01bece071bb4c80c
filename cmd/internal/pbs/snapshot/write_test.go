package snapshot

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairshare/cmd/internal/file"

	"github.com/google/go-cmp/cmp"
)

// What is written and read again is the same.
func TestWrite(t *testing.T) {
	s, err := Open(shipped)
	if err != nil {
		t.Fatal(err)
	}
	texts := func(s *Snapshot) map[string]string {
		all := map[string]string{}
		if err := s.each(func(name string, text []byte) error { all[name] = string(text); return nil }); err != nil {
			t.Fatal(err)
		}
		return all
	}
	want := texts(s)
	if len(want) < 8 {
		t.Fatalf("%d members", len(want))
	}
	for _, name := range []string{"a.tgz", "b.tar.gz", "c"} {
		path := filepath.Join(t.TempDir(), name)
		if err := s.Write(path); err != nil {
			t.Fatal(err)
		}
		again, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, texts(again)); diff != "" {
			t.Errorf("%s (-read +written):\n%s", name, diff)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s may be read by others: %v (%v)", name, info.Mode(), err)
		}
	}
}

// All of what is written is its owner's alone: the folders, the files in them, and what an
// archive says of its members.
func TestWriteModes(t *testing.T) {
	s, err := Open(shipped)
	if err != nil {
		t.Fatal(err)
	}
	s.KeepLogs([]file.Source{{Name: "20260302", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("a log\n")), nil }}}, nil)
	top := filepath.Join(t.TempDir(), "snapshot")
	if err := s.Write(top); err != nil {
		t.Fatal(err)
	}
	folders, files := 0, 0
	if err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if files++; entry.IsDir() {
			want = fs.ModeDir | 0o700
			folders++
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode(), want)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if folders < 5 || files-folders < 9 {
		t.Errorf("%d folders and %d files are written", folders, files-folders)
	}
	packed := top + ".tgz"
	if err := s.Write(packed); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(packed); err != nil || info.Mode() != 0o600 {
		t.Errorf("the archive has mode %v (%v)", info.Mode(), err)
	}
	in, err := os.Open(packed)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	plain, err := file.Plain(in)
	if err != nil {
		t.Fatal(err)
	}
	members := tar.NewReader(plain)
	for n := 0; ; n++ {
		header, err := members.Next()
		if errors.Is(err, io.EOF) {
			if n != files-folders {
				t.Errorf("the archive has %d members, want %d", n, files-folders)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.FileInfo().Mode() != 0o600 {
			t.Errorf("%s has mode %v in the archive", header.Name, header.FileInfo().Mode())
		}
	}
}
