package pbs

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

// checkText returns what is wrong with a value that is kept as a text; limits are checked when they are read.
func (s *Setting) checkText(name, value string) error {
	if name != s.Name {
		return nil
	}
	if s.isSwitch {
		if err := checkSwitch(value); err != nil {
			return err
		}
	}
	if s.check == nil {
		return nil
	}
	return s.check(value)
}

// checkSet returns what is wrong with a value that --set gives an attribute that is kept as a text: it is none of
// its values, or is of a resource that there is not.
func (e *editor) checkSet(s *Setting, name, value string) error {
	if other := e.site.otherForm(s); other != "" {
		return fmt.Errorf("PBS does not let limits of the old and the new form stand together, and the site has %s", other)
	}
	if s.Name == "node_group_key" {
		for _, key := range groupKeys(value) {
			if err := e.site.CheckResource(key); err != nil {
				return err
			}
		}
	}
	return e.site.known().check(s, name, value)
}

// checkConfig returns what is wrong with the resources that a setting of sched_config names.
func (e *editor) checkConfig(s *Setting, config *fstree.Config) error {
	if s.resources == nil {
		return nil
	}
	names, words, err := s.resources(config)
	if err != nil {
		return err
	}
	for _, resource := range names {
		if err := e.site.CheckResource(resource, words...); err != nil {
			return err
		}
	}
	return nil
}

// namedResource is a resource that a line of sched_config names, with words that stand for none there.
type namedResource struct {
	line  fstree.ConfigLine
	name  string
	words []string
}

// namedResources returns the resources that settings of sched_config name, as far as anything comes of them.
func (s *Site) namedResources() (all []namedResource) {
	for _, line := range s.SchedPriv.configLines {
		isIdle := line.Name == "fairshare_usage_res" && !s.ever(func(p fstree.Policy) bool { return p.FairShare })
		names, words, err := resourcesOfLine(SettingOf(OfConfig, line.Name), line)
		if err != nil || isIdle { // which Check says, and nothing asks
			continue
		}
		for _, name := range names {
			all = append(all, namedResource{line, name, words})
		}
	}
	return all
}

// unknownResources warns of what settings of sched_config name that is no resource.
func (s *Site) unknownResources() (remarks []diag.Remark) {
	for _, of := range s.namedResources() {
		if s.CheckResource(of.name, of.words...) != nil {
			remarks = append(remarks, s.SchedPriv.configRemark(of.line, "%s names %s, a resource that neither PBS nor the site has: nothing comes of it", of.line.Name, of.name))
		}
	}
	return remarks
}

// guessedResources warns, where the site's resources are not known, of those that settings of sched_config name and that are spelled
// nearly as one of PBS's own. untold are the others that PBS does not have by itself.
func (s *Site) guessedResources() (remarks []diag.Remark, untold []string) {
	if s.Resources != nil {
		return nil, nil
	}
	for _, of := range s.namedResources() {
		if _, isOwn := ownResources[of.name]; isOwn || slices.Contains(of.words, of.name) {
			continue
		}
		near := NearResource(of.name, of.words...)
		if near == "" {
			where := fmt.Sprintf("line %d, %s", of.line.Number, of.line.Name)
			if s.SchedPriv.of != "" {
				where = s.SchedPriv.NameOf(ConfigFile) + ", " + where
			}
			untold = append(untold, fmt.Sprintf("%s (%s)", of.name, where))
			continue
		}
		remarks = append(remarks, s.SchedPriv.configRemark(of.line, "%s names %s, a resource that PBS itself does not have; did you mean %s?", of.line.Name, of.name, near))
	}
	return remarks, untold
}

// configRemark returns a warning about a line of sched_config.
func (d *SchedPriv) configRemark(line fstree.ConfigLine, format string, args ...any) diag.Remark {
	name := d.NameOf(ConfigFile)
	return diag.Warningf("%s: line %d: %s", name, line.Number, fmt.Sprintf(format, args...)).At(name, line.Number)
}

// wrongOld returns what is said of a line of sched_config with an attribute whose value PBS does not take.
func (d *SchedPriv) wrongOld(line fstree.ConfigLine, err error) diag.Remark {
	remark := d.configRemark(line, "%s does not count: %v", line.Name, err)
	remark.IsWrong = true
	return remark
}

