package slurm

import (
	"io"
	"iter"
	"strings"

	"fairshare/cmd/internal/report"
)

// Line is a job in a partition, as JSON has it: weighted factors, and the factors themselves beside
// them.
type Line struct {
	Job             string             `json:"job"`
	Partition       string             `json:"partition"`
	User            string             `json:"user"`
	Priority        report.Number      `json:"priority"`
	Age             float64            `json:"age"`
	Assoc           float64            `json:"assoc"`
	Fairshare       float64            `json:"fairshare"`
	JobSize         float64            `json:"jobsize"`
	PartitionFactor float64            `json:"partition_factor"`
	QOS             float64            `json:"qos"`
	Nice            float64            `json:"nice"`
	TRES            map[string]float64 `json:"tres"`
	NormAge         float64            `json:"norm_age"`
	NormAssoc       float64            `json:"norm_assoc"`
	NormFairshare   float64            `json:"norm_fairshare"`
	NormJobSize     float64            `json:"norm_jobsize"`
	NormPartition   float64            `json:"norm_partition_factor"`
	NormQOS         float64            `json:"norm_qos"`
	NormTRES        map[string]float64 `json:"norm_tres"`
	AssocKnown      bool               `json:"assoc_known"`
	SlurmPriority   report.Number      `json:"slurm_priority"` // what scontrol showed
}

// Line returns what JSON says of a job in a partition.
func (f Factors) Line() Line {
	w, n := f.Weighted, f.Norm
	return Line{
		f.Job.ID, f.Partition, f.Job.User, report.Number(f.Priority),
		w.Age, w.Assoc, w.Fairshare, w.JobSize, w.Partition, w.QOS, f.Job.Nice, AmountsByName(w.TRES),
		n.Age, n.Assoc, n.Fairshare, n.JobSize, n.Partition, n.QOS, AmountsByName(n.TRES),
		false, report.Number(f.Job.Priority),
	}
}

// Lines yields the rows as JSON has them.
func (r Ranking) Lines() iter.Seq[Line] {
	return func(yield func(Line) bool) {
		for _, f := range r.Rows {
			if !yield(f.Line()) {
				return
			}
		}
	}
}

// Cells returns what sprio prints of a job in a partition: the job and its partition and user, the
// priority, and the weighted factors in whole numbers, those of TRES last.
func (f Factors) Cells() []string {
	w := f.Weighted
	cells := []string{f.Job.ID, f.Partition, f.Job.User}
	for _, x := range []float64{f.Priority, w.Age, w.Assoc, w.Fairshare, w.JobSize, w.Partition, w.QOS, f.Job.Nice} {
		cells = append(cells, report.Fixed(x, 0))
	}
	var tres []string
	for _, a := range w.TRES {
		tres = append(tres, a.Name+"="+report.Fixed(a.Count, 0))
	}
	return append(cells, strings.Join(tres, ","))
}

// WriteCSV writes what sprio prints of the rows, under the names of JSON.
func (r Ranking) WriteCSV(w io.Writer) error {
	out := report.NewCSV(w)
	out.Write(report.Keys(Line{})[:len(Factors{Job: &Job{}}.Cells())]...)
	for _, f := range r.Rows {
		out.Write(f.Cells()...)
	}
	return out.Flush()
}
