package setup

import (
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
)

// UnknownNames says which accounts and QOS the partitions of a configuration name that a site does not have, where it tells all that it
// has, and what comes of them: first those with which slurmctld does not start.
func UnknownNames(conf *slurm.Conf, d *dump.Dump) (refused, list []string) {
	accounts, qos := knownAccounts(d), knownQOS(d)
	for _, p := range conf.SortedPartitions() {
		for _, of := range p.Guests {
			kind, known := "QOS", qos
			if strings.HasSuffix(of.Name, "Accounts") {
				kind, known = "account", accounts
			}
			if known == nil {
				continue
			}
			isRefused := of.Name == "QOS" && enforcesQOS(d)
			text := unknownGuests(of, kind, known, isRefused)
			if text == "" {
				continue
			}
			text = p.At.Prefix() + "PartitionName=" + p.Name + ": " + text
			if isRefused {
				refused = append(refused, text)
			} else {
				list = append(list, text)
			}
		}
	}
	return refused, list
}

// Unchecked says which names in the settings of partitions are not checked, since nothing tells which there are.
func Unchecked(conf *slurm.Conf, d *dump.Dump) (list []string) {
	var qos, accounts []string
	for _, p := range conf.SortedPartitions() {
		for _, of := range p.Guests {
			is := of.Name + "=" + report.Printable(of.Value) + " of partition " + p.Name
			switch isAccounts := strings.HasSuffix(of.Name, "Accounts"); {
			case slurm.IsIn([]string{"ALL", "N/A", "NONE", "(null)"}, of.Value):
			case isAccounts && knownAccounts(d) == nil:
				accounts = append(accounts, is)
			case !isAccounts && knownQOS(d) == nil:
				qos = append(qos, is)
			}
		}
	}
	if qos != nil {
		list = append(list, "whether there are the QOS of "+report.First(qos)+" (sacctmgr -P show qos)")
	}
	if accounts != nil {
		list = append(list, "whether there are the accounts of "+report.First(accounts)+" (sacctmgr -P show assoc)")
	}
	return list
}

// unknownGuests says what comes of those names of a setting of a partition that are not known, "" where all are. A QOS of its own that
// there is not keeps slurmctld from starting where QOS are enforced (Slurm's read_config.c, _build_single_partitionline_info). In a list
// such names are left out, and the list counts as the others make it (its partition_mgr.c, qos_list_build).
func unknownGuests(of slurm.Setting, kind string, known []string, isRefused bool) string {
	listed := names(of.Value)
	unknown := slices.DeleteFunc(slices.Clone(listed), func(name string) bool {
		return name == "" || slurm.IsIn(known, name) || slurm.IsIn([]string{"ALL", "N/A", "NONE", "(null)"}, name)
	})
	if len(unknown) == 0 {
		return ""
	}
	text := of.Name + "=" + report.Printable(of.Value) + ": there is no " + kind + " " + report.Listed(unknown)
	switch isAllowed := strings.HasPrefix(of.Name, "Allow"); {
	case isRefused:
		text += ", and slurmctld does not start with it"
	case of.Name == "QOS":
		text += ", which has no effect"
	case isAllowed && len(unknown) == len(listed):
		text += ", and since the list has no other name, it keeps every job out"
	case isAllowed:
		text += ", and the list keeps out all jobs but those of the others in it"
	default:
		text += ", which keeps nobody out"
	}
	return text + report.Meant(report.Nearest(unknown[0], known))
}

// knownQOS returns the QOS of a site, nil where it does not tell them.
func knownQOS(d *dump.Dump) []string {
	known, err := d.QOSPriorities(d.Table(dump.KindQOS))
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(known))
}

// knownAccounts returns the accounts of a site, nil where it does not tell all of them, as where PrivateData keeps some from who asked.
func knownAccounts(d *dump.Dump) []string {
	for word := range strings.SplitSeq(strings.ToLower(d.Config("privatedata")), ",") {
		if slices.Contains([]string{"accounts", "usage", "all"}, strings.TrimSpace(word)) {
			return nil
		}
	}
	known := map[string]bool{}
	if tree := d.Shares().Tree; tree != nil {
		for i := range tree.Preorder {
			if x := tree.At(int(i)); !x.User {
				known[x.Name] = true
			}
		}
	}
	for _, p := range d.All(dump.KindAssociations) {
		rows, _ := d.RowsOf(p)
		for _, row := range rows {
			known[row["account"]] = true
		}
	}
	return slices.Sorted(maps.Keys(known))
}
