package snapshot

import (
	"bufio"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/pbs"
)

// LiveLogs returns the logs of this host's complex: those of accounting, and what those of the
// server tell of vnodes.
func LiveLogs(days int) (accounting, server []file.Source, err error) {
	conf, _ := pbs.ReadConf()
	home := conf["PBS_HOME"]
	if home == "" {
		return nil, nil, errors.New("the logs of this host are not known: pbs.conf has no PBS_HOME")
	}
	now := time.Now()
	logsOf := func(dir string) ([]file.Source, error) {
		logs, err := dayLogs(filepath.Join(home, filepath.FromSlash(dir)))
		return LastDays(logs, days, now), err
	}
	accounting, err = logsOf(logsDir)
	if err != nil {
		return nil, nil, err
	}
	found, err := logsOf(serverLogsDir)
	if err != nil {
		return accounting, nil, err
	}
	for _, log := range found {
		err := log.Read(func(plain *bufio.Reader) error {
			from, err := vnodeLog(log.Name, plain)
			server = append(server, from)
			return err
		})
		if err != nil {
			return accounting, server, err
		}
	}
	return accounting, server, nil
}

// dayOf finds the day in the name of a log.
var dayOf = pattern.Of(`^[0-9]{8}`)

// LastDays returns the logs of the last days up to a time, the day of that time among them.
// Those whose names tell no day stay.
func LastDays(logs []file.Source, days int, until time.Time) []file.Source {
	const layout = "20060102"
	first := until.AddDate(0, 0, 1-days).Format(layout)
	return slices.DeleteFunc(slices.Clone(logs), func(log file.Source) bool {
		day := dayOf().FindString(path.Base(log.Name))
		return day != "" && day < first
	})
}
