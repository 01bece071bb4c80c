package file

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// What is written under sudo belongs to who called it, and nobody else can read it.
func TestGiveToCaller(t *testing.T) {
	user, group := uint32(12345), uint32(54321)
	if os.Geteuid() != 0 { // only root gives files away
		user, group = uint32(os.Getuid()), uint32(os.Getgid())
	}
	t.Setenv("SUDO_UID", "12345")
	t.Setenv("SUDO_GID", "54321")
	for _, name := range []string{"site.tgz", "site"} {
		name = filepath.Join(t.TempDir(), name)
		err := WriteAll(name, time.Now(), func(f func(string, []byte) error) error { return f("server/text", []byte("x")) })
		if err != nil {
			t.Fatal(err)
		}
		if err := GiveToCaller(name); err != nil {
			t.Fatal(err)
		}
		err = filepath.WalkDir(name, func(at string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			of := info.Sys().(*syscall.Stat_t)
			if of.Uid != user || of.Gid != group || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s is %d's and %d's, %v", at, of.Uid, of.Gid, info.Mode())
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
