// Package metrics writes OpenMetrics text, which node_exporter's textfile collector and Prometheus read,
// and what forecasts of a site come to as such.
package metrics

import (
	"io"
	"strings"
	"unicode"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// Metric is one of the families that are written, all of them gauges, which are made from something.
type Metric[From any] struct {
	Name   string
	Help   string
	Unit   string
	Labels []string

	Samples func(from From, add func(value float64, labels ...string))
}

// Write writes families of what is known from something. Names that are alike but for bytes that no text
// has are one series, that of the first.
func Write[From any](w io.Writer, families []Metric[From], from From) error {
	kind := dto.MetricType_GAUGE
	for _, m := range families {
		family := &dto.MetricFamily{Name: &m.Name, Help: &m.Help, Type: &kind}
		if m.Unit != "" {
			family.Unit = &m.Unit
		}
		seen := map[string]bool{}
		m.Samples(from, func(value float64, labels ...string) {
			sample := &dto.Metric{Gauge: &dto.Gauge{Value: &value}}
			for i := range labels {
				labels[i] = legible(labels[i])
				sample.Label = append(sample.Label, &dto.LabelPair{Name: &m.Labels[i], Value: &labels[i]})
			}
			if series := strings.Join(labels, "\x00"); !seen[series] {
				seen[series] = true
				family.Metric = append(family.Metric, sample)
			}
		})
		if len(family.Metric) == 0 {
			continue
		}
		if _, err := expfmt.MetricFamilyToOpenMetrics(w, family, expfmt.WithUnit()); err != nil {
			return err
		}
	}
	_, err := expfmt.FinalizeOpenMetrics(w)
	return err
}

// legible returns a label without bytes that are no text, which would make all of it
// unreadable, and without control characters.
func legible(label string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(label, string(unicode.ReplacementChar)))
}
