package dump

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/fstree"
)

// Shares are what a site tells of shares and of the usage that counts for them.
type Shares struct {
	Tree    *fstree.Associations // that of sshare with most associations, nil where there is no whole one
	Swept   *fstree.Associations // the same with the usage of the last sweep, of which the priorities are
	Newer   int                  // of how many users Tree has usage that is newer than that
	Printed accounts.Factors     // FairShare as sshare prints it
	Cut     *accounts.CutError   // with what sshare prints there, nil where it prints all
	Wrong   error                // with the last table of sshare that cannot be read, of several one that is damaged
	Remarks []diag.Remark
}

// WholeTree is what a site lacks of which no whole tree of shares is known, as a MissingError has it.
const WholeTree = "a whole shares tree: sshare -a -l -P prints it"

// WholeTree returns what a site tells of shares, with a tree unless there is an error, and what there is to say of it. It needs
// nothing else of the site.
func (d *Dump) WholeTree() (Shares, []diag.Remark, error) {
	s, err := d.Shares(), error(nil)
	if s.Tree == nil {
		err = d.Lacks(WholeTree)
		if s.Wrong != nil {
			err = fmt.Errorf("%w (%w)", err, s.Wrong)
		}
	}
	return s, slices.Concat(d.Remarks, d.Denied(), d.Cut(), s.Remarks), err
}

// Shares reads the tree.
func (d *Dump) Shares() Shares {
	var s Shares
	type whole struct {
		part Part
		tree *fstree.Associations
	}
	var trees []whole
	var bestPart Part
	best, tellsSwept := "", false
	var damaged, some error // on a table that sshare prints so of nobody, and on one of some associations
	for _, p := range d.All(KindShares) {
		read, err := accounts.ParseSwept(p.Text)
		var cut *accounts.CutError
		isCut := errors.As(err, &cut)
		if err != nil || !read.Printed(&s.Printed) {
			s.Remarks = append(s.Remarks, s.takePrinted(p)...)
		}
		if isCut {
			s.Cut, cut.Printed = cut, s.Printed
		}
		switch {
		case err == nil:
		case isCut:
			some = fmt.Errorf("%s: %w", p.Name, err)
			continue
		default:
			damaged = fmt.Errorf("%s: %w", p.Name, err)
			continue
		}
		trees = append(trees, whole{p, read.Tree})
		if s.Tree == nil || read.Tree.Len() > s.Tree.Len() || read.Tree.Len() == s.Tree.Len() && read.TellsSwept && !tellsSwept {
			best, bestPart = p.Name, p
			tellsSwept, s.Tree, s.Swept, s.Newer = read.TellsSwept, read.Tree, read.Swept, read.Newer
		}
	}
	switch {
	case damaged != nil && some != nil:
		s.Wrong = fmt.Errorf("%w, and %w", damaged, some)
	default:
		s.Wrong = cmp.Or(damaged, some)
	}
	for _, of := range trees {
		if of.part.Name != best {
			how, fact := likenessOf(of.part, bestPart)
			if isWithin(of.tree, s.Tree) {
				how = file.Copy
			}
			s.Remarks = append(s.Remarks, file.NotRead([]string{of.part.Name}, best, parts[KindShares], how, fact))
		}
	}
	for _, p := range d.All(KindManager) {
		if s.Tree != nil {
			break
		}
		tree, err := accounts.ParseManager(p.Text)
		if err != nil {
			s.Remarks = append(s.Remarks, diag.Warningf("%s: the tree cannot be taken from it: %v", p.Name, err))
			continue
		}
		best, s.Tree, s.Swept = p.Name, tree, tree
		why := "there is no whole one of sshare"
		if s.Wrong != nil {
			why += fmt.Sprintf(" (%v)", s.Wrong)
		}
		s.Remarks = append(s.Remarks, diag.Notef("the tree is that of %s: %s", p.Name, why))
	}
	if s.Tree != nil {
		s.Remarks = append(s.Remarks, append(d.sharesDiffer(s.Tree, best), append(d.usageDiffers(s.Tree, best), d.limitsDiffer()...)...)...)
	}
	return s
}

