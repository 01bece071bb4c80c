package usagefile_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"

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
