package obfuscate

import (
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
)

// json writes a part that is JSON as the text that Slurm prints in its place, "" where it cannot be read.
func (h *hider) json(d *dump.Dump, p dump.Part) string {
	var b strings.Builder
	switch p.Kind {
	case dump.KindJobs, dump.KindQueue:
		_, _ = slurm.EachFields(p.Text, d.Zone(), func(fields map[string]string) error {
			b.WriteString("JobId=" + h.rewritten(slurm.CopyID, fields["JobId"]) + " JobName=" + h.rewritten(slurm.CopyJobName, fields["JobName"]) + "\n  ")
			for _, key := range slices.Sorted(maps.Keys(fields)) {
				if slurm.IsPerNode(key) {
					for word := range strings.FieldsSeq(fields[key]) {
						key, value, _ := strings.Cut(word, "=")
						b.WriteString(" " + key + "=" + h.known(slurm.JobCopy(key), value))
					}
					continue
				}
				if how := slurm.JobCopy(key); how != slurm.CopyNot && key != "JobId" && key != "JobName" {
					b.WriteString(" " + key + "=" + h.known(how, fields[key]))
				}
			}
			b.WriteString("\n\n")
			return nil
		})
		if b.Len() == 0 {
			return "No jobs in the system\n"
		}
	case dump.KindNodes, dump.KindPartitions, dump.KindReservations, dump.KindLicences:
		h.jsonRecords(&b, d.Only(p.Kind).Records(p.Kind), p.Kind)
	case dump.KindQOS, dump.KindAssociations:
		rows, _ := d.RowsOf(p)
		h.jsonTable(&b, rows, p.Kind)
	case dump.KindShares:
		h.jsonTable(&b, dump.ShareRows(p.Text), p.Kind)
	}
	return b.String()
}

// known returns what a copy has in place of a value that may be empty: that it is there is kept.
func (h *hider) known(how slurm.Copy, text string) string {
	if text == "" {
		return ""
	}
	return h.rewritten(how, text)
}

// secondKeys are the keys that follow the first one of a record of scontrol, by which it is told.
var secondKeys = map[dump.Kind][]string{dump.KindNodes: {"Arch"}, dump.KindPartitions: {"AllowGroups", "AllowAccounts"}, dump.KindReservations: {"StartTime"}, dump.KindLicences: {"Total"}}

// jsonRecords writes records as scontrol does.
func (h *hider) jsonRecords(b *strings.Builder, rows []dump.Row, k dump.Kind) {
	first := dump.FirstKey(k)
	for _, row := range rows {
		row = maps.Clone(row)
		b.WriteString(first + "=" + h.rewritten(dump.CopyOf(k, strings.ToLower(first)), row[strings.ToLower(first)]))
		for _, key := range secondKeys[k] {
			b.WriteString(" " + key + "=" + h.rewritten(dump.CopyOf(k, strings.ToLower(key)), orAll(row[strings.ToLower(key)])))
			delete(row, strings.ToLower(key))
		}
		for _, key := range slices.Sorted(maps.Keys(row)) {
			if how := dump.CopyOf(k, key); how != slurm.CopyNot && key != strings.ToLower(first) && key != "reason" {
				b.WriteString(" " + key + "=" + h.known(how, row[key]))
			}
		}
		if at := row["reason"]; k == dump.KindNodes && at != "" {
			b.WriteString(" Reason=" + since(h, "hidden[user@"+at+"]"))
		}
		b.WriteString("\n\n")
	}
}

// orAll returns a list, or ALL for none.
func orAll(list string) string {
	if list == "" {
		return "ALL"
	}
	return list
}

// jsonTable writes a table as sacctmgr and sshare do.
func (h *hider) jsonTable(b *strings.Builder, rows []dump.Row, k dump.Kind) {
	if len(rows) == 0 {
		return
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(rows[0])), func(name string) bool { return dump.CopyOf(k, name) == slurm.CopyNot })
	heads := slices.Clone(names)
	if k == dump.KindShares {
		for i, name := range heads {
			heads[i] = map[string]string{"account": "Account", "user": "User", "partition": "Partition", "rawshares": "RawShares", "rawusage": "RawUsage", "normusage": "NormUsage", "fairshare": "FairShare"}[name]
			if heads[i] == "" {
				heads[i] = name
			}
		}
	}
	b.WriteString(strings.Join(heads, "|") + "\n")
	for _, row := range rows {
		var cells []string
		for _, name := range names {
			cell := h.rewritten(dump.CopyOf(k, name), row[name])
			if k == dump.KindShares && name == "account" {
				cell = row["depth"] + cell
			}
			cells = append(cells, cell)
		}
		b.WriteString(strings.Join(cells, "|") + "\n")
	}
}