// isWithin reports whether a tree tells nothing that another one does not: associations, or other shares and use of them.
func isWithin(a, b *fstree.Associations) bool {
	type told struct {
		name, account string
		shares, usage float64
	}
	has := map[told]bool{}
	of := func(t *fstree.Associations, i int) told {
		x := t.At(i)
		return told{x.Name, t.At(max(0, int(x.Parent))).Name, float64(x.Shares), x.Usage}
	}
	for i := range b.Len() {
		has[of(b, i)] = true
	}
	for i := range a.Len() {
		if !has[of(a, i)] {
			return false
		}
	}
	return true
}

// SayNewer says that the usage of the last sweep is taken where RawUsage is newer.
func (s Shares) SayNewer() []diag.Remark {
	if s.Newer == 0 {
		return nil
	}
	users, most := s.newer()
	return []diag.Remark{diag.Notef("RawUsage of %s in sshare is newer than its other columns, by up to %s %%, since jobs have ended: the usage of the last computation of priorities (PriorityCalcPeriod) is taken, of which NormUsage, EffectvUsage, LevelFS, FairShare and the priorities are", users, most).
		Briefly("usage is that of the last computation of priorities (PriorityCalcPeriod): RawUsage of %s in sshare is newer, by up to %s %%", users, most)}
}

// SayRaw says that RawUsage is taken where it is newer than the usage of the last sweep.
func (s Shares) SayRaw() []diag.Remark {
	if s.Newer == 0 {
		return nil
	}
	users, most := s.newer()
	return []diag.Remark{diag.Notef("usage is RawUsage as sshare has it, that of %s newer than the last computation of priorities (PriorityCalcPeriod), by up to %s %%, since jobs have ended: formula shares and the priorities have the usage of that computation", users, most)}
}

// newer returns of how many users RawUsage is newer, and by how many per cent at most.
func (s Shares) newer() (users, most string) {
	part := 0.0
	for i := range s.Tree.Len() {
		if now, swept := s.Tree.At(i), s.Swept.At(i).Usage; now.User && now.Usage > 0 {
			part = max(part, math.Abs(now.Usage-swept)/now.Usage)
		}
	}
	return report.Count(s.Newer, "user"), report.Fixed(100*part, 1)
}

// AreUnknown reports whether nothing but what sprio prints tells fairshare factors that priorities have.
func (s Shares) AreUnknown(conf *slurm.Conf) bool {
	return s.Tree == nil && s.Printed.Len == 0 && s.Wrong == nil && !conf.HasNoAccounts && conf.Weights.Fairshare != 0
}

// Lacks says where the fairshare factors of a site come from if there is no tree. hasTerms tells whether sprio prints them, and hasTotals
// whether the jobs have Slurm's own priorities.
func (s Shares) Lacks(name string, conf *slurm.Conf, hasTerms, hasTotals bool) []diag.Remark {
	from := "are not known and count as 0 in the priorities that are computed"
	switch {
	case hasTerms:
		from = "are those that sprio prints"
	case hasTotals:
		from = "are not known: Slurm's own priorities count, which jobs it considers is computed, and nothing that is tried changes their part of fairshare"
	}
	switch {
	case conf.HasNoAccounts:
		return []diag.Remark{diag.Notef("%s has no accounting (AccountingStorageType): the factors of fairshare, associations and QOS of all jobs are 0, as in slurmctld", name)}
	case s.Tree != nil || conf.Weights.Fairshare == 0:
		return nil
	case s.Printed.Len > 0:
		return []diag.Remark{diag.Warningf("the shares tree is not whole (%v): the fairshare factors are those that sshare prints, and are not computed anew", s.Wrong)}
	case s.Wrong != nil:
		return []diag.Remark{diag.Warningf("%v: the fairshare factors %s", s.Wrong, from)}
	case hasTerms:
		return []diag.Remark{diag.Warningf("%s has no sshare -a -l -P: the fairshare factors %s", name, from)}
	}
	return []diag.Remark{diag.Warningf("%s has no sshare -a -l -P and no sprio -l: the fairshare factors %s", name, from)}
}

