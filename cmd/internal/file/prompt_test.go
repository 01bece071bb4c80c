package file

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// plainText returns what Plain makes of a text that comes in pieces.
func plainText(t *testing.T, r io.Reader) string {
	t.Helper()
	plain, err := Plain(r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(plain)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Prompts above and below a text are passed over, whatever its length, and what is above keeps the numbers of the lines.
func TestPrompts(t *testing.T) {
	above := []string{"[sofia@login ~]$ sacct -u sofia\n", "(base) sofia@login:~/my runs$ sacct -P\n", "# sacct\n", "% qstat -f\n", "❯ squeue\n", "[root@c1 slurm]# scontrol show job\n",
		"\n[kim@login1 ~]$ module load pbs\n\n[kim@login1 ~]$ TZ=UTC sudo /opt/pbs/bin/qstat -xf 7\n", "PS C:\\Users\\kim> squeue\n",
		"Every 2.0s: squeue -u sofia             login1: Mon Sep 14 13:58:01 2026\n\n", "Mon Sep 14 13:58:01 UTC 2026\n", "[kim@login1 ~]$ date; qstat\nMon 14 Sep 2026 01:58:01 PM UTC\n\n"}
	below := []string{"[sofia@login ~]$ ", "sofia@login:~$ exit\n", "$\n", "%", "[sofia@login ~]$ \n[sofia@login ~]$ logout\n\n", "#"}
	for _, lines := range []int{1, 40, 150, 1000, 1638, 1639, 4000} {
		var text strings.Builder
		for i := range lines {
			fmt.Fprintf(&text, "line %d of a print with a $ sign\n", i)
		}
		for i, a := range above {
			for j, b := range below {
				whole := a + text.String() + b
				if i == 0 && j == 0 {
					whole = text.String()
					a = ""
				}
				want := strings.Repeat("\n", strings.Count(a, "\n")) + text.String()
				for name, r := range map[string]io.Reader{"whole": strings.NewReader(whole), "in halves": iotest.HalfReader(strings.NewReader(whole)), "with its end": iotest.DataErrReader(strings.NewReader(whole))} {
					if got := plainText(t, r); got != want {
						t.Fatalf("%d lines between %q and %q, %s: %d bytes, want %d", lines, a, b, name, len(got), len(want))
					}
				}
			}
		}
	}
}

// What only looks like a prompt is a part of the text.
func TestNoPrompts(t *testing.T) {
	for _, text := range []string{
		"#!/bin/sh\nsacct\n", "# comment\nClusterName=a\n", "#\n# Create queues\n#\ncreate queue a\n", "JobID|JobName\n7|a$ sacct\n", "11/03/2026 00:00:00;S;7;jobname=> qstat\n",
		`{"Job_Name": "a > qstat"}` + "\n", "a,b > sacct\n", "Job Id: 7.srv\n    Job_Name = a$ b\n", "JobID        State\n------- ----------\n7        COMPLETED\n8        % FAILED\n",
		"7 sofia@login $\n8 x\n", "[\n]\n", "$", "[sofia@login ~]$ sacct", "u 7 root 40%\n", "[a]\nb=1 #\n", "x\n[1-5]%2\n", "(ncpus\n% 4)\n", "(ncpus\n> 4)\n", "Mon|14:00|x\n", "Sun, 4 of 16:00 {a}\n", "Monitor 10:00\n",
	} {
		if got := plainText(t, strings.NewReader(text)); got != text {
			t.Errorf("%q is read as %q", text, got)
		}
	}
}

// An error that ends a stream is told behind what comes before it.
func TestPromptsBeforeAnError(t *testing.T) {
	text := "[sofia@login ~]$ sacct\n" + strings.Repeat("x\n", 100_000)
	plain, err := Plain(io.MultiReader(strings.NewReader(text), iotest.ErrReader(io.ErrUnexpectedEOF)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(plain)
	if err != io.ErrUnexpectedEOF || len(got) != 200_001 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// A record is read as it is, without a second buffer.
func TestRecordsAreNoPrints(t *testing.T) {
	text := []byte(strings.Repeat("11/03/2026 00:00:00;S;7;user=a\n", 10_000) + "[sofia@login ~]$ ")
	if got := plainText(t, bytes.NewReader(text)); len(got) != len(text) {
		t.Errorf("%d of %d bytes", len(got), len(text))
	}
}

// What is told without a pattern to be no prompt is none by the patterns.
func TestMayBePrompt(t *testing.T) {
	parts := strings.Split("$|#|%|>|❯|=|\"|;|{|}|,|[|]|(base) |kim@login:~|[kim@login ~]|kim|@|~| |\t|\n|a=1|é|sudo|/opt/|sacct|qstat|exit|PS C:\\|0", "|")
	parts = append(parts, "|")
	draws := rand.New(rand.NewPCG(1, 2))
	prompts := 0
	for range 200_000 {
		var text strings.Builder
		for range 1 + draws.IntN(6) {
			text.WriteString(parts[draws.IntN(len(parts))])
		}
		line := []byte(text.String())
		is := isPrompt(line)
		if is {
			prompts++
		}
		if (is || lastPrompt().Match(line)) && !mayBePrompt(line) {
			t.Fatalf("%q is a prompt", line)
		}
	}
	if prompts < 1000 {
		t.Errorf("%d prompts of all lines", prompts)
	}
}
