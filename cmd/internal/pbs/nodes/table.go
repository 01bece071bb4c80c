package nodes

import (
	"strconv"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/report"
)

// readTable reads what tables of a place without a list of jobs tell of them.
func (r *reader) readTable(p *site.Place) ([]diag.Remark, error) {
	t, remarks, err := p.Table()
	if err != nil {
		return nil, err
	}
	r.rows = map[string]qstat.TableRow{}
	for _, row := range t.Rows {
		r.rows[qstat.Number(row.ID)] = row
	}
	return remarks, nil
}

// tabled returns a job that a vnode names, with what tables say of it.
func (r *reader) tabled(id string) nodes.Job {
	row := r.rows[qstat.Number(id)]
	j := nodes.Job{ID: id, User: row.User}
	if row.Chunks == "1" {
		j.CPUs, _ = strconv.ParseFloat(row.Tasks, 64)
	}
	elapsed, hasRun := qstat.Clock(row.Elapsed)
	walltime, isLimited := qstat.Clock(row.Walltime)
	if hasRun && isLimited && r.At > 0 {
		j.End = max(r.At, r.At-elapsed+walltime)
	}
	return j
}

// ofTables says what tables tell of the jobs on vnodes, and what they do not.
func (r *reader) ofTables() diag.Remark {
	var unknown []string
	isTold := false // until when jobs run
	for told := range r.Listing.Vnodes() {
		v, _ := r.Cluster.Number(told[""])
		for _, j := range r.jobs[v] {
			if isTold = isTold || j.End > 0; r.rows[qstat.Number(j.ID)].ID == "" {
				unknown = append(unknown, j.ID)
			}
		}
	}
	text := "until when jobs run is told to two minutes, and not how many cpus a job on several vnodes has of each (qstat -f)"
	if !isTold {
		text = "how many cpus each job has and until when it runs is not told (qstat -a tells walltimes, qstat -f all)"
	}
	if unknown != nil {
		return diag.Warningf("the table lacks %s that vnodes name (%s); %s", report.Count(len(unknown), "job"), report.First(unknown), text)
	}
	return diag.Notef("%s", text)
}
