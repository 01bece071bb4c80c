package dump

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"fairshare/cmd/internal/file"
)

// A list of jobs beside the partitions and nodes of another cluster is refused, also where some partitions have the same names by chance; those
// of one's own cluster are not, be it that partitions are hidden or that few nodes are named.
func TestElsewhere(t *testing.T) {
	part := func(kind Kind, text string) Part {
		return Part{Source: file.Source{Name: fmt.Sprint(kind)}, Kind: kind, Text: text}
	}
	queue := "  JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n" +
		"      1     batch        a      ann  R       1:00      1 a001\n" +
		"      2     batch        a      ben  R       1:00      2 a[002-003]\n" +
		"      3       gpu        a      ben  R       1:00      1 g001\n" +
		"      4  scavenge        a      ann PD       0:00      1 (Priority)\n"
	jobs := ""
	for i, at := range [][2]string{{"batch", "a001"}, {"batch", "a[002-003]"}, {"gpu", "g001"}, {"scavenge", ""}} {
		jobs += fmt.Sprintf("JobId=%d JobName=a NodeList=x1\n   UserId=ann(1) GroupId=g(1)\n   Partition=%s AllocNode:Sid=login:1\n   NodeList=%s\n\n", i+1, at[0], at[1])
	}
	named := func(key string, names string) (text string) {
		for name := range strings.FieldsSeq(names) {
			text += key + "=" + name + "\n   State=UP\n\n"
		}
		return text
	}
	for _, of := range []struct {
		name, partitions, nodes string
		isRefused, isWarned     bool
	}{
		{"its own", "batch gpu scavenge", "a001 a002 a003 g001", false, false},
		{"another cluster's", "main short", "c01 c02 c03", true, false},
		{"another cluster's, with a partition of the same name", "main gpu short", "c01 c02 g01", true, false},
		{"another cluster's partitions alone", "main short", "", true, false},
		{"hidden partitions", "open", "", false, true},
		{"hidden partitions, and its own nodes", "open wide", "a001 a002 a003 g001", false, true},
		{"few nodes", "batch gpu scavenge", "a004 a005", false, true},
		{"one node", "batch gpu scavenge", "a004", false, false},
		{"a partition that squeue cuts off", "batch gpu scavenger", "a001 g001", false, false},
		{"nothing of either", "", "", false, false},
	} {
		for kind, text := range map[Kind]string{KindQueue: queue, KindJobs: jobs} {
			d := &Dump{Parts: []Part{part(kind, text)}}
			if of.partitions != "" {
				d.Parts = append(d.Parts, part(KindPartitions, named("PartitionName", of.partitions)))
			}
			if of.nodes != "" {
				d.Parts = append(d.Parts, part(KindNodes, named("NodeName", of.nodes)))
			}
			remarks, err := d.findElsewhere()
			var strangers *StrangersError
			if errors.As(err, &strangers) != of.isRefused || (len(remarks) > 0) != of.isWarned {
				t.Errorf("%v beside %s: %v, %v", kind, of.name, err, remarks)
			}
		}
	}
}
