package dump

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/slurm"
)

// attributes are those that are known of what scontrol prints in records.
var attributes = map[Kind]slurm.Attributes{KindNodes: slurm.NodeAttributes, KindPartitions: slurm.PartitionAttributes, KindReservations: slurm.ReservationAttributes}

// recordNames are what one of these is called, and several.
var recordNames = map[Kind]struct{ one, several string }{KindNodes: {"node", "nodes"}, KindPartitions: {"partition", "partitions"}, KindReservations: {"reservation", "reservations"}}

// Attributes says which fields of nodes, partitions and reservations are missing, or not known. It is an error where one lacks what it cannot
// be read without.
func (d *Dump) Attributes() (remarks []diag.Remark, err error) {
	for _, k := range []Kind{KindNodes, KindPartitions, KindReservations} {
		parts := d.All(k)
		if len(parts) == 0 {
			continue
		}
		of, kind := parts[0], recordNames[k]
		rows, missing := d.Records(k), map[string]int{}
		if len(rows) == 0 && strings.Contains(of.Text, "=") {
			return remarks, fmt.Errorf("%s has no %s, with which Slurm begins every %s: the list is of a version that is not known here", of.Name, firsts[k], kind.one)
		}
		for _, row := range rows {
			needed, others := attributes[k].Missing(func(name string) (string, bool) {
				text, isThere := row[strings.ToLower(name)]
				if k == KindPartitions && name == "Nodes" && row["totalnodes"] == "0" {
					return "none", isThere
				}
				if slurm.IsJSON(of.Text) && slices.Contains(untoldByJSON, name) {
					return "NO", true
				}
				return text, isThere
			})
			if needed != "" && err == nil {
				err = fmt.Errorf("%s: %s %s has no %s, which Slurm prints of every %s: the list is cut off, or of a version that is not known here", of.Name, kind.one, row[strings.ToLower(firsts[k])], needed, kind.one)
			}
			for _, name := range others {
				missing[name]++
			}
		}
		unknown, most := keysIn(k, of.Text)
		if most > len(rows) && err == nil {
			err = fmt.Errorf("%s: what Slurm prints of a %s once stands there %d times, and %s %d times: the begin of a %[2]s lacks", of.Name, kind.one, most, firsts[k], len(rows))
		}
		remarks = append(remarks, attributes[k].FieldRemarks(of.Name, kind.several, len(rows), missing, unknown)...)
	}
	return remarks, err
}

// keysIn counts the keys that no version has which is known here, of nodes, partitions or reservations in what scontrol prints.
// most is how often any of those stands there that each of them has.
func keysIn(k Kind, text string) (unknown map[string]int, most int) {
	unknown, needed := map[string]int{}, map[string]int{}
	if slurm.IsJSON(text) {
		return unknown, 0
	}
	for line := range strings.Lines(text) {
		for word := range strings.FieldsSeq(line) {
			key, _, isPair := strings.Cut(word, "=")
			if slices.Contains([]string{"OS", "Reason", "Comment", "Extra"}, key) { // behind which anything may stand
				break
			}
			x := attributes[k].Of(key)
			switch {
			case isPair && x == nil:
				unknown[key]++
			case isPair && x.In == slurm.Needed:
				needed[key]++
				most = max(most, needed[key])
			}
		}
	}
	return unknown, most
}

// Twice returns an error where a partition, QOS or licence stands twice with other values, of which nothing tells which counts.
func (d *Dump) Twice() error {
	for _, of := range []struct {
		kind     Kind
		key, one string
	}{{KindPartitions, "partitionname", "partition"}, {KindQOS, "name", "QOS"}, {KindLicences, "licensename", "licence"}} {
		parts := d.All(of.kind)
		if len(parts) == 0 {
			continue
		}
		from, rows := parts[0], d.Records(of.kind)
		if of.kind == KindQOS {
			from = d.Table(KindQOS)
			rows, _ = d.RowsOf(from)
		}
		first := map[string]Row{}
		for _, row := range rows {
			name := row[of.key]
			if old := first[name]; old != nil && !maps.Equal(old, row) {
				return fmt.Errorf("%s: %s %s stands there twice with other values", from.Name, of.one, name)
			}
			first[name] = row
		}
	}
	return nil
}
