package dump

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm"
)

// What Slurm prints of all jobs, nodes, partitions and reservations is named where one record lacks it or has it under another
// name, or empty where it always says something; so is each column of a table of squeue that tells of jobs.
func TestFieldsThatLack(t *testing.T) {
	whole, err := Open("../../../../testdata/slurm-now/24.11-busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	d := &Dump{}
	said := func() string {
		remarks, err := d.Attributes()
		_, _, ofJobs := d.Jobs()
		return fmt.Sprint(remarks, ofJobs, err)
	}
	for name, all := range map[string]slurm.Attributes{
		"scontrol-show-job.txt": slurm.JobAttributes, "scontrol-show-node.txt": slurm.NodeAttributes, "scontrol-show-partition.txt": slurm.PartitionAttributes, "scontrol-show-res.txt": slurm.ReservationAttributes,
	} {
		const records = 3
		list := strings.SplitAfter(whole.Text(name), "\n\n")
		text := strings.Join(list[:min(records, len(list))], "")
		for i, x := range all {
			at := regexp.MustCompile(`(^|\s)` + regexp.QuoteMeta(x.Name) + `=(\S*)`)
			if x.Or != "" && !at.MatchString(text) {
				at = regexp.MustCompile(`(\s)` + x.Or + `=(\S*)`)
			}
			if x.In == slurm.Sometimes {
				continue
			}
			if !at.MatchString(text) {
				t.Errorf("%s has no %s", name, x.Name)
			}
			forms := map[string]string{"lacking": "${1}", "renamed": "${1}X" + x.Name + "=$2"}
			if x.IsFilled {
				forms["empty"] = "${1}" + x.Name + "="
			}
			if i == 0 { // with which each record begins: this one is within the record before
				delete(forms, "renamed")
			}
			for form, in := range forms {
				where := at.FindAllStringSubmatchIndex(text, -1)
				of := where[len(where)/2]
				d.Set(name, text[:of[0]]+string(at.ExpandString(nil, in, text, of))+text[of[1]:])
				if got := said(); !strings.Contains(strings.ReplaceAll(got, "X"+x.Name, ""), x.Name) {
					t.Errorf("%s, %s %s: %s", name, form, x.Name, got)
				}
			}
		}
		d = &Dump{}
	}
}

// A column of squeue's table that lacks or is empty is named, with how many jobs it is of, where nothing else tells of jobs.
func TestColumnsOfQueueThatLack(t *testing.T) {
	names := strings.Split("JOBID|USER|ACCOUNT|PARTITION|QOS|ST|REASON|PRIORITY", "|")
	rows := [][]string{strings.Split("7|bob|hep|main|normal|PD|Resources|9130", "|"), strings.Split("8|eva|chem|main|high|PD|Priority|9000", "|"), strings.Split("6|eva|chem|main|high|R|None|9900", "|")}
	said := func(names []string, rows [][]string) string {
		lines := []string{strings.Join(names, "|")}
		for _, row := range rows {
			lines = append(lines, strings.Join(row, "|"))
		}
		d := &Dump{}
		d.Set("squeue.txt", strings.Join(lines, "\n")+"\n")
		listed, _, remarks := d.Jobs()
		var jobs []slurm.Job
		for i := range listed {
			jobs = append(jobs, listed[i].Job)
		}
		return fmt.Sprint(remarks, d.Untold(jobs, func(id string) bool { return id == "9" }), d.Unread())
	}
	if got := said(names, append(slices.Clone(rows), strings.Split("9|eva|chem|main|high|PD|Priority|", "|"))); strings.Contains(got, "nor another table") { // of which another one has the priority
		t.Error(got)
	}
	for i, name := range names {
		short := [][]string{}
		for _, row := range rows {
			short = append(short, slices.Delete(slices.Clone(row), i, i+1))
		}
		if got := said(slices.Delete(slices.Clone(names), i, i+1), short); !strings.Contains(got, name) && name != "JOBID" { // without which it is no list of jobs
			t.Errorf("without %s: %s", name, got)
		}
		for at := range rows {
			empty := slices.Clone(rows)
			empty[at] = slices.Replace(slices.Clone(rows[at]), i, i+1, "")
			want := name + " (1 of 3)"
			if slices.Contains([]string{"JOBID", "PARTITION", "ST"}, name) {
				want = fmt.Sprintf("line %d is left out", at+2)
			}
			if got := said(names, empty); strings.Contains(got, want) == (slices.Contains([]string{"REASON", "PRIORITY"}, name) && at == 2) { // a job that runs waits for nothing
				t.Errorf("row %d with an empty %s: %s", at, name, got)
			}
		}
	}
}
