package file

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"fairshare/cmd/internal/workshop"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "page.html")
	for _, content := range []string{"first", "second, which is longer", "3"} {
		if err := Replace(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("%q (%v), want %q", got, err, content)
		}
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("page.html", link); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Replace(link, []byte("through a link")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "through a link" {
		t.Errorf("%q (%v)", got, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v (%v)", info.Mode(), err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v (%v)", info.Mode(), err)
	}
	// Also a mode that the umask would narrow stays.
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Replace(path, []byte("again")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o666 {
		t.Errorf("the mode is %v (%v), want 666", info.Mode(), err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("%d files (%v), want the page and the link", len(entries), err)
	}
}

// An error names the file that was asked for, and no temporary one.
func TestReplaceFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nowhere", "page.html")
	err := Replace(path, []byte("x"))
	if !errors.Is(err, os.ErrNotExist) || !strings.HasPrefix(err.Error(), "write "+path+": ") {
		t.Errorf("it says %v", err)
	}
}

// A pipe is written to, and one that nobody reads is an error.
func TestReplacePipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		workshop.Skip(t, err)
	}
	if err := Replace(path, []byte("x")); err == nil || !strings.Contains(err.Error(), "nobody reads this pipe") {
		t.Errorf("without a reader: %v", err)
	}
	content := strings.Repeat("x", 1<<20)
	got := make(chan string)
	reader, err := os.OpenFile(path, os.O_RDWR, 0) // open at once, with no writer yet
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	go func() {
		text := make([]byte, len(content))
		io.ReadFull(reader, text)
		got <- string(text)
	}()
	if err := Replace(path, []byte(content)); err != nil {
		t.Fatal(err)
	}
	if text := <-got; text != content {
		t.Errorf("%d bytes were read, want %d", len(text), len(content))
	}
}

func TestText(t *testing.T) {
	tests := []struct{ text, want, err string }{
		{"a text\n", "a text\n", ""},
		{"\ufeffa text", "a text", ""},
		{"", "", ""},
		{"ten bytes.", "ten bytes.", ""},
		{"more than that", "", "x: this has more than 10 bytes"},
		{"a\x00b", "", "x: this is not text"},
	}
	for _, test := range tests {
		got, err := Source{Name: "x", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(test.text)), nil }}.Text(10)
		if got != test.want || err == nil && test.err != "" || err != nil && err.Error() != test.err {
			t.Errorf("%q: %q, %v", test.text, got, err)
		}
	}
}
