package order

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/slurm/dump/dumptest"
)

// A file of a site that has zero bytes, or a table without the names of its columns, is damaged, and not taken for one that
// is not there. So is a cell with a number that its command never prints.
func TestDamagedFiles(t *testing.T) {
	names := append([]string{"sacctmgr-P-assoc.txt"}, dumptest.Needed...)
	whole := dumptest.Of(t, "t1_morning", names...)
	folder := dumptest.Written(t, whole)
	check := func(name, what, text string) {
		t.Helper()
		at := filepath.Join(folder, name)
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(folder)
		if isSaid := slices.ContainsFunc(s.Remarks, func(r diag.Remark) bool { return r.IsDamage && strings.Contains(r.Text, name) }); err == nil && !isSaid {
			t.Errorf("%s %s: nothing is said\n%s", name, what, said(s))
		}
		if err := os.WriteFile(at, []byte(whole.Text(name)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		text := whole.Text(name)
		check(name, "behind zero bytes", "\x00\x00\x00"+text)
		check(name, "with a zero byte", text[:len(text)/2]+"\x00"+text[len(text)/2:])
		header, rows, _ := strings.Cut(text, "\n")
		if !strings.Contains(header, "|") {
			continue
		}
		check(name, "without its first line", rows)
		first, rest, _ := strings.Cut(rows, "\n")
		check(name, "with a row that is short", strings.Join([]string{header, first[:strings.LastIndexByte(first, '|')], rest}, "\n"))
		if name != "sprio-pipe.txt" && name != "sshare-alP.txt" {
			continue
		}
		columns := strings.Split(strings.ToLower(header), "|")
		for i, column := range columns {
			cells := strings.Split(first, "|")
			for _, bad := range []string{"-7", "1e308", "NaN", "many"} {
				isSigned := bad == "-7" && (column == "nice" || column == "site")
				isRead := slices.Contains([]string{"priority", "age", "assoc", "fairshare", "jobsize", "nice", "qos", "site", "rawshares", "rawusage"}, column)
				isPart := slices.Contains(columns[:i], column) || strings.Contains(cells[i], ".") && name == "sprio-pipe.txt" // of which only the age is read
				if cells[i] = bad; isRead && !isSigned && !isPart && (column != "rawusage" || bad != "1e308") {
					check(name, column+" "+bad, strings.Join([]string{header, strings.Join(cells, "|"), rest}, "\n"))
				}
			}
		}
	}
}
