package dump

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/workshop"
)

// The manual collects by hand what a live site is asked.
func TestByHand(t *testing.T) {
	var asked []string
	for _, c := range commands {
		asked = append(asked, strings.Join(c.words, " ")+" > "+c.name)
	}
	workshop.ByHand(t, "Slurm", asked)
}

// A site whose sacctmgr does not know a column that is asked for is asked for those that it prints by itself.
func TestUnknownColumn(t *testing.T) {
	const qos = "Name|Priority|MaxWall\nnormal|0|\n"
	run := func(_ context.Context, words []string) ([]byte, error) {
		switch line := strings.Join(words, " "); {
		case strings.Contains(line, "format="):
			return nil, errors.New("unknown field 'MinPrioThres'")
		case line == "sacctmgr -P show qos":
			return []byte(qos), nil
		}
		return nil, nil
	}
	d, err := Ask(context.Background(), run, time.Now, ForAll)
	if err != nil {
		t.Fatal(err)
	}
	if d.Text("qos.txt") != qos || len(d.Remarks) > 0 || !strings.Contains(d.Text(commandsName), "rc=0 qos.txt: sacctmgr -P show qos\n") {
		t.Errorf("%q, %v\n%s", d.Text("qos.txt"), d.Remarks, d.Text(commandsName))
	}
}
