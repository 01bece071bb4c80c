package cli

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// said is a line of standard error that is of what was computed.
var said = regexp.MustCompile(`(?m)^formula: (note|warning): (.+)$`)

// remark is one on a page.
var remark = regexp.MustCompile(`<p class="note remark">(.*?)</p>`)

// The page of a replay says all that the terminal does: each note and each warning.
func TestPageSaysAll(t *testing.T) {
	const replays, slurm = "../../../testdata/replay/", "../../../testdata/slurm-replay/S3a/"
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	log := func(id, cpus int, day string) string {
		const second = 1772434800
		attributes := fmt.Sprintf("user=u group=g queue=a ctime=%d qtime=%d etime=%d start=%d Resource_List.ncpus=%d Resource_List.select=1:ncpus=%d", second, second, second, second, cpus, cpus)
		return fmt.Sprintf("%s 07:00:00;S;%d.s;%s\n%s 07:10:00;E;%d.s;%s end=%d\n", day, id, attributes, day, id, attributes, second+600)
	}
	logs := write("logs", log(1, 4, "03/02/2026")+"03/02/2026 07:20:00;Q;2.s;user=<i>u</i> group=g queue=a ctime=1772436000 qtime=1772436000 etime=1772436000 Resource_List.ncpus=8 Resource_List.select=1:ncpus=8\nnothing of <PBS> & more\n03/04/2026 07:00:00;Q;3.s;user=u queue=a\n")
	cut := write("cut.gz", read(replays + "L1/snapshot/server_priv/accounting/20260303.gz")[:20000])
	for _, row := range []struct {
		name string
		args []string
		want []string // what is said among others
	}{
		{"a site without usage", []string{replays + "P2/snapshot", "--set", "server.backfill_depth=2"}, []string{"what logs do not tell", "(--usage FILE: "}},
		{"another tree", []string{replays + "A/snapshot", "--sched-priv", replays + "P2/snapshot/sched_priv"}, []string{"the tree and sched_config of policy 1 are those of"}},
		{"what changes nothing", []string{replays + "A/snapshot", "--set", "sched.strict_ordering=false", "--set", "server.backfill_depth=2"}, []string{"changes nothing while"}},
		{"a formula that fails", []string{replays + "A/snapshot", "--usage", replays + "A/usage.begin", "-f", "ncpus/0"}, []string{"the formula failed"}},
		{"damaged logs", []string{logs, "--cluster", "2x4", "--no-formula"}, []string{"without a sched_priv", "there is no log of 2026-03-03", "there is no semicolon in it", "cannot run on its cluster"}},
		{"a Slurm site", []string{slurm + "site.tgz", slurm + "sacct.txt.gz", "--set", "qos.normal.MaxTRESPU=cpu=48", "--set", "bf_interval=30"}, []string{"9 jobs had not ended", "placement is that of select/cons_tres", "bf_interval=30 changes nothing", "never started: 1 job under policy 1; 8 under policy 2"}},
		{"logs that are cut off", []string{replays + "L1/snapshot", cut, "--usage", replays + "L1/usage.begin"}, []string{"cannot be read from here on"}},
	} {
		page := filepath.Join(dir, "page.html")
		var stdout, stderr bytes.Buffer
		if code := run(append([]string{"replay", "--notes", "--tz", "UTC", "--html", page}, row.args...), strings.NewReader(""), &stdout, &stderr); code != exitFine && code != exitPartly && code != exitUnreadable {
			t.Errorf("%s: status %d: %s", row.name, code, stderr.String())
			continue
		}
		var remarks []string
		for _, found := range remark.FindAllStringSubmatch(read(page), -1) {
			remarks = append(remarks, html.UnescapeString(found[1]))
		}
		for _, part := range row.want {
			if !strings.Contains(stderr.String(), part) {
				t.Errorf("%s: %q is not said:\n%s", row.name, part, stderr.String())
			}
		}
		for _, line := range said.FindAllStringSubmatch(stderr.String(), -1) {
			if strings.HasPrefix(line[2], "the page is in ") {
				continue // which it cannot say of itself
			}
			sentence := line[2] + "." // which begins with a capital, unless a name does not
			if !slices.ContainsFunc(remarks, func(of string) bool { return strings.EqualFold(of, sentence) }) {
				t.Errorf("%s: the page does not say %q but %q", row.name, sentence, remarks)
			}
		}
	}
}