// shareColumns are the columns of sshare of which numbers are read here, and those that name a row.
var shareColumns = []string{"account", "user", "fairshare", "rawshares", "rawusage", "effectvusage", "normshares"}

// shareRow is a row of sshare, by shareColumns.
type shareRow [7]string

// Places in a shareRow.
const (
	shareAccount = iota
	shareUser
	shareFactor
	shareRaw
	shareUsage
	shareEffective
	shareNorm
)

// shareRows yields the rows of sshare, and returns how many are left out since they have more or fewer columns than the header.
func shareRows(text string, yield func(*shareRow)) (odd int) {
	if slurm.IsJSON(text) {
		for _, row := range ShareRows(text) {
			var of shareRow
			for k, name := range shareColumns {
				of[k] = row[name]
			}
			yield(&of)
		}
		return 0
	}
	var lines []string // the header alone where it has pipes: its rows say nothing of how they are parted, and need not be kept
	for line := range linesIn(text) {
		if lines = append(lines, line); len(lines) == 1 && strings.Contains(line, "|") {
			break
		}
	}
	l, ok := layoutOf(lines)
	if !ok {
		return max(len(lines)-1, 0)
	}
	var at [len(shareRow{})]int
	for k, name := range shareColumns {
		at[k] = slices.Index(l.Names, name)
	}
	rows := func(yield func(string) bool) {
		for line := range linesIn(text) {
			if isHeader := line == lines[0]; !isHeader && !yield(line) {
				return
			}
		}
	}
	return l.each(rows, func(cells []string) {
		var of shareRow
		for k, i := range at {
			if i >= 0 {
				of[k] = strings.TrimSpace(cells[i])
			}
		}
		yield(&of)
	})
}

// damaged returns the place of a column that has something else than such a number as sshare prints there, of which none is
// negative; -1 for none.
func (r *shareRow) damaged() int {
	for _, column := range []struct {
		at   int
		most float64
	}{{shareFactor, 1}, {shareRaw, math.MaxUint32}, {shareUsage, 1e300}} {
		text := r[column.at]
		if x, err := strconv.ParseFloat(text, 64); text != "" && text != "parent" && (err != nil || !(x >= 0 && x <= column.most)) {
			return column.at
		}
	}
	return -1
}

// takePrinted reads the column FairShare of a table of sshare row by row, as far as they can be read. It returns what is damaged.
func (s *Shares) takePrinted(p Part) (damage []diag.Remark) {
	var wrong []string
	var printed []accounts.Factor
	odd := shareRows(p.Text, func(row *shareRow) {
		account, user, factor := row[shareAccount], row[shareUser], row[shareFactor]
		if at := row.damaged(); at >= 0 {
			wrong = append(wrong, fmt.Sprintf("%s %q of %s in %s", shareColumns[at], row[at], cmp.Or(user, "all"), account))
			return
		}
		x, err := strconv.ParseFloat(factor, 64)
		if err != nil || user == "" {
			return
		}
		printed = append(printed, accounts.Factor{Account: account, User: user, Printed: x, Effective: Number(row[shareEffective], math.NaN())})
	})
	s.Printed.Add(len(printed), slices.Values(printed))
	if odd > 0 {
		damage = append(damage, diag.Damagef("%s: %s left out, which have more or fewer columns than the first line", p.Name, report.Count(odd, "row")))
	}
	if len(wrong) > 0 {
		damage = append(damage, diag.Damagef("%s: %s with what is no number that sshare prints: %s", p.Name, report.Count(len(wrong), "row"), report.First(wrong)))
	}
	return damage
}
