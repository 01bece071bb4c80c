package usagefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// accessList is user::rw-, user:1:rw-, group::---, mask::rw-, other::---, as
// "setfacl -m u:1:rw" makes it of the mode 600.
func accessList() []byte {
	const (
		version                              = 2
		userObj, user, groupObj, mask, other = 0x01, 0x02, 0x04, 0x10, 0x20
		undefined                            = 0xffffffff
	)
	list := binary.LittleEndian.AppendUint32(nil, version)
	for _, e := range [][3]uint32{{userObj, 6, undefined}, {user, 6, 1}, {groupObj, 0, undefined}, {mask, 6, undefined}, {other, 0, undefined}} {
		list = binary.LittleEndian.AppendUint16(list, uint16(e[0]))
		list = binary.LittleEndian.AppendUint16(list, uint16(e[1]))
		list = binary.LittleEndian.AppendUint32(list, e[2])
	}
	return list
}

// An access control list stays what it was, and gives nobody else any right: the
// group bits of such a file's mode are not the group's.
func TestReplaceKeepsAccessList(t *testing.T) {
	dir := newDir(t)
	path := filepath.Join(dir, Name)
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setxattr(path, aclAttribute, accessList(), 0); errors.Is(err, unix.ENOTSUP) {
		skip(t, "the file system has no access control lists")
	} else if err != nil {
		t.Fatal(err)
	}
	want, err := readACL(path)
	if err != nil || want == nil {
		t.Fatalf("no list to keep: %v", err)
	}
	if err := Replace(dir, writeAll); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{Name, BackupName} {
		if got, err := readACL(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s has the list %x, want %x (%v)", name, got, want, err)
		}
	}
}

// A list that the directory passes on to new files does not widen the mode.
func TestReplaceTakesNoDefaultList(t *testing.T) {
	dir := newDir(t)
	if err := unix.Setxattr(dir, "system.posix_acl_default", accessList(), 0); errors.Is(err, unix.ENOTSUP) {
		skip(t, "the file system has no access control lists")
	} else if err != nil {
		t.Fatal(err)
	}
	if err := Replace(dir, writeAll); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{Name, BackupName} {
		path := filepath.Join(dir, name)
		if got, err := readACL(path); err != nil || got != nil {
			t.Errorf("%s has the list %x (%v)", name, got, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("%s has the mode %v (%v)", name, info.Mode(), err)
		}
	}
}

// skip skips a test that asks for something which this machine does not have. Where
// FAIRSHARE_CI is set, as .ci/run does, everything must be there, and the test fails.
func skip(tb testing.TB, missing string) {
	tb.Helper()
	if os.Getenv("FAIRSHARE_CI") != "" {
		tb.Fatal("nothing may be skipped where FAIRSHARE_CI is set:", missing)
	}
	tb.Skip(missing)
}
