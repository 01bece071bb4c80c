package dump

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/fstree"
)

// Shares are what a site tells of shares and of the usage that counts for them.
type Shares struct {
	Tree    *fstree.Associations  // that of sshare with most associations, nil where there is no whole one
	Swept   *fstree.Associations  // the same with the usage of the last sweep, of which the priorities are
	Newer   int                   // of how many users Tree has usage that is newer than that
	Printed map[[2]string]float64 // FairShare by account and user, as sshare prints it
	Own     []diag.Remark         // on each association of a user, where sshare does not print all
	Cut     *accounts.CutError    // with what sshare prints there, nil where it prints all
	Wrong   error                 // with the last one of sshare that cannot be read
	Remarks []diag.Remark
}

// WholeTree returns the tree that a site has. It needs nothing else of it.
func (d *Dump) WholeTree() (*fstree.Associations, []diag.Remark, error) {
	s, err := d.Shares(), error(nil)
	if s.Tree == nil {
		s.Remarks = append(s.Remarks, s.Own...)
		err = &MissingError{d.Name, "a whole tree: sshare -a -l -P prints it"}
		if s.Wrong != nil {
			err = fmt.Errorf("%w (%w)", err, s.Wrong)
		}
	}
	return s.Tree, slices.Concat(d.Remarks, d.Denied(), d.Cut(), s.Remarks), err
}

// Shares reads the tree.
func (d *Dump) Shares() Shares {
	s := Shares{Printed: map[[2]string]float64{}}
	for _, p := range d.All(KindShares) {
		own, damage := printedShares(p, s.Printed)
		s.Remarks = append(s.Remarks, damage...)
		tree, swept, newer, err := accounts.ParseSwept(p.Text)
		if cut := (*accounts.CutError)(nil); errors.As(err, &cut) {
			s.Own, s.Cut = append(s.Own, own...), cut
		}
		if err != nil {
			s.Wrong = fmt.Errorf("%s: %w", p.Name, err)
			continue
		}
		if s.Tree == nil || tree.Len() > s.Tree.Len() {
			s.Tree, s.Swept, s.Newer = tree, swept, newer
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
		s.Tree, s.Swept = tree, tree
		why := "there is no whole one of sshare"
		if s.Wrong != nil {
			why += fmt.Sprintf(" (%v)", s.Wrong)
		}
		s.Remarks = append(s.Remarks, diag.Notef("the tree is that of %s: %s", p.Name, why))
	}
	return s
}

// Lacks says where the fairshare factors of a site come from if there is no tree.
func (s Shares) Lacks(name string, conf *slurm.Conf, hasPriorities bool) []diag.Remark {
	switch {
	case conf.HasNoAccounts:
		return []diag.Remark{diag.Notef("%s has no accounting (AccountingStorageType): the factors of fairshare, associations and QOS of all jobs are 0, as in slurmctld", name)}
	case s.Tree != nil || conf.Weights.Fairshare == 0:
		return nil
	case len(s.Printed) > 0:
		return []diag.Remark{diag.Warningf("the tree is not whole (%v): the fairshare factors are those that sshare prints, and are not computed anew", s.Wrong)}
	case s.Wrong != nil:
		return []diag.Remark{diag.Warningf("%v: %s", s.Wrong, map[bool]string{true: "the fairshare factors are those that sprio prints", false: "the fairshare factors are not known and count as 0 in the priorities that are computed"}[hasPriorities])}
	case hasPriorities:
		return []diag.Remark{diag.Warningf("%s has no sshare -a -l -P: the fairshare factors are those that sprio prints", name)}
	}
	return []diag.Remark{diag.Warningf("%s has no sshare -a -l -P and no sprio -l: the fairshare factors are not known and count as 0 in the priorities that are computed", name)}
}

// mostOfShares are the largest numbers that columns of sshare have, in which none is negative.
var mostOfShares = map[string]float64{"rawshares": math.MaxUint32, "rawusage": 1e300, "fairshare": 1}

// damaged returns the column of a row of sshare that has something else than such a number, "" for none.
func damaged(row Row) string {
	for _, column := range slices.Sorted(maps.Keys(mostOfShares)) {
		text := row[column]
		if x, err := strconv.ParseFloat(text, 64); text != "" && text != "parent" && (err != nil || !(x >= 0 && x <= mostOfShares[column])) {
			return column
		}
	}
	return ""
}

// printedShares reads the column FairShare of a table of sshare. It returns what that says of the associations of users, and
// what is damaged.
func printedShares(p Part, into map[[2]string]float64) (own, damage []diag.Remark) {
	isJSON := slurm.IsJSON(p.Text)
	rows, odd := ReadTable(p.Text)
	if isJSON {
		rows, odd = ShareRows(p.Text), 0
	}
	if odd > 0 {
		damage = append(damage, diag.Damagef("%s: %s left out, which have more or fewer columns than the first line", p.Name, report.Count(odd, "row")))
	}
	var wrong []string
	for _, row := range rows {
		if column := damaged(row); column != "" {
			wrong = append(wrong, fmt.Sprintf("%s %q of %s in %s", column, row[column], cmp.Or(row["user"], "all"), row["account"]))
			continue
		}
		x, err := strconv.ParseFloat(row["fairshare"], 64)
		if err != nil || row["user"] == "" {
			continue
		}
		into[[2]string{row["account"], row["user"]}] = x
		text := fmt.Sprintf("%s: the fairshare factor of %s in %s is %s", p.Name, row["user"], row["account"], row["fairshare"])
		if used, shares := Number(row["effectvusage"], 0), Number(row["normshares"], 0); shares > 0 {
			text += fmt.Sprintf(", with %s times the use that its shares give it", report.Fixed(used/shares, 2))
		}
		own = append(own, diag.Notef("%s", text))
	}
	if len(wrong) > 0 {
		damage = append(damage, diag.Damagef("%s: %s with what is no number that sshare prints: %s", p.Name, report.Count(len(wrong), "row"), report.First(wrong)))
	}
	return own, damage
}
