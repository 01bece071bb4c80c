package sacct

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/trace"
)

// Tables of two clusters are refused in each pair of forms that tells it, those of one cluster in none, and neither are those with a number that
// came again or with the column Cluster.
func TestStrangers(t *testing.T) {
	clusters := [2][][3]string{
		{{"eva", "long-name-1", "batch"}, {"ben", "range", "gpu"}, {"dan", "k5", "batch"}, {"eva", "k6", "short"}},
		{{"ivan", "j56", "main"}, {"gina", "j57", "wide"}, {"alice", "j58", "main"}, {"ivan", "j59", "main"}},
	}
	forms := map[string]func(cluster, i int) string{
		"JobID|JobName|Partition|State": func(c, i int) string {
			return fmt.Sprintf("%d|%s|%s|COMPLETED", 100+i, clusters[c][i][1], clusters[c][i][2])
		},
		"JobID|User|State|Submit|Start|End": func(c, i int) string {
			return fmt.Sprintf("%d|%s|COMPLETED|2026-0%d-02T10:00:0%[4]d|2026-0%[3]d-02T11:00:00|2026-0%[3]d-02T12:00:00", 100+i, clusters[c][i][0], 3+c, i)
		},
		"JobID|User|JobName|Partition|State|Submit|Start|End": func(c, i int) string {
			return fmt.Sprintf("%d|%s|%s|%s|COMPLETED|2026-0%d-02T10:00:0%[6]d|2026-0%[5]d-02T11:00:00|2026-0%[5]d-02T12:00:00", 100+i, clusters[c][i][0], clusters[c][i][1], clusters[c][i][2], 3+c, i)
		},
	}
	table := func(name, form string, cluster int, own string) file.Source {
		text := form
		if own != "" {
			text += "|Cluster"
		}
		for i := range clusters[cluster] {
			if text += "\n" + forms[form](cluster, i); own != "" {
				text += "|" + own
			}
		}
		return file.Source{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text + "\n")), nil }}
	}
	read := func(tables ...file.Source) error {
		_, err := readTrace(tables, time.UTC, trace.Keep{}, true)
		return err
	}
	for first := range forms {
		for second := range forms {
			tells := strings.Contains(first, "User") == strings.Contains(second, "User") || strings.Contains(first+second, "User|JobName") && strings.Contains(first, "JobName") && strings.Contains(second, "JobName") || strings.Contains(first, "User|") && strings.Contains(second, "User|")
			err := read(table("a", first, 0, ""), table("b", second, 1, ""))
			var strangers *StrangersError
			if errors.As(err, &strangers) != tells || tells && (strangers.First != "a" || strangers.Second != "b" || len(strangers.Jobs) != 4) {
				t.Errorf("%s and %s of two clusters: %v", first, second, err)
			}
			if err := read(table("a", first, 0, ""), table("b", second, 0, "")); err != nil {
				t.Errorf("%s and %s of one cluster: %v", first, second, err)
			}
			if err := read(table("a", first, 0, "atlas"), table("b", second, 1, "hpc")); err != nil {
				t.Errorf("%s and %s that name two clusters: %v", first, second, err)
			}
		}
	}
	again := clusters[0][1]
	clusters[1] = append([][3]string{}, clusters[0]...)
	clusters[1][1] = [3]string{"gina", "j57", "wide"}
	const form = "JobID|User|JobName|Partition|State|Submit|Start|End"
	if err := read(table("a", form, 0, ""), table("b", form, 1, "")); err != nil {
		t.Errorf("the number of %v came again: %v", again, err)
	}
}
