package setup

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/fstree"
)

// Lost says what tables of the same site name and others lack, as where one is cut off behind a
// line: associations and QOS. tree is nil where there is none.
func Lost(d *dump.Dump, tree *fstree.Associations, jobs []slurm.Job) (remarks []diag.Remark) {
	qos, associations := map[string]bool{}, map[sched.AccountName]bool{}
	usesQOS := map[string]bool{}
	for _, j := range jobs {
		for _, name := range j.QOSNames() {
			usesQOS[name] = true
		}
	}
	rows, _ := d.RowsOf(d.Table(dump.KindAssociations))
	for _, row := range rows {
		associations[rowName(row)] = true
		for name := range strings.SplitSeq(row["qos"]+","+row["def qos"], ",") {
			usesQOS[name] = true
		}
	}
	for _, p := range d.Records(dump.KindPartitions) {
		if p["qos"] != "N/A" {
			usesQOS[p["qos"]] = true
		}
	}
	if p := d.Table(dump.KindQOS); p.Text != "" {
		rows, _ := d.RowsOf(p)
		for _, row := range rows {
			qos[row["name"]] = true
		}
		for _, row := range rows {
			for _, name := range names(row["preempt"]) {
				if qos[name] || usesQOS[name] { // what others name too is said below
					continue
				}
				text := fmt.Sprintf("Preempt of QOS %s names %s, which sacctmgr show qos lacks: the name is misspelt, or the table is cut off or hides it", row["name"], name)
				if near := report.Nearest(name, slices.Sorted(maps.Keys(qos))); near != "" {
					text += "; did you mean " + near + "?"
				}
				remarks = append(remarks, diag.Warningf("%s", text))
			}
		}
		var missing []string
		for name := range usesQOS {
			if name != "" && name != "(null)" && !qos[name] {
				missing = append(missing, name)
			}
		}
		remarks = append(remarks, lost("sacctmgr show qos", "QOS that associations, partitions or jobs name", missing, slices.Sorted(maps.Keys(qos)))...)
	}
	return append(remarks, lostAssociations(associations, tree, jobs)...)
}

// lostAssociations says which associations only one of sacctmgr show assoc and the tree has, and whose
// accounts are missing.
func lostAssociations(associations map[sched.AccountName]bool, tree *fstree.Associations, jobs []slurm.Job) (remarks []diag.Remark) {
	if len(associations) == 0 {
		return nil
	}
	var less, parents []string
	for key := range associations {
		if account := (sched.AccountName{Account: key.Account}); !associations[account] && !slices.Contains(parents, key.Account) {
			parents = append(parents, key.Account)
		}
	}
	remarks = lost("sacctmgr show assoc", "accounts whose users it has", parents, nil)
	inTree := map[sched.AccountName]bool{}
	if tree != nil {
		for _, key := range Names(Associations(tree)) {
			if inTree[key] = true; !associations[key] {
				less = append(less, key.String())
			}
		}
		var more []string
		for key := range associations {
			if !inTree[key] {
				more = append(more, key.String())
			}
		}
		remarks = append(remarks, lost("the tree of sshare", "associations of sacctmgr show assoc", more, nil)...)
	}
	for _, j := range jobs {
		key := sched.AccountName{Account: j.Account, User: j.User}
		if len(j.Partitions) > 0 {
			if of := (sched.AccountName{Account: j.Account, User: j.User, Partition: j.Partitions[0]}); associations[of] || inTree[of] {
				continue
			}
		}
		if j.Account != "" && !associations[key] && !inTree[key] {
			inTree[key] = true // said once
			less = append(less, key.String())
		}
	}
	return append(remarks, lost("sacctmgr show assoc", "associations of the tree or of jobs", less, nil)...)
}

// lost says what a table lacks that others name, and which of those that it has may have been meant.
func lost(table, what string, names, has []string) []diag.Remark {
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	text := fmt.Sprintf("%s lacks %d of the %s: %s; it is cut off, or hides them, and what it says of them is not known", table, len(names), what, report.First(names))
	for _, name := range names {
		if near := report.Nearest(name, has); near != "" {
			text += fmt.Sprintf("; did you mean %s for %s?", near, name)
			break
		}
	}
	return []diag.Remark{diag.Warningf("%s", text)}
}
