package snapshot

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/workshop"
)

// unlisted is a folder none of whose folders says what is in it, so that each file must be asked for.
type unlisted struct{ fs.FS }

func (u unlisted) Open(at string) (fs.File, error) {
	f, err := u.FS.Open(at)
	return struct{ fs.File }{f}, err
}

func (u unlisted) ReadDir(at string) ([]fs.DirEntry, error)    { return fs.ReadDir(u.FS, at) }
func (u unlisted) Stat(at string) (fs.FileInfo, error)         { return fs.Stat(u.FS, at) }
func (u unlisted) Lstat(at string) (fs.FileInfo, error)        { return fs.Lstat(u.FS, at) }
func (u unlisted) ReadLink(at string) (target string, _ error) { return fs.ReadLink(u.FS, at) }

// A folder has the same snapshot whether its folders are listed or each file is asked for, whatever stands at the places of these:
// files, empty ones, folders, and links that lead somewhere or nowhere.
func TestListingsMakeNoDifference(t *testing.T) {
	var places []string
	for _, m := range Members {
		places = append(places, m.places()...)
	}
	for _, name := range pbs.PrivFiles {
		places = append(places, PrivPath(name), name)
	}
	random := rand.New(rand.NewPCG(1, 2))
	found, said := 0, 0
	for n := range workshop.Part(500) {
		dir := t.TempDir()
		top := []string{"", "a", "b"}[random.IntN(3)]
		for range random.IntN(8) {
			at := filepath.Join(dir, top, places[random.IntN(len(places))])
			if random.IntN(9) == 0 {
				at = filepath.Dir(at) // which a file may be, too
			}
			os.MkdirAll(filepath.Dir(at), 0o700)
			switch random.IntN(9) {
			case 0:
				os.Symlink("nowhere", at)
			case 1:
				os.Symlink("formula.txt", at)
			case 2:
				os.Mkdir(at, 0o700)
			case 3:
				os.WriteFile(at, nil, 0o600)
			default:
				os.WriteFile(at, []byte("text"), 0o600)
			}
		}
		of := func(within fs.FS) string {
			s, err := In(&file.Tree{Name: dir, FS: within})
			if err != nil {
				return err.Error()
			}
			found++
			said += len(s.Remarks)
			return fmt.Sprint(s.Name, s.top, s.priv, slices.Sorted(maps.Keys(s.members)), s.Remarks)
		}
		if got, want := of(os.DirFS(dir)), of(unlisted{os.DirFS(dir)}); got != want {
			t.Errorf("%d: %s, and without listings %s", n, got, want)
		}
	}
	if found < 30 || said < 10 {
		t.Errorf("only %d snapshots, of which %d remarks are made", found, said)
	}
}
