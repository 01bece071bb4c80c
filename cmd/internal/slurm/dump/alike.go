package dump

import (
	"errors"
	"slices"
	"strings"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm"
)

// recordsOnce and tablesOnce are the kinds of which one text is read of those that have the same form: of others, all say
// something.
var (
	recordsOnce = []Kind{KindConfig, KindJobs, KindNodes, KindPartitions, KindReservations, KindLicences, KindManager}
	tablesOnce  = []Kind{KindShares, KindQOS, KindAssociations, KindQueue}
)

// withoutAlike takes out the parts that another one of their kind and form stands for: that with most in it, the first of
// several. Remarks say which are read and which are not, where they differ.
func withoutAlike(all []Part) (kept []Part, remarks []diag.Remark) {
	type alike struct {
		kind Kind
		form string
	}
	best := map[alike]int{} // where the one that is read stands in all
	of := func(p Part) alike { return alike{p.Kind, formOf(p)} }
	for i, p := range all {
		at, isThere := best[of(p)]
		if !isThere || len(strings.Fields(p.Text)) > len(strings.Fields(all[at].Text)) {
			best[of(p)] = i
		}
	}
	for i, p := range all {
		read := best[of(p)]
		if read == i || p.Kind == KindShares && isDamagedTree(all[read]) || !slices.Contains(recordsOnce, p.Kind) && !slices.Contains(tablesOnce, p.Kind) {
			kept = append(kept, p)
			continue
		}
		how, fact := likenessOf(p, all[read])
		remarks = append(remarks, file.NotRead([]string{p.Name}, all[read].Name, parts[p.Kind], how, fact))
	}
	return kept, remarks
}

// formOf returns what a part has in common with those that say the same in the same way: the line with the columns of a table,
// "{" for JSON, and else "".
func formOf(p Part) string {
	switch {
	case slurm.IsJSON(p.Text) || strings.Contains(p.Name, ".json"): // copies without names have its records as text
		return "{"
	case !slices.Contains(tablesOnce, p.Kind):
		return ""
	}
	return strings.Join(strings.Fields(headerOf(p.Text)), " ")
}

// isDamagedTree reports whether a table of sshare cannot be read, for another reason than that it has some associations alone.
func isDamagedTree(p Part) bool {
	_, err := accounts.ParseSwept(p.Text)
	var some *accounts.CutError
	return err != nil && !errors.As(err, &some)
}
