package setup

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
)

// ofPrintAlone are what scontrol show config prints beside the settings of slurm.conf.
var ofPrintAlone = []string{"BOOT_TIME", "HASH_VAL", "MULTIPLE_SLURMD", "NEXT_JOB_ID", "SLURM_CONF", "SLURM_VERSION"}

// Nothing of the recorded sites is unknown: neither plugins and words, nor the name of any setting that scontrol show config prints.
func TestNothingUnknownAtSites(t *testing.T) {
	sites, _ := filepath.Glob("../../../../testdata/slurm-*/*/site.tgz")
	more, _ := filepath.Glob("../../../../testdata/slurm-*/*.tgz")
	seen := 0
	for _, name := range append(sites, more...) {
		tree, err := file.OpenTree(name)
		if err != nil {
			t.Fatal(err)
		}
		d, err := dump.Find(tree)
		if err != nil {
			continue
		}
		conf, _, err := d.Advised()
		if err != nil { // a site of JSON alone does not tell it
			conf.Conf = slurm.NoConf()
		}
		refused, unknown := Unknown(d.Config, d.Where)
		noQOS, noNames := UnknownNames(conf.Conf, d)
		for _, text := range slices.Concat(refused, unknown, conf.Unknown, conf.Refused, noQOS, noNames) {
			t.Errorf("%s: %s", name, text)
		}
		for _, p := range d.All(dump.KindConfig) {
			for line := range strings.Lines(p.Text) {
				key, _, ok := strings.Cut(line, " = ")
				if key = strings.TrimSpace(key); !ok || strings.Contains(key, " ") || strings.HasPrefix(key, "Priority") {
					continue
				}
				seen++
				if slices.Contains(ofPrintAlone, key) || strings.HasSuffix(key, "]") {
					continue
				}
				if c, _, _ := slurm.ParseConf(fmt.Sprintf("%s=x", key), slurm.Beside{}); strings.Contains(strings.Join(c.Refused, "\n"), "is no key") {
					t.Errorf("%s: %s", name, c.Refused)
				}
			}
		}
	}
	confs, _ := filepath.Glob("../../../../testdata/slurm-*/*/slurm.conf")
	for _, name := range confs {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if c, _, _ := slurm.ParseConf(string(text), slurm.Beside{}); len(c.Unknown)+len(c.Refused) > 0 {
			t.Errorf("%s: %s %s", name, c.Unknown, c.Refused)
		}
	}
	if len(confs) == 0 {
		t.Error("no slurm.conf is read")
	}
	if seen < 1000 {
		t.Errorf("%d settings", seen)
	}
}

func TestUnknown(t *testing.T) {
	config := map[string]string{
		"schedulertype": "sched/backfil", "selecttype": "select/cons_tre", "preempttype": "preempt/qos", "topologyplugin": "(null)",
		"schedulerparameters": "bf_windw=10,bf_interval=30,bf_max_job_test=abc,bf_continue", "preemptparameters": "strict_ordr", "preemptmode": "GANG,REQUE", "accountingstorageenforce": "associations,limts", "enforcepartlimits": "NO", "selecttypeparameters": "CR_CORE_MEMORY,CR_Cor",
	}
	at := map[string]string{"preemptmode": "line 7: "}
	refused := []string{
		"SchedulerType: sched/backfil is unknown, and slurmctld does not start with it; did you mean sched/backfill?",
		"SelectType: select/cons_tre is unknown, and slurmctld does not start with it; did you mean select/cons_tres?",
		"line 7: PreemptMode: REQUE is unknown, and slurmctld does not start with it; did you mean REQUEUE?",
		"AccountingStorageEnforce: limts is unknown, and slurmctld does not start with it; did you mean limits?",
		"SelectTypeParameters: CR_Cor is unknown, and slurmctld does not start with it; did you mean CR_Core?",
	}
	want := []string{
		"SchedulerParameters: bf_windw is unknown and has no effect here; did you mean bf_window?",
		`SchedulerParameters: bf_max_job_test needs a whole number from 1 to 1000000, not "abc": the default counts, as in slurmctld`,
		"PreemptParameters: strict_ordr is unknown and has no effect here; did you mean strict_order?",
	}
	not, of := Unknown(func(name string) string { return config[name] }, func(name string) string { return at[name] })
	if diff := cmp.Diff(refused, not) + cmp.Diff(want, of); diff != "" {
		t.Error(diff)
	}
}

