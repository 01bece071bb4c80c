package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/report"
	"fairshare/fstree"
	"fairshare/usagefile"
)

// change runs a mode that writes: -s, -d and -e. The lock spans reading and
// writing, so that no other pbsfs's change gets lost between them.
func (p *program) change(dir string) int {
	var usage float64
	if p.cli.mode == 's' {
		var ok bool
		if usage, ok = parseUsage(p.cli.Operands[1]); !ok {
			p.diag.Error("the usage %q is not a number; nothing was written", p.cli.Operands[1])
			return 1
		}
	}
	unlock, err := pbs.LockUsage(dir, p.cli.Wait, func() { p.diag.Note("waiting for another writer") })
	if errors.Is(err, usagefile.ErrLocked) {
		p.diag.Error("another program has held the lock on %s for %v, nothing was written", dir, p.cli.Wait)
		p.diag.Hint("--wait TIME waits longer; fuser %s names the program", dir)
		return 1
	}
	if err != nil {
		p.diag.Error("%v", err)
		return 1
	}
	defer unlock()
	if !p.load(dir) {
		return 1
	}
	tree, lastDecay := p.data.Tree, time.Now().Unix()
	switch p.cli.mode {
	case 's':
		id, ok := p.find(p.cli.Operands[0])
		if !ok {
			return 1
		}
		p.warnSet(id, usage)
		tree.SetUsage(id, usage)
		lastDecay = 0
		if p.data.Usage != nil {
			lastDecay = p.data.Usage.LastDecay
		}
	case 'd':
		tree.Decay(p.data.Config.DecayFactor)
	}
	return p.write(dir, lastDecay)
}

// write replaces the usage database, unless that could lose what is in it.
func (p *program) write(dir string, lastDecay int64) int {
	if !p.cli.Force && !p.mayWrite(dir) {
		return 1
	}
	for _, name := range p.data.LostGroups() {
		p.diag.Warning("usage: %s is a group now, its record is not written again", name)
	}
	replace := usagefile.Replace
	if p.cli.Force && (p.hasLost() || p.dropsAll()) {
		replace = usagefile.ReplaceDamaged
	}
	err := replace(dir, func(w io.Writer) error {
		return usagefile.Write(w, lastDecay, p.data.Tree.Records())
	})
	if errors.Is(err, usagefile.ErrNoBackup) {
		fmt.Fprintln(p.err, "Could not backup usage database.: No such file or directory")
		return 0
	}
	var unfinished *usagefile.UnfinishedError
	if errors.As(err, &unfinished) {
		// Not an error status: who tries again would decay twice.
		p.diag.Warning("%v", err)
		return 0
	}
	if err != nil {
		p.diag.Error("cannot write %s: %v", usagefile.Name, err)
		return 1
	}
	if kept := usagefile.KeptDamaged(p.data.Dir.FS); len(kept) > 0 {
		p.diag.Warning("no %s is written as long as %s is there, so that what was good before stays: remove it when it is not needed any more",
			usagefile.BackupName, strings.Join(kept, " or "))
	}
	return 0
}

// hasLost reports whether the usage file has lost records: it is damaged, or seems to be cut off, or the backup that
// would tell cannot be read.
func (p *program) hasLost() bool {
	if lost, err := p.data.LostRecords(); err != nil || len(lost) > 0 {
		return true
	}
	if p.data.Usage == nil {
		return false
	}
	_, isDamaged := p.data.Usage.Damage()
	_, hasHole := p.data.Usage.Hole()
	return isDamaged || hasHole
}

// dropsAll reports whether -e would drop every record, since the tree names nobody.
func (p *program) dropsAll() bool {
	return p.cli.mode == 'e' && p.data.Tree.Len() == 2 && p.data.Usage != nil && len(p.data.Usage.Records) > 0
}