// unknownGroupKeys warns of what node_group_key of the server and of queues name that is no resource, where it counts.
func (s *Site) unknownGroupKeys() (remarks []diag.Remark) {
	if !strings.EqualFold(s.Sched.Server["node_group_enable"], "true") {
		return nil
	}
	check := func(whose, keys string) {
		for _, key := range groupKeys(keys) {
			if s.CheckResource(key) != nil {
				remarks = append(remarks, diag.Warningf("node_group_key of %s names %s, a resource that neither PBS nor the site has: it makes no placement sets", whose, key).At("node_group_key of "+whose, 0))
			}
		}
	}
	check("the server", s.Sched.Server["node_group_key"])
	for _, q := range s.Queues {
		check("queue "+q.Name, q.Attributes["node_group_key"])
	}
	return remarks
}

// groupKeys returns the resources that a node_group_key names.
func groupKeys(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\"', ", r) })
}

func notANumber(value string) error { return fmt.Errorf("%q is not a number", value) }

func setThreshold(s *Sched, value string) error {
	threshold, err := strconv.ParseFloat(value, 64)
	if err != nil || threshold != threshold {
		return notANumber(value)
	}
	s.Threshold = threshold
	return nil
}

func setPreemptQueuePrio(s *Sched, value string) error {
	priority, err := strconv.Atoi(value)
	if err != nil {
		return notANumber(value)
	}
	s.PreemptQueuePrio = priority
	return nil
}

// preemptLevels are the words of preempt_prio, which a plus joins.
var preemptLevels = []string{"express_queue", "normal_jobs", "fairshare", "starving_jobs", "server_softlimits", "queue_softlimits"}

func setPreemptPrio(s *Sched, value string) error {
	var levels []string
	for level := range strings.SplitSeq(value, ",") {
		level = strings.TrimSpace(level)
		for word := range strings.SplitSeq(level, "+") {
			if word = strings.TrimSpace(word); word == "" {
				return fmt.Errorf("%q has an empty preemption level", value)
			} else if strings.ContainsAny(word, "0123456789") {
				return fmt.Errorf("%q is no preemption level: percentages are for preempt_order", word)
			} else if !slices.Contains(preemptLevels, word) {
				return errors.New(report.NoSuch("preemption level", word, preemptLevels))
			}
		}
		levels = append(levels, level)
	}
	s.PreemptPrio = levels
	return nil
}

func setPriority(q *Queue, _, value string) error {
	if err := checkPriority(value); err != nil {
		return err
	}
	q.Priority, _ = strconv.Atoi(value)
	return nil
}

func checkPriority(value string) error {
	if priority, err := strconv.Atoi(value); err != nil || priority < -1024 || priority > 1023 {
		return fmt.Errorf("%q is not a priority, from -1024 to 1023", value)
	}
	return nil
}

func setStarted(q *Queue, _, value string) error {
	q.Stopped = strings.EqualFold(value, "false")
	return checkSwitch(value)
}

// switchWords are what qmgr takes for true and false, in lower case.
var switchWords = map[string]string{"true": "True", "t": "True", "y": "True", "1": "True", "false": "False", "f": "False", "n": "False", "0": "False"}

func checkSwitch(value string) error {
	if !strings.EqualFold(value, "true") && !strings.EqualFold(value, "false") {
		return fmt.Errorf("%q is neither true nor false", value)
	}
	return nil
}

func checkDepth(value string) error {
	if n, err := strconv.Atoi(value); err != nil || n < 0 || n > 1000 {
		return fmt.Errorf("%q is no depth, from 0 to 1000", value)
	}
	return nil
}

func checkIteration(value string) error {
	if n, err := strconv.Atoi(value); err != nil || n < 1 {
		return fmt.Errorf("%q is no time, of a second or more", value)
	}
	return nil
}

func checkRequeue(value string) error {
	if n, err := strconv.Atoi(value); err != nil || n < 0 {
		return fmt.Errorf("%q is no time in seconds", value)
	}
	return nil
}

func checkBackfillWindow(value string) error {
	if _, ok := backfillWindows[strings.ToLower(value)]; !ok {
		return fmt.Errorf("%q is none of off, low, medium and high", value)
	}
	return nil
}

func checkPreemptOrder(value string) error {
	_, err := parsePreemptOrder(value)
	return err
}