// Of each setting that names a plugin or one of a few numbers, another value is said, with which daemon does not start with it.
func TestUnknownPlugins(t *testing.T) {
	never := func(string) string { return "" }
	for _, of := range plugins {
		for _, value := range []string{of.values[0] + "s", of.values[0]} {
			config := map[string]string{strings.ToLower(of.name): value}
			refused, list := Unknown(func(name string) string { return config[name] }, never)
			want := fmt.Sprintf("%s: %s is unknown, and %s does not start with it; did you mean %s?", of.name, value, of.of, of.values[0])
			if value == of.values[0] {
				want = ""
			}
			if of.of == slurm.Slurmctld {
				list, refused = refused, list
			}
			if got := strings.Join(list, "\n"); got != want || len(refused) > 0 {
				t.Errorf("%s=%s: %q, %q; want %q", of.name, value, got, refused, want)
			}
		}
	}
	for text, want := range map[string]string{
		"taskplugin=affinity,cgroup":      "",
		"taskplugin=task/affinity,foo":    "TaskPlugin: task/foo is unknown, and slurmd does not start with it; did you mean task/none?",
		"proctracktype=proctrack/cgroups": "ProctrackType: proctrack/cgroups is unknown, and slurmd does not start with it; did you mean proctrack/cgroup?",
		"returntoservice=5":               "ReturnToService: 5 is unknown and has no effect here",
		"returntoservice=2":               "",
	} {
		name, value, _ := strings.Cut(text, "=")
		_, list := Unknown(func(of string) string { return map[string]string{name: value}[of] }, never)
		if got := strings.Join(list, "\n"); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// PreemptType and PreemptMode with which slurmctld does not start together are named, and others are not (as slurmctld 22.05 does).
func TestPreemptionConflicts(t *testing.T) {
	const gang, off, none = "PreemptMode=SUSPEND needs GANG beside it", " beside PreemptType=", "without a PreemptType"
	for text, want := range map[string]string{
		"preempttype=preempt/qos;preemptmode=OFF":                "PreemptMode is OFF beside PreemptType=preempt/qos, and slurmctld does not start with both",
		"preempttype=preempt/partition_prio":                     off,
		"preempttype=preempt/qos;preemptmode=GANG":               off,
		"preempttype=preempt/none;preemptmode=REQUEUE":           none,
		"preemptmode=CANCEL":                                     none,
		"preempttype=preempt/qos;preemptmode=CANCEL,REQUEUE":     "PreemptMode=CANCEL,REQUEUE has several modes",
		"preempttype=preempt/qos;preemptmode=gang,suspend,off":   "",
		"preemptmode=SUSPEND":                                    gang,
		"preempttype=preempt/qos;preemptmode=suspend":            gang,
		"preempttype=preempt/qos;preemptmode=GANG,SUSPEND":       "",
		"preempttype=preempt/qos;preemptmode=REQUEUE,GANG":       "",
		"preempttype=preempt/none;preemptmode=GANG":              "",
		"preempttype=preempt/none;preemptmode=OFF":               "",
		"preempttype=preempt/none;preemptmode=(null)":            "",
		"preempttype=preempt/zzz;preemptmode=OFF":                "preempt/zzz is unknown",
		"preempttype=preempt/partition_prio;preemptmode=REQUEUE": "",
	} {
		config := map[string]string{}
		for setting := range strings.SplitSeq(text, ";") {
			name, value, _ := strings.Cut(setting, "=")
			config[name] = value
		}
		refused, _ := Unknown(func(name string) string { return config[name] }, func(string) string { return "" })
		if got := strings.Join(refused, "\n"); !strings.Contains(got, want) || want == "" && got != "" || len(refused) > 1 {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// SelectTypeParameters of several kinds of what jobs are given keep slurmctld from starting, and so does select/cons_res from 23.11 on,
// which is a doubt where nothing tells the version.
func TestSelectConflicts(t *testing.T) {
	const several, gone = "slurmctld takes one of CR_CPU, CR_Core and CR_Socket", "SelectType: Slurm 23.11 and later have no select/cons_res"
	for text, want := range map[string][2]string{
		"selecttypeparameters=CR_Core,CR_Socket":            {several},
		"selecttypeparameters=cr_core_memory,CR_CPU,CR_LLN": {several},
		"selecttypeparameters=CR_Core_Memory,CR_Pack_Nodes": {},
		"selecttype=select/cons_res;slurm_version=23.11.4":  {gone},
		"selecttype=select/cons_res;slurm_version=23.02.7":  {},
		"selecttype=select/cons_res":                        {"", gone},
		"selecttype=select/cons_tres;slurm_version=24.11.0": {},
	} {
		of := map[string]string{}
		for setting := range strings.SplitSeq(text, ";") {
			name, value, _ := strings.Cut(setting, "=")
			of[name] = value
		}
		config, where := func(name string) string { return of[name] }, func(string) string { return "" }
		refused, _ := Unknown(config, where)
		for i, got := range []string{strings.Join(refused, "\n"), strings.Join(Traps(slurm.NoConf(), config, where), "\n")} {
			if !strings.Contains(got, want[i]) || want[i] == "" && got != "" {
				t.Errorf("%s: %q, want %q", text, got, want[i])
			}
		}
	}
}

// Of a word that stands in a list of words twice with two values the first one counts, as in slurmctld, and that is said.
func TestWordTwice(t *testing.T) {
	for text, want := range map[string]string{
		"bf_window=60,defer,BF_window=90,bf_continue": "SchedulerParameters has bf_window twice: the first one counts, 60",
		"bf_window=60,bf_window=60":                   "",
		"bf_continue,bf_continue":                     "",
	} {
		config := func(name string) string { return map[string]string{"schedulerparameters": text}[name] }
		if _, of := Unknown(config, func(string) string { return "" }); strings.Join(of, "\n") != want {
			got := strings.Join(of, "\n")
			t.Errorf("%s: %q", text, got)
		}
		d := &dump.Dump{Name: "site"}
		d.Set("config.txt", "Configuration data as of 2026-03-02T12:00:00\nPriorityType            = priority/multifactor\nSchedulerParameters     = "+text+"\n")
		r := &reader{dump: d, setup: &sched.Setup{Conf: slurm.NoConf()}}
		r.readParameters()
		if strings.Contains(text, "window") && r.setup.Backfill.Window != 3600 {
			t.Errorf("%s: bf_window of %d s", text, r.setup.Backfill.Window)
		}
		said := ""
		for _, x := range r.remarks {
			said += x.Text
		}
		if strings.Contains(said, "twice") != (want != "") {
			t.Errorf("%s: it says %q", text, said)
		}
	}
}

// Settings that have no effect beside others are named, and those that have one are not.
func TestIdle(t *testing.T) {
	for text, want := range map[string][]string{
		"schedulertype=sched/builtin;schedulerparameters=bf_window=60,defer, bf_continue":    {"SchedulerParameters has bf_window, bf_continue, and under SchedulerType=sched/builtin there is no backfill"},
		"schedulertype=sched/backfill;schedulerparameters=bf_window=60":                      nil,
		"schedulertype=sched/builtin;schedulerparameters=defer":                              nil,
		"preempttype=preempt/none;preemptmode=OFF;schedulertype=;schedulerparameters=(null)": nil,
	} {
		config := map[string]string{}
		for setting := range strings.SplitSeq(text, ";") {
			name, value, _ := strings.Cut(setting, "=")
			config[name] = value
		}
		if got := Idle(func(name string) string { return config[name] }, func(string) string { return "" }); !slices.Equal(got, want) {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// Each word of SchedulerParameters either takes no whole number, or one that is none is named, as a replay depends on it or not.
func TestWordsThatAreNoNumbers(t *testing.T) {
	others := strings.Fields(`allow_zero_lic assoc_limit_stop bf_busy_nodes bf_hetjob_immediate bf_hetjob_prio bf_ignore_newly_avail_nodes bf_licenses
		bf_running_job_reserve bf_topopt_enable defer defer_batch extra_constraints pack_serial_at_end reduce_completing_frag time_min_as_soft_limit
		bf_continue enable_user_top ignore_prefer_validation ignore_constraint_validation no_env_cache kill_invalid_depend delay_boot
		disable_job_shrink disable_hetjob_steps enable_hetjob_steps enable_job_state_cache enable_stepmgr whole_hetjob no_backup_scheduling
		salloc_wait_nodes sbatch_wait_nodes nohold_on_prolog_fail requeue_setup_env_fail Ignore_NUMA spec_cores_first`)
	for _, word := range slurm.SchedulerWords {
		config := func(name string) string { return map[string]string{"schedulerparameters": word.Name + "=abc"}[name] }
		_, list := Unknown(config, func(string) string { return "" })
		isNamed := strings.Contains(strings.Join(list, "\n"), word.Name+" needs a whole number")
		if takesNone := slices.Contains(others, word.Name); isNamed == takesNone {
			t.Errorf("%s=abc: %q", word.Name, list)
		}
	}
}
