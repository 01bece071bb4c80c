// Command makejobs writes a job list of any length to standard output, as
// qstat -f prints it, and on request a sched_priv to go with it: input for
// measuring how fast lists are sorted.
//
//	go run ./cmd/internal/workshop/makejobs -jobs 100000 -priv /tmp/priv >/tmp/jobs.json
//	formula sort -f 'fairshare_factor*1000+ncpus' --sched-priv /tmp/priv -o ids </tmp/jobs.json
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const users = 1000

func main() {
	jobs := flag.Int("jobs", 100_000, "how many jobs")
	format := flag.String("format", "json", "json, text or dsv")
	priv := flag.String("priv", "", "also write a sched_priv into this directory")
	flag.Parse()
	if err := run(*jobs, *format, *priv); err != nil {
		fmt.Fprintln(os.Stderr, "makejobs:", err)
		os.Exit(1)
	}
}

func run(jobs int, format, priv string) error {
	if priv != "" {
		if err := writePriv(priv); err != nil {
			return err
		}
	}
	write, ok := map[string]func(io.Writer, int, []attribute){"json": writeJSON, "text": writeText, "dsv": writeDSV}[format]
	if !ok {
		return fmt.Errorf("no format %q", format)
	}
	w := bufio.NewWriterSize(os.Stdout, 1<<20)
	if format == "json" {
		fmt.Fprint(w, "{\n\t\"timestamp\":\t1795259069,\n\t\"pbs_version\":\t\"23.06.06\",\n\t\"pbs_server\":\t\"pbs\",\n\t\"Jobs\":\t{\n")
	}
	for i := range jobs {
		if format == "json" && i > 0 {
			fmt.Fprint(w, ",\n")
		}
		write(w, i, attributes(i))
	}
	if format == "json" {
		fmt.Fprint(w, "\n\t}\n}\n")
	}
	return w.Flush()
}

// attribute is a name with its value; a bare value is a number in JSON.
type attribute struct {
	name, value string
	bare        bool
}

// random is a number that depends on the job and the purpose only.
func random(i, purpose, below int) int {
	x := uint64(i)*0x9e3779b97f4a7c15 + uint64(purpose)*0xbf58476d1ce4e5b9
	x ^= x >> 29
	x *= 0x94d049bb133111eb
	x ^= x >> 32
	return int(x % uint64(below))
}

func attributes(i int) []attribute {
	user := fmt.Sprint("user", random(i, 1, users))
	queue := []string{"workq", "highq", "lowq", "gpuq"}[random(i, 2, 4)]
	ncpus := fmt.Sprint(1 << random(i, 3, 8))
	mem := fmt.Sprint(1+random(i, 4, 512), "gb")
	date := fmt.Sprintf("Sat Nov 21 %02d:%02d:%02d 2026", random(i, 5, 24), random(i, 6, 60), random(i, 7, 60))
	variables := "PBS_O_HOME=/home/" + user + ",PBS_O_LANG=en_US.UTF-8,PBS_O_LOGNAME=" + user +
		",PBS_O_PATH=/opt/pbs/bin:/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin" + strings.Repeat(":/opt/software/module/bin", 12) +
		",PBS_O_SHELL=/bin/bash,PBS_O_WORKDIR=/scratch/" + user + "/project/run" + fmt.Sprint(i) + ",PBS_O_SYSTEM=Linux,PBS_O_QUEUE=" + queue + ",PBS_O_HOST=login1"
	return []attribute{
		{"Job_Name", fmt.Sprint("run", i), false}, {"Job_Owner", user + "@login1", false}, {"job_state", "Q", false},
		{"queue", queue, false}, {"server", "pbs", false}, {"Account_Name", "project" + fmt.Sprint(random(i, 8, 90)), false},
		{"Checkpoint", "u", false}, {"ctime", date, false}, {"Error_Path", "login1:/scratch/" + user + "/run.e" + fmt.Sprint(i), false},
		{"Hold_Types", "n", false}, {"Join_Path", "n", false}, {"Keep_Files", "n", false}, {"Mail_Points", "a", false},
		{"mtime", date, false}, {"Output_Path", "login1:/scratch/" + user + "/run.o" + fmt.Sprint(i), false},
		{"Priority", fmt.Sprint(random(i, 9, 2047) - 1023), true}, {"qtime", date, false}, {"Rerunable", "True", false},
		{"Resource_List.mem", mem, false}, {"Resource_List.ncpus", ncpus, true}, {"Resource_List.nodect", "1", true},
		{"Resource_List.place", "pack", false}, {"Resource_List.select", "1:ncpus=" + ncpus + ":mem=" + mem, false},
		{"Resource_List.walltime", fmt.Sprintf("%02d:%02d:00", random(i, 10, 72), random(i, 11, 60)), false},
		{"schedselect", "1:ncpus=" + ncpus + ":mem=" + mem, false}, {"substate", "10", true}, {"Variable_List", variables, false},
		{"euser", user, false}, {"egroup", "group" + fmt.Sprint(random(i, 12, 40)), false}, {"queue_rank", fmt.Sprint(1795259069000000 + int64(i)), true},
		{"queue_type", "E", false}, {"comment", "Not Running: Insufficient amount of resource: ncpus (R: " + ncpus + " A: 0 T: 4096)", false},
		{"etime", date, false}, {"eligible_time", fmt.Sprintf("%02d:%02d:%02d", random(i, 13, 90), random(i, 14, 60), random(i, 15, 60)), false},
		{"accrue_type", "2", true}, {"Submit_arguments", "-q " + queue + " -l select=1:ncpus=" + ncpus + ":mem=" + mem + " run.sh", false},
		{"project", "_pbs_project_default", false}, {"Submit_Host", "login1", false},
	}
}

