package slurm

import (
	"slices"
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

// Sheet returns the rows of some users' jobs, nil for everybody's, and at most so many (0: all), as they are printed:
// what sprio prints of a job in a partition, and in JSON the factors themselves beside it.
func (r Ranking) Sheet(users []string, most int) report.Sheet {
	return &report.Listing[Factors]{Columns: columns(), Rows: slices.Values(r.Of(users, most)), Line: func(f Factors) any { return f.Line() }}
}

// columns returns the columns of a ranking: the job with its partition and user, the priority, and the weighted
// factors in whole numbers, those of TRES last.
func columns() []report.Column[Factors] {
	text := func(title, name string, cell func(f Factors) string) report.Column[Factors] {
		return report.Column[Factors]{Title: title, Text: cell, Name: name, Cell: cell}
	}
	whole := func(title, name string, value func(f Factors) float64) report.Column[Factors] {
		column := text(title, name, func(f Factors) string { return report.Fixed(value(f), 0) })
		column.Right = true
		return column
	}
	return []report.Column[Factors]{
		text("JOB", "job", func(f Factors) string { return f.Job.ID }),
		text("PARTITION", "partition", func(f Factors) string { return f.Partition }),
		text("USER", "user", func(f Factors) string { return f.Job.User }),
		whole("PRIORITY", "priority", func(f Factors) float64 { return f.Priority }),
		whole("AGE", "age", func(f Factors) float64 { return f.Weighted.Age }),
		whole("ASSOC", "assoc", func(f Factors) float64 { return f.Weighted.Assoc }),
		whole("FAIRSHARE", "fairshare", func(f Factors) float64 { return f.Weighted.Fairshare }),
		whole("JOBSIZE", "jobsize", func(f Factors) float64 { return f.Weighted.JobSize }),
		whole("PARTITION POINTS", "partition_factor", func(f Factors) float64 { return f.Weighted.Partition }),
		whole("QOS", "qos", func(f Factors) float64 { return f.Weighted.QOS }),
		whole("NICE", "nice", func(f Factors) float64 { return f.Job.Nice }),
		text("TRES", "tres", func(f Factors) string {
			var list []string
			for _, a := range f.Weighted.TRES {
				list = append(list, a.Name+"="+report.Fixed(a.Count, 0))
			}
			return strings.Join(list, ",")
		}),
	}
}
