package dump

import (
	"maps"
	"path"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
)

// checked are the kinds of prints that are checked also where the rest of a site is not there.
var checked = []struct {
	kind Kind
	of   string // what it tells
}{
	{KindConfig, "settings of slurmctld"}, {KindNodes, "nodes"}, {KindPartitions, "partitions"}, {KindQOS, "QOS"}, {KindAssociations, "associations"},
}

// IsChecked reports whether a file of its own is a print that is checked without the rest of its site.
func IsChecked(t *file.Tree) bool {
	if t.FS != nil || isUnread(string(t.First)) {
		return false
	}
	switch KindOf(string(t.First)) {
	case KindConfig, KindPartitions, KindQOS, KindAssociations:
		return true
	}
	return false
}

// FindChecked returns a site of which one print alone is known.
func FindChecked(t *file.Tree) (*Dump, error) {
	if isPasted(t) {
		return Find(t)
	}
	text, err := t.Single.Text(file.MostPrinted)
	if err != nil {
		return &Dump{Name: t.Name}, err
	}
	from := t.Single
	from.Member = path.Base(t.Name)
	return &Dump{Name: t.Name, tree: t, Parts: []Part{{Source: from, Kind: KindOf(text), Text: text}}, Remarks: t.Remarks}, nil
}

// someConf returns what a site tells of its configuration that lacks some of its prints, and says what is not checked since nothing tells it;
// nil where it has none of them.
func (d *Dump) someConf() (conf *slurm.Conf, problems []string, remark diag.Remark) {
	var lacks []string
	for _, x := range checked {
		if len(d.All(x.kind)) == 0 {
			lacks = append(lacks, x.of)
		}
	}
	if len(lacks) == len(checked) {
		return nil, nil, remark
	}
	config := ""
	for _, p := range d.All(KindConfig) {
		config = p.Text
	}
	nodes, partitions := d.Records(KindNodes), d.Records(KindPartitions)
	if len(nodes) == 0 {
		for i, p := range partitions {
			partitions[i] = maps.Clone(p)
			partitions[i]["nodes"] = "" // which nobody knows
		}
	}
	conf, problems, _ = printedConf(config, nodes, partitions) // that there are no nodes is said, and conf has the lines that cannot be read
	return conf, problems, diag.Notef("%s: not checked, since nothing tells it here: %s", d.Name, strings.Join(lacks, ", "))
}

// Looked says what of a site that lacks some of its prints is checked.
func (d *Dump) Looked() string {
	var has []string
	for _, x := range checked {
		if len(d.All(x.kind)) > 0 {
			has = append(has, x.of)
		}
	}
	return "what is printed of " + report.Listed(has)
}