func writeJSON(w io.Writer, i int, list []attribute) {
	fmt.Fprintf(w, "\t\t\"%d.pbs\":\t{\n", i)
	group := ""
	for k, a := range list {
		name := a.name
		resource, isResource := strings.CutPrefix(name, "Resource_List.")
		indent := "\t\t\t"
		if isResource {
			if group == "" {
				fmt.Fprint(w, "\t\t\t\"Resource_List\":\t{\n")
			}
			group, name, indent = "Resource_List", resource, "\t\t\t\t"
		}
		value := a.value
		if !a.bare {
			value = `"` + value + `"`
		}
		last := k+1 == len(list)
		ends := isResource && !strings.HasPrefix(list[k+1].name, "Resource_List.")
		comma := ","
		if last || ends {
			comma = ""
		}
		if name == "Variable_List" {
			fmt.Fprint(w, "\t\t\t\"Variable_List\":\t{\n")
			parts := strings.Split(a.value, ",")
			for n, part := range parts {
				key, v, _ := strings.Cut(part, "=")
				fmt.Fprintf(w, "\t\t\t\t\"%s\":\t\"%s\"", key, v)
				if n+1 < len(parts) {
					fmt.Fprint(w, ",")
				}
				fmt.Fprint(w, "\n")
			}
			fmt.Fprint(w, "\t\t\t},\n")
			continue
		}
		fmt.Fprintf(w, "%s\"%s\":\t%s%s\n", indent, name, value, comma)
		if ends {
			fmt.Fprint(w, "\t\t\t},\n")
			group = ""
		}
	}
	fmt.Fprint(w, "\t\t}")
}

func writeText(w io.Writer, i int, list []attribute) {
	fmt.Fprintf(w, "Job Id: %d.pbs\n", i)
	for _, a := range list {
		line := "    " + a.name + " = " + a.value
		for len(line) > 79 { // qstat folds lines, mostly at commas
			at := strings.LastIndexByte(line[:79], ',') + 1
			if at < 10 {
				at = 79
			}
			fmt.Fprintln(w, line[:at])
			line = "\t" + line[at:]
		}
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
}

func writeDSV(w io.Writer, i int, list []attribute) {
	fmt.Fprintf(w, "Job Id: %d.pbs", i)
	for _, a := range list {
		fmt.Fprintf(w, "|%s=%s", a.name, a.value)
	}
	fmt.Fprintln(w)
}

func writePriv(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var groups strings.Builder
	for g := range 20 {
		fmt.Fprintf(&groups, "group%d %d root %d\n", g, g+2, g+1)
	}
	for u := range users {
		fmt.Fprintf(&groups, "user%d %d group%d %d\n", u, u+100, u%20, u%7+1)
	}
	for name, text := range map[string]string{
		"resource_group": groups.String(),
		"sched_config":   "fair_share: true ALL\nfairshare_usage_res: ncpus*walltime\nunknown_shares: 10\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
