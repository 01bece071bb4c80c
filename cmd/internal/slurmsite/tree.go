package slurmsite

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/diag"
	"fairshare/fstree"
)

// treeOf returns the tree that a folder of a site has. It needs nothing else of it.
func treeOf(name string, f *folder, said []diag.Remark) (_ *fstree.Associations, _ []diag.Remark, err error) {
	s := &Site{Name: name, Remarks: said}
	s.sayDenied(f)
	s.sayCut(f)
	if wrong := s.readTree(f); s.Tree == nil {
		err = &MissingError{name, "a whole tree: sshare -a -l -P prints it"}
		if wrong != nil {
			err = fmt.Errorf("%w (%w)", err, wrong)
		}
	}
	return s.Tree, s.Remarks, err
}

// readTree reads the tree: that of sshare with most associations. It returns what is wrong with
// the last one of sshare that cannot be read.
func (s *Site) readTree(f *folder) (wrong error) {
	s.printed = map[[2]string]float64{}
	for _, p := range f.all(isShares) {
		if !strings.Contains(p.text, "|") {
			continue // cut, where -P is not
		}
		printedShares(p.text, s.printed)
		tree, _, err := accounts.Parse(p.text, accounts.Sshare)
		if err != nil {
			wrong = fmt.Errorf("%s: %w", p.Name, err)
			continue
		}
		if s.Tree == nil || tree.Len() > s.Tree.Len() {
			s.Tree = tree
		}
	}
	for _, p := range f.all(isManager) {
		if s.Tree != nil {
			break
		}
		tree, err := accounts.ParseManager(p.text)
		if err != nil {
			s.say(diag.Warningf("%s: the tree cannot be taken from it: %v", p.Name, err))
			continue
		}
		s.Tree = tree
		s.say(diag.Notef("the tree is that of %s: there is no whole one of sshare", p.Name))
	}
	return wrong
}

// sayTree says where the fairshare factors come from if there is no tree.
func (s *Site) sayTree(wrong error) {
	switch {
	case s.Tree != nil || s.Conf.Weights.Fairshare == 0:
	case len(s.printed) > 0:
		s.say(diag.Warningf("the tree is not whole (%v): the fairshare factors are those that sshare prints, and are not computed anew", wrong))
	case s.Stored != nil:
		s.say(diag.Warningf("%s has no sshare -a -l -P: the fairshare factors are those that sprio prints", s.Name))
	default:
		s.say(diag.Warningf("%s has no sshare -a -l -P and no sprio -l: the fairshare factors are not known and count as 0 in the priorities that are computed", s.Name))
	}
}

// printedShares reads the column FairShare of a table of sshare.
func printedShares(text string, into map[[2]string]float64) {
	var header []string
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimRight(line, "\r\n"), "|")
		if header == nil {
			header = columnsOf(line)
			continue
		}
		at := func(name string) string {
			if i := slices.Index(header, name); i >= 0 && i < len(cells) {
				return strings.TrimSpace(cells[i])
			}
			return ""
		}
		if x, err := strconv.ParseFloat(at("fairshare"), 64); err == nil && at("user") != "" {
			into[[2]string{at("account"), at("user")}] = x
		}
	}
}
