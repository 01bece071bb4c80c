package usagefile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"time"

	"fairshare/usagefile"
)

// What is written reads back.
func Example() {
	var file bytes.Buffer
	usage := map[string]float64{"bob": 128.5}
	if err := usagefile.Write(&file, 1796083260, maps.All(usage)); err != nil {
		fmt.Println(err)
		return
	}
	db := usagefile.Parse(file.String())
	fmt.Println(db.Version, db.LastDecay, db.Records)
	// Output: 2 1796083260 [{bob 128.5}]
}

// A damaged file is read as far as PBS reads it, and says what was lost.
func ExampleParse() {
	db := usagefile.Parse("PBS_MAG!\x00 and then something else")
	for _, p := range db.Problems {
		fmt.Println(p, "- damage:", p.Damage)
	}
	// Output: byte 16: version 4.909276748511433e+252 is not known, nothing was read - damage: true
}

// A database is replaced as a whole; the old one stays as usage.bak.
func ExampleReplace() {
	dir, err := os.MkdirTemp("", "sched_priv")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for _, usage := range []float64{1, 2} {
		err := usagefile.Replace(dir, func(w io.Writer) error {
			return usagefile.Write(w, 0, maps.All(map[string]float64{"bob": usage}))
		})
		fmt.Println(err)
	}
	for _, name := range []string{usagefile.Name, usagefile.BackupName} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(name, usagefile.Parse(string(data)).Records)
	}
	// Output:
	// there was no usage file to back up
	// <nil>
	// usage [{bob 2}]
	// usage.bak [{bob 1}]
}

// A tool that watches a database, such as one that runs every minute: it reads under the lock,
// so that no other program is in the middle of a change, and does not wait for ever. It says
// whose usage has grown, and leaves a file alone that is damaged.
func Example_watch() {
	dir, err := os.MkdirTemp("", "sched_priv")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	read := func() (*usagefile.Database, error) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		unlock, err := usagefile.Lock(ctx, dir)
		if err != nil {
			return nil, err
		}
		defer unlock()
		data, err := os.ReadFile(filepath.Join(dir, usagefile.Name))
		if err != nil {
			return nil, err
		}
		db := usagefile.Parse(string(data))
		if problem, isDamaged := db.Damage(); isDamaged {
			return nil, problem
		}
		return db, nil
	}
	last := map[string]float64{}
	for _, usage := range []float64{100, 100, 250} {
		// This is what the scheduler does meanwhile.
		err := usagefile.Replace(dir, func(w io.Writer) error {
			return usagefile.Write(w, 1796083260, maps.All(map[string]float64{"bob": usage}))
		})
		if err != nil && !errors.Is(err, usagefile.ErrNoBackup) {
			fmt.Println(err)
			return
		}
		db, err := read()
		if err != nil {
			fmt.Println(err)
			return
		}
		for name, now := range db.All() {
			if was := last[name]; now > was {
				fmt.Printf("%s has used %v more\n", name, now-was)
			}
			last[name] = now
		}
	}
	// Output:
	// bob has used 100 more
	// bob has used 150 more
}

// Who waits for the lock waits no longer than a context lasts.
func ExampleLock() {
	dir, err := os.MkdirTemp("", "sched_priv")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	unlock, err := usagefile.TryLock(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	_, err = usagefile.Lock(ctx, dir)
	fmt.Println(errors.Is(err, usagefile.ErrLocked), errors.Is(err, context.DeadlineExceeded))
	if err := unlock(); err != nil {
		fmt.Println(err)
		return
	}
	unlock, err = usagefile.Lock(context.Background(), dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(unlock())
	// Output:
	// true true
	// <nil>
}
