package dump

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm"
)

// printsOf returns the texts that a recorded site has printed, by their names.
func printsOf(t *testing.T, name string) map[string]string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	packed, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for members := tar.NewReader(packed); ; {
		h, err := members.Next()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(members)
		if err != nil {
			t.Fatal(err)
		}
		texts[path.Base(h.Name)] = string(text)
	}
}

// Each print that is read by itself is read below and above each other print, also of commands of which nothing is read, with a blank line or
// the error of a command in between.
func TestPairsOfPrints(t *testing.T) {
	texts := printsOf(t, "../../../../testdata/slurm-site/t2_busy.tgz")
	const most = 50 << 10 // bytes of a print of a pair, of which there are many
	for name, text := range map[string]string{
		"squeue -l":     "Mon Sep 14 13:58:41 2026\n             JOBID PARTITION     NAME     USER    STATE       TIME TIME_LIMI  NODES NODELIST(REASON)\n               186  scavenge  olascav      ola  PENDING       0:00   1:00:00      1 (Priority)\n",
		"sinfo":         "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\nbatch*       up 2-00:00:00      1   resv m001\n",
		"sinfo -Nl":     "Mon Sep 14 13:58:41 2026\nNODELIST   NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE REASON              \na001           1    batch*   allocated 16      2:8:1  64000        0     10 intel,av none                \n",
		"sinfo -R":      "REASON               USER      TIMESTAMP           NODELIST\n",
		"sinfo -o":      "NODELIST|PARTITION|STATE|CPUS(A/I/O/T)|MEMORY|FREE_MEM|CPU_LOAD|GRES|AVAIL_FEATURES|WEIGHT|REASON\na001|batch*|alloc|16/0/0/16|64000|18560|4.91|(null)|intel,avx2,ib|10|none\n",
		"sinfo -o %all": "AVAIL|ACTIVE_FEATURES|CPUS|TMP_DISK|FREE_MEM|AVAIL_FEATURES|GROUPS|OVERSUBSCRIBE|PARTITION|NODELIST\nup|intel|16|0|18560|intel|all|NO|batch|a001\n",
		"sacct":         "JobID           JobName  Partition    Account  AllocCPUS      State ExitCode \n------------ ---------- ---------- ---------- ---------- ---------- -------- \n6                    k5      batch      astro          8  COMPLETED      0:0 \n",
		"sreport":       strings.Repeat("-", 80) + "\nCluster/Account/User Utilization 2026-09-14T00:00:00 - 2026-09-14T13:59:59 (50400 secs)\nUsage reported in CPU Minutes\n" + strings.Repeat("-", 80) + "\n  Cluster         Account     Login     Proper Name     Used   Energy \n",
	} {
		texts[name] = text
	}
	var names []string
	isOdd := map[string]bool{} // those of which nothing is read
	for name, text := range texts {
		k := KindOf(text)
		if text == "" || len(text) > most || slurm.IsJSON(text) || strings.HasSuffix(name, ".conf") || strings.HasSuffix(name, ".cfg") || k == KindDenied {
			continue
		}
		if isOdd[name] = k == KindUnknown || k == KindUnread; isOdd[name] && !(isStrange(text) || isUnreadSacct(text)) {
			continue // notes, and lists of sacctmgr that are asked for nothing
		}
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) < 20 {
		t.Fatalf("%d prints: %v", len(names), names)
	}
	errorLine := "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n"
	for _, name := range names {
		if cuts := pasted(KindOf(texts[name]), texts[name]); cuts != nil {
			t.Errorf("%s is one print, and is cut at %d", name, cuts)
		}
	}
	pairs := 0
	for i, a := range names {
		for k, b := range names {
			if a == b || KindOf(texts[a]) == KindOf(texts[b]) || isOdd[a] && isOdd[b] {
				continue
			}
			pairs++
			between := []string{"", "\n", errorLine}[(i+k)%3]
			text := strings.TrimRight(texts[a], "\n") + "\n" + between + texts[b]
			cuts := append([]int{0}, pasted(KindOf(text), text)...)
			for _, name := range []string{a, b} {
				if isOdd[name] {
					continue
				}
				isFound := false
				for at, begin := range cuts {
					piece := strings.TrimPrefix(text[begin:append(cuts, len(text))[at+1]], errorLine) // which who reads it passes over
					isFound = isFound || KindOf(piece) == KindOf(texts[name]) && strings.TrimSpace(piece) == strings.TrimSpace(texts[name])
				}
				if !isFound {
					t.Errorf("%s, %q, %s: %s is not read as it is by itself", a, between, b, name)
				}
			}
		}
	}
	t.Logf("%d prints, %d pairs", len(names), pairs)
}