// mayWrite reports whether writing loses nothing that only --force may lose.
// Where it would, it says so.
func (p *program) mayWrite(dir string) bool {
	if target := usagefile.LinkTarget(dir); target != "" {
		p.diag.Error("%s is a symbolic link to %s, in whose place a file would come; nothing was written", usagefile.Name, target)
		p.diag.Hint("--sched-priv names the directory that has the file; --force replaces the link")
		return false
	}
	if p.data.Usage != nil {
		if damage, ok := p.data.Usage.Damage(); ok {
			return p.isDamaged(dir, damage)
		}
	}
	if p.dropsAll() {
		p.diag.Error("resource_group names nobody, so -e would drop everyone from %s; nothing was written", usagefile.Name)
		p.diag.Hint("--force drops them and keeps the file as %s", usagefile.NameOfDamaged(dir))
		return false
	}
	lost, err := p.data.LostRecords()
	if err != nil {
		p.diag.Error("%v", err)
		return false
	}
	if len(lost) > 0 {
		p.diag.Error("%s lacks %s that %s has, from %q on: it seems to be cut off, and writing would replace the good copy; nothing was written",
			usagefile.Name, report.Count(len(lost), "record"), usagefile.BackupName, lost[0].Name)
		p.diag.Hint("cp %s/%s %s/%s takes the backup; --force goes on without it, and leaves it as it is", dir, usagefile.BackupName, dir, usagefile.Name)
		return false
	}
	if p.data.Usage != nil {
		if hole, ok := p.data.Usage.Hole(); ok {
			return p.isDamaged(dir, hole)
		}
	}
	return true
}

// isDamaged says that the usage file is damaged, so that it may not be written.
func (p *program) isDamaged(dir string, by usagefile.Problem) bool {
	p.diag.Error("%s is damaged (%v), nothing was written", usagefile.Name, by)
	p.diag.Hint("--force writes what could be read of it and keeps the damaged file as %s", usagefile.NameOfDamaged(dir))
	return false
}

// warnSet says what PBS would not say of a value that the usage file cannot
// keep.
func (p *program) warnSet(id fstree.ID, usage float64) {
	name := p.cli.Operands[0]
	switch {
	case id == fstree.Unknown || p.data.Tree.IsGroup(id):
		p.diag.Warning("%s is a group: the usage file keeps only entities, so its usage does not change", name)
	case !(usage >= 0):
		p.diag.Warning("PBS skips a usage of %v when it reads the file, so %s will have 1", usage, name)
	case !usagefile.ValidName(name[:min(len(name), usagefile.MaxName)]):
		p.diag.Warning("PBS skips the record of a name like %q when it reads the file, so it will have 1", name)
	case math.IsInf(usage, 0):
		p.diag.Warning("the usage is infinite now, and so is that of every group above")
	case math.IsInf(p.data.Tree.Entity(fstree.Root).Usage-p.data.Tree.Entity(id).Usage+usage, 0):
		p.diag.Warning("all usage together is infinite now, so that no entity has a share of it")
	case usage-before(usage) > 1:
		p.diag.Warning("at a usage of %v, less than %.2g is too little to be added to it: what %s runs counts for nothing until that has decayed", usage, (usage-before(usage))/2, name)
	case len(name) > usagefile.MaxName:
		p.diag.Warning("the usage file cuts names at %d bytes, so the usage goes to %q", usagefile.MaxName, name[:usagefile.MaxName])
	}
}

// before returns the number before another one, among those that the usage file can keep.
func before(usage float64) float64 { return math.Nextafter(usage, 0) }

// parseUsage returns the number that a whole text is to C's strtod: also
// hexadecimal, "inf" and "nan", with white space before it. A value out of range
// becomes infinity or 0.
func parseUsage(s string) (float64, bool) {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	if strings.Contains(s, "_") { // Go's, not C's
		return 0, false
	}
	if digits := strings.ToLower(strings.TrimLeft(s, "+-")); strings.HasPrefix(digits, "0x") && !strings.Contains(digits, "p") {
		s += "p0"
	}
	if unsigned := strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+"); strings.EqualFold(unsigned, "nan") && len(s)-len(unsigned) < 2 {
		return cNaN(s[0] == '-'), true
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil || errors.Is(err, strconv.ErrRange)
}

// cNaN returns the NaN of C, whose bits are not those of Go's.
func cNaN(negative bool) float64 {
	const bits = 0x7ff8 << 48
	if negative {
		return math.Float64frombits(bits | 1<<63)
	}
	return math.Float64frombits(bits)
}
