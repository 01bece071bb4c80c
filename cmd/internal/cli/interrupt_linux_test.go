package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"fairshare/cmd/internal/workshop"
)

// terminal returns a terminal to write to, and what returns all that was written once it is closed.
func terminal(t *testing.T) (*os.File, func() string) {
	t.Helper()
	host, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(host.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(host.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	guest, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	var group sync.WaitGroup
	group.Go(func() { io.Copy(&said, host) }) // until the last guest is closed
	return guest, func() string {
		guest.Close()
		group.Wait()
		host.Close()
		return said.String()
	}
}

// never is where nothing is interrupted that is not.
const never = -1

// percents finds what progress shows.
var percents = regexp.MustCompile(`\r\x1b\[Kformula: (\d+) % done: \d+ of \d+ ([a-z ]+)`)

// long is what takes long, and what it says that is left of it where somebody interrupts; "" where nothing of it is whole
// before all is.
var long = []struct{ args, counts, says string }{
	{"replay SITE --tz UTC --runs 12 -f ncpus", "runs", `interrupted: policy [12] has been replayed \d+ of 12 times|interrupted: all figures are of the time until`},
	{"replay SITE --tz UTC --runs 12 -f ncpus -o json", "runs", `interrupted: policy [12] has been replayed \d+ of 12 times|interrupted: all figures are of the time until`},
	{"replay SITE --tz UTC --runs 12 -f ncpus --html PAGE", "runs", `interrupted: policy [12] has been replayed \d+ of 12 times|interrupted: all figures are of the time until`},
	{"replay SLURM --tz UTC --runs 6 --set PriorityWeightAge=5", "runs", `interrupted: policy [12] has been replayed \d+ of 6 times|interrupted: all figures are of the time until`},
	{"replay SITE --tz UTC -f W*ncpus --vary W=1:12:1", "rows", `interrupted: the \d+ of 1[23] rows that were whole are printed`},
	{"replay SITE --tz UTC --calibrate", "settings", `interrupted: \d+ of \d+ settings were judged`},
	{"witness SITE --tz UTC", "events of the record", `interrupted: judged are the \d+ recorded starts until|interrupted, before anything was whole`},
	{"witness SLURM --tz UTC -o json", "events of the record", `interrupted: judged are the \d+ recorded starts until|interrupted, before anything was whole`},
	{"witness SITE --tz UTC -o csv", "events of the record", `interrupted: printed are the starts that were judged by then`},
	{"when NOW --tz UTC --runs 20", "runs", `interrupted: the forecasts are made of \d+ of 20 runs`},
	{"when NOW --tz UTC --runs 20 -o json", "runs", `interrupted: the forecasts are made of \d+ of 20 runs`},
	{"when NOW --tz UTC --runs 20 --html PAGE", "runs", `interrupted: the forecasts are made of \d+ of 20 runs`},
	{"when NOW 142 --tz UTC --runs 8 --try walltime=600 --try ncpus=2 --notes", "runs", `interrupted: \d of 2 changes were tried`},
	{"when SITE --tz UTC --check --runs 2", "moments of the past", `interrupted: the forecasts of the past are of the first \d+ of \d+ moments|interrupted, before anything was whole`},
	{"history DAYS --tz UTC", "logs", `interrupted: \d+ % of the logs were read|interrupted, before anything was whole`},
}

// What takes long shows in a terminal how far it is, from 0 to 100 once, and keeps what is done where somebody
// interrupts: it prints that, and says of how many runs it is, and the status is 4. A plain run interrupts each at one of the places, the next
// one at another, and asks to the end what is not another form of the one before.
func TestInterruptedInTerminal(t *testing.T) {
	const testdata = "../../../testdata/"
	places := strings.NewReplacer("SITE", testdata+"replay/P6/snapshot", "DAYS", testdata+"replay/L1/snapshot",
		"SLURM", testdata+"slurm-replay/S2a/site.tgz "+testdata+"slurm-replay/S2a/sacct.txt.gz", "NOW", testdata+"moments/snapshot_20260302_14_45_00.tgz")
	ats := []int{1, 45, 85}
	for i, l := range long {
		asked := []int{ats[i%len(ats)]}
		if i == 0 || l.counts != long[i-1].counts || subject(l.args) != subject(long[i-1].args) {
			asked = append(asked, never)
		}
		if workshop.TestsAll() {
			asked = append(ats, never)
		}
		for _, at := range asked {
			t.Run(l.args+" at "+strconv.Itoa(at), func(t *testing.T) {
				page := filepath.Join(t.TempDir(), "page.html")
				args := strings.Fields(strings.ReplaceAll(places.Replace(l.args), "PAGE", page))
				ctx, interrupt := context.WithCancel(context.Background())
				defer interrupt()
				stderr, said := terminal(t)
				var stdout bytes.Buffer
				isDone := false
				code := Run(ctx, args, Config{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: stderr, Watch: func(percent int) {
					if at >= 0 && percent >= at && percent < 100 && !isDone {
						isDone = true
						interrupt()
					}
				}})
				told := said()
				checkProgress(t, told, l.counts, at < 0)
				switch {
				case at < 0 && (code > exitPartly || stdout.Len() == 0 && !strings.Contains(l.args, "PAGE")):
					t.Errorf("status %d: %s\n%s", code, told, stdout.String())
				case at < 0 || !isDone:
					return
				case at > 80 && code <= exitPartly && strings.Contains(told, "100 % done"): // the last of it was quicker than the interrupt
				case code != exitUnreadable:
					t.Errorf("status %d: %s", code, told)
				case !regexp.MustCompile(l.says).MatchString(told):
					t.Errorf("it does not say %q:\n%s", l.says, told)
				case strings.Contains(told, "context canceled"):
					t.Error(told)
				}
				if !strings.Contains(told, "before anything was whole") && strings.Contains(l.args, "PAGE") {
					checkPage(t, page)
				}
			})
		}
	}
}

// subject returns which command asks of what.
func subject(args string) string {
	of, _, _ := strings.Cut(args, " --")
	return of
}

// checkProgress checks that the percents that were shown rise to 100, where nobody interrupts, and that what they count
// is named.
func checkProgress(t *testing.T, told, counts string, isWhole bool) {
	t.Helper()
	last, isCounted := -1, false
	for _, m := range percents.FindAllStringSubmatch(told, -1) {
		percent, _ := strconv.Atoi(m[1])
		if percent <= last {
			t.Errorf("%d %% after %d %%", percent, last)
		}
		last, isCounted = percent, isCounted || strings.HasPrefix(m[2], counts)
	}
	if isWhole && (last != 100 || !isCounted) {
		t.Errorf("the progress ends at %d %%, and counts no %s: %q", last, counts, told)
	}
}

// checkPage checks that a page says of how many runs it is.
func checkPage(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`\d+ of (12|20) runs|replayed until`).Match(text) {
		t.Error("the page does not say of how many runs it is")
	}
}
