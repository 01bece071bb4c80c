package set

import (
	"errors"
	"slices"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/sched"
)

// OfJobs parts some settings into those of jobs that wait and all others, among which one is that is none.
func OfJobs(settings []string) (ofJobs, others []string) {
	for _, text := range settings {
		if x := settingOf(text); x != nil && x.kind == ofJob {
			ofJobs = append(ofJobs, text)
		} else {
			others = append(others, text)
		}
	}
	return ofJobs, others
}

// ChangeJobs gives jobs that wait, by the IDs that the list has of them, another nice value or QOS, as With gives it those of an
// order. Of an array that is all of its tasks.
func ChangeJobs(setup *sched.Setup, waiting map[string][]*sched.Job, settings []string) ([]Change, error) {
	return applySettings(settings, func(x *setting) (was string, err error) {
		jobs := waiting[x.of]
		if len(jobs) == 0 {
			return "", errors.New("no job " + x.of + " waits in the list")
		}
		if x.key == "nice" {
			was = report.Plain(jobs[0].Nice)
			for _, j := range jobs {
				j.Nice = x.number
			}
			return was, nil
		}
		at := slices.IndexFunc(setup.QOS, func(q sched.QOS) bool { return q.Name == x.value })
		if at < 0 {
			return "", errors.New(report.NoSuch("QOS", x.value, sched.QOSNames(setup.QOS)))
		}
		was = setup.QOS[jobs[0].QOS].Name
		for _, j := range jobs {
			j.QOS, j.AnyQOS = at, nil
		}
		return was, nil
	})
}
