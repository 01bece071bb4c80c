package pbs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fairshare/cmd/internal/file"
)

// ConfError is an incomplete pbs.conf, in PBS's words.
type ConfError struct {
	File    string
	Missing []string
}

func (e *ConfError) Error() string {
	return "pbsconf error: pbs conf variables not found: " + strings.Join(e.Missing, " ")
}

// Conf are the variables of pbs.conf.
type Conf map[string]string

// maxConf is more than any pbs.conf has.
const maxConf = 1 << 20

// ReadConf returns the variables of this host's pbs.conf, which PBS_CONF_FILE
// may name; variables of the same names in the environment win over it. A
// *ConfError comes with them where one of those that PBS needs is missing.
func ReadConf() (Conf, error) {
	name := os.Getenv("PBS_CONF_FILE")
	if name == "" {
		name = "/etc/pbs.conf"
	}
	// As in PBS, a file that cannot be read has no variables.
	text, _ := file.DirAt(filepath.Dir(name)).Read(filepath.Base(name), maxConf)
	conf := parseConf(text)
	var missing []string
	for _, variable := range []string{"PBS_HOME", "PBS_EXEC", "PBS_SERVER"} {
		if v := os.Getenv(variable); v != "" {
			conf[variable] = v
		}
		if conf[variable] == "" {
			missing = append(missing, variable)
		}
	}
	if missing != nil {
		return conf, &ConfError{File: name, Missing: missing}
	}
	return conf, nil
}

// FindSchedPriv returns the sched_priv of a scheduler of this host, whose name is
// "" or "default" for the main one. The error is a *ConfError where pbs.conf
// lacks a variable.
func FindSchedPriv(scheduler string) (dir string, err error) {
	conf, err := ReadConf()
	if err != nil {
		return "", err
	}
	name := PrivName
	if !IsDefaultScheduler(scheduler) {
		name += "_" + scheduler
	}
	return filepath.Join(conf["PBS_HOME"], name), nil
}

// defaultScheduler is what PBS calls the main one.
const defaultScheduler = "default"

// IsDefaultScheduler reports whether a scheduler's name means the main one.
func IsDefaultScheduler(scheduler string) bool {
	return slices.Contains([]string{"", defaultScheduler}, scheduler)
}

// parseConf reads NAME=VALUE lines; # begins a comment.
func parseConf(text string) Conf {
	conf := Conf{}
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if ok && !strings.HasPrefix(name, "#") {
			conf[strings.TrimSpace(name)] = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return conf
}
