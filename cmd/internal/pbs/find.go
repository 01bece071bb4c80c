package pbs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ConfError is an incomplete pbs.conf, in PBS's words.
type ConfError struct {
	File    string
	Missing []string
}

func (e *ConfError) Error() string {
	return "pbsconf error: pbs conf variables not found: " + strings.Join(e.Missing, " ")
}

// FindSchedPriv returns the sched_priv of a scheduler of this host. pbs.conf,
// which PBS_CONF_FILE may name, says where PBS_HOME is; variables of the same
// names in the environment win over it. scheduler is "" or "default" for the
// main one. The error is a *ConfError where pbs.conf lacks a variable.
func FindSchedPriv(scheduler string) (dir string, err error) {
	file := os.Getenv("PBS_CONF_FILE")
	if file == "" {
		file = "/etc/pbs.conf"
	}
	// As in PBS, a file that cannot be read has no variables.
	text, _ := readFile(filepath.Split(file))
	conf := parseConf(text)
	var missing []string
	for _, name := range []string{"PBS_HOME", "PBS_EXEC", "PBS_SERVER"} {
		if v := os.Getenv(name); v != "" {
			conf[name] = v
		}
		if conf[name] == "" {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		return "", &ConfError{File: file, Missing: missing}
	}
	name := "sched_priv"
	if !IsDefaultScheduler(scheduler) {
		name += "_" + scheduler
	}
	return filepath.Join(conf["PBS_HOME"], name), nil
}

// IsDefaultScheduler reports whether a scheduler's name means the main one.
func IsDefaultScheduler(scheduler string) bool {
	return slices.Contains([]string{"", "default"}, scheduler)
}

// parseConf reads NAME=VALUE lines; # begins a comment.
func parseConf(text string) map[string]string {
	conf := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if ok && !strings.HasPrefix(name, "#") {
			conf[strings.TrimSpace(name)] = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return conf
}
