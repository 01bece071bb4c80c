package conformance

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/lab"
)

// replayed is what a page shows of a replay.
type replayed struct {
	Jobs    [][]any  `json:"jobs"`
	Names   []string `json:"names"`
	remarks []string
}

// A replay in the lab has the waits that formula replay has of the same logs, and the lab says all that it says, on the page
// of the replay or when it begins, whatever the scheduler reads.
func TestLabReplays(t *testing.T) {
	t.Parallel()
	for i := 0; i < len(otherValues); i += stepOfValues() {
		o := otherValues[i]
		site := newSmallSite()
		site.edit(o.beside)
		site.edit(o.edit)
		dir := site.write(t, fmt.Sprint("labreplay", i))
		t.Run(o.of+" "+o.name, func(t *testing.T) {
			of, said := openLab(t, "", dir)
			var about struct {
				Formula string `json:"in_force"`
			}
			of.ask(t, "site", lab.Request{}, &about)
			const changed = "ncpus"
			in := of.replay(t, lab.State{Formula: changed})
			file := filepath.Join(t.TempDir(), "page.html")
			a := ask("replay", dir, "-f", changed, "--html", file, "-o", "csv")
			text, err := os.ReadFile(file)
			if err != nil {
				if in.problem == "" {
					t.Fatalf("the lab replays what formula replay does not: %s", a.said)
				}
				return
			}
			if in.problem != "" {
				t.Fatalf("the lab: %s", in.problem)
			}
			is, want := replayOf(t, in.page), replayOf(t, string(text))
			if fmt.Sprint(is.Jobs, is.Names) != fmt.Sprint(want.Jobs, want.Names) {
				t.Errorf("other waits in the lab: %v, and %v", is.Jobs, want.Jobs)
			}
			for _, remark := range want.remarks {
				text := remark[1 : len(remark)-1]            // which begins and ends like a sentence on the page
				if strings.HasPrefix(remark, "Read from ") { // which the head of the lab says
					continue
				}
				if !slices.Contains(is.remarks, remark) && !strings.Contains(said.String(), text) && !strings.Contains(html.UnescapeString(in.page), remark) { // its head says some
					t.Errorf("the lab does not say: %s\nbut: %q", remark, is.remarks)
				}
			}
		})
	}
}

// labReplay is the page of a replay in a lab, or what keeps it from one.
type labReplay struct{ page, problem string }

// replay replays a state, and waits for the end of it.
func (p page) replay(t testing.TB, state lab.State) labReplay {
	var begun struct{ ID, Problem string }
	p.ask(t, "replay", lab.Request{Query: lab.Query{State: state}}, &begun)
	if begun.Problem != "" {
		return labReplay{problem: begun.Problem}
	}
	var now lab.Work
	for !now.IsDone {
		p.ask(t, "progress", lab.Request{ID: begun.ID}, &now)
		time.Sleep(5 * time.Millisecond)
	}
	if now.Error != "" {
		return labReplay{problem: now.Error}
	}
	response, err := http.Get(string(p) + "report/" + begun.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return labReplay{page: string(text)}
}

// replayOf returns what a page shows of a replay.
func replayOf(t testing.TB, page string) replayed {
	_, data, _ := strings.Cut(page, `<script type="application/json" id="data">`)
	data, _, _ = strings.Cut(data, "</script>")
	var of struct{ Replay replayed }
	if err := json.Unmarshal([]byte(data), &of); err != nil {
		t.Fatalf("%v\n%.300s", err, data)
	}
	for _, found := range remarkOfPage.FindAllStringSubmatch(page, -1) {
		of.Replay.remarks = append(of.Replay.remarks, html.UnescapeString(found[1]))
	}
	return of.Replay
}

var remarkOfPage = regexp.MustCompile(`<p class="note remark">(.*?)</p>`)
