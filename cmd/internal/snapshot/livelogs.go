package snapshot

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"fairshare/cmd/internal/file"
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
	logsOf := func(dir string) (logs []file.Source, err error) {
		entries, err := os.ReadDir(filepath.Join(home, filepath.FromSlash(dir)))
		if err != nil {
			return nil, fmt.Errorf("%s cannot be read: %w", path.Join(home, dir), file.Cause(err))
		}
		for _, e := range entries {
			if isDayLog.MatchString(e.Name()) && !e.IsDir() {
				logs = append(logs, file.At(filepath.Join(home, filepath.FromSlash(dir), e.Name())))
			}
		}
		return LastDays(logs, days, now), nil
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
		in, err := log.Open()
		if err != nil {
			return accounting, server, err
		}
		plain, err := file.Plain(in)
		if err == nil {
			var from file.Source
			from, err = vnodeLog(log.Name, plain)
			server = append(server, from)
		}
		in.Close()
		if err != nil {
			return accounting, server, fmt.Errorf("%s: %w", log.Name, err)
		}
	}
	return accounting, server, nil
}

// dayOf finds the day in the name of a log.
var dayOf = regexp.MustCompile(`^[0-9]{8}`)

// LastDays returns the logs of the last days up to a time, the day of that time among them.
// Those whose names tell no day stay.
func LastDays(logs []file.Source, days int, until time.Time) []file.Source {
	const layout = "20060102"
	first := until.AddDate(0, 0, 1-days).Format(layout)
	return slices.DeleteFunc(slices.Clone(logs), func(log file.Source) bool {
		day := dayOf.FindString(path.Base(log.Name))
		return day != "" && day < first
	})
}
