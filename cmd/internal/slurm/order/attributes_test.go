package order

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/dump/dumptest"
)

// Every field that counts of what scontrol prints is named where it has another name, or, if all versions print it, where it is
// missing: in an error, or in a remark.
func TestRenamedFields(t *testing.T) {
	whole := dumptest.Of(t, "t1_morning", dumptest.Needed...)
	whole.Set("scontrol-show-res.txt", dumptest.Maint1+dumptest.Chemres)
	for file, all := range map[string]slurm.Attributes{
		"scontrol-show-job.txt": slurm.JobAttributes, "scontrol-show-node.txt": slurm.NodeAttributes, "scontrol-show-partition.txt": slurm.PartitionAttributes, "scontrol-show-res.txt": slurm.ReservationAttributes,
	} {
		for _, x := range all {
			if x.Idle != "" || strings.HasPrefix(whole.Text(file), x.Name+"=") { // by which the list is told
				continue
			}
			field := regexp.MustCompile(`(^|\s)` + regexp.QuoteMeta(x.Name) + `=\S*`)
			for change, other := range map[string]string{"misspelt": "X" + x.Name[:len(x.Name)-1] + "=7", "missing": ""} {
				text := whole.Text(file)
				switch isThere := field.MatchString(text); {
				case isThere && (other != "" || x.In != slurm.Sometimes):
					text = field.ReplaceAllString(text, "${1}"+other)
				case other != "": // it is printed where it says something
					text = strings.TrimRight(text, "\n") + "\n   " + other + "\n"
				default:
					continue
				}
				d := whole.Empty()
				for _, p := range whole.Parts {
					d.Set(p.File(), p.Text)
				}
				d.Set(file, text)
				if said := saidOfNow(d); !strings.Contains(said, x.Name+" (") && !strings.Contains(said, "has no "+x.Name) && !strings.Contains(said, "perhaps "+x.Name) {
					t.Errorf("%s %s of %s is not named in\n%s", change, x.Name, file, said)
				}
			}
		}
	}
}

// saidOfNow returns what is said of a site as it is now, with the error.
func saidOfNow(d *dump.Dump) string {
	var b strings.Builder
	_, remarks, err := ReadNow(d, slurm.OnStarts, time.UTC)
	for _, r := range remarks {
		b.WriteString(r.Text + "\n")
	}
	if err != nil {
		b.WriteString(err.Error())
	}
	return b.String()
}

// A QOS, partition or licence that stands twice with other values is refused, and one that stands twice alike is not.
func TestTwice(t *testing.T) {
	for _, test := range []struct{ file, more, is string }{
		{"sacctmgr-P-qos.txt", "high|5" + strings.Repeat("|", 24) + "\n", "QOS high"},
		{"scontrol-show-lic.txt", "LicenseName=x\n    Total=3 Used=0 Free=3 Reserved=0 Remote=no\nLicenseName=x\n    Total=4 Used=0 Free=4 Reserved=0 Remote=no\n", "licence x"},
		{"scontrol-show-lic.txt", strings.Repeat("LicenseName=x\n    Total=3 Used=0 Free=3 Reserved=0 Remote=no\n", 2), ""},
	} {
		d := dumptest.Of(t, "t1_morning", dumptest.Needed...)
		d.Set(test.file, d.Text(test.file)+test.more)
		if said := saidOfNow(d); strings.Contains(said, "stands there twice") != (test.is != "") || !strings.Contains(said, test.is) {
			t.Errorf("%q is not said in %s", test.is, said)
		}
	}
}
