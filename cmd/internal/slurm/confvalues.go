package slurm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/report"
)

// The values that settings of slurm.conf may have.

func (p *confParser) setting(name, value string) error {
	c, key := p.conf, strings.ToLower(name)
	var err error
	for _, x := range weightFields {
		if strings.EqualFold(name, x.setting) {
			*x.of(&c.Weights), err = whole(value)
			return err
		}
	}
	refuse := func(isNot string) error {
		p.refuseValue(spelledKey(knownNames(), name), value, isNot)
		c.refuses[key] = true
		return nil
	}
	if kind, isTyped := settingKinds[key]; c.IsFile && isTyped && !kind.takes(value) {
		return refuse(kind.isNot)
	}
	if c.IsFile && value == "" {
		return refuse("no value")
	}
	switch key {
	case "prioritymaxage":
		c.MaxAge, err = Duration(value)
	case "priorityfavorsmall":
		c.FavorSmall, err = yes(value)
	case "fairsharedampeningfactor":
		if c.DampFactor, err = count(value); err == nil && c.DampFactor < 1 {
			err = fmt.Errorf("%q is not 1 or more", value)
		}
	case "priorityweighttres":
		if c.Weights.TRES, err = parseWeights(value); len(c.Weights.TRES) > maxTRES {
			err = fmt.Errorf("more than %d resources", maxTRES)
		}
		var twice []Amount
		if c.Weights.TRES, twice = lastOfEach(c.Weights.TRES); twice != nil {
			p.problem("%s names %s twice: the last one counts, %v", name, twice[0].Name, twice[0].Count)
		}
	case "priorityflags":
		for flag := range strings.SplitSeq(strings.ToUpper(value), ",") {
			p.flag(strings.TrimSpace(flag))
		}
	case "prioritycalcperiod":
		var period float64
		if period, err = Duration(value); err == nil && c.IsFile && (period == 0 || period >= unlimited) {
			c.unread[key] = true
			return refuse("not a time of some seconds")
		} else if err == nil && period == 0 {
			c.Passed = append(c.Passed, p.placed("PriorityCalcPeriod is printed as 0, with which slurmctld does not start, and has no effect here: "+report.Span(c.CalcPeriod)+" is taken"))
		} else if err == nil {
			c.CalcPeriod = period
		}
	case "maxarraysize":
		c.MaxArraySize, err = amount(value)
	case "prioritydecayhalflife":
		c.HalfLife, err = Duration(value)
	case "priorityusageresetperiod":
		wrong := UnknownWords(value, resetPeriods)
		switch c.ResetPeriod = strings.ToUpper(value); {
		case wrong != nil:
			p.refuse(name, value, resetPeriods)
			fallthrough
		case c.ResetPeriod == "NONE":
			c.ResetPeriod = ""
		}
	case "prioritymaxpriority", "prioritysitefactorplugin", "prioritysitefactorparameters",
		"priorityparameters":
	case "prioritytype":
		switch c.Basic = value == "priority/basic"; {
		case c.Basic:
			p.problems = append(p.problems, "PriorityType is "+value+": Slurm gives each job a priority when it comes, one less than that of the job before, less its nice value, and no weight, share or age counts")
		case value != "priority/multifactor":
			p.refuse("PriorityType", value, []string{"priority/multifactor", "priority/basic"})
		}
	default:
		if !IsIn(knownNames(), name) {
			p.refuseKey("", name, "of slurm.conf", knownNames())
		}
	}
	return err
}

// refuse takes in with which value of a setting slurmctld does not start. One that it prints has no effect here.
func (p *confParser) refuse(of, word string, known []string) {
	if !p.conf.IsFile {
		p.unknown(of, word, known)
		return
	}
	p.conf.Refused = append(p.conf.Refused, p.placed(Refused(of, word, known, Slurmctld)))
	p.conf.Passed = append(p.conf.Passed, p.placed(Unknown(of, word, known)))
}

// refuseKey is refuse for a key of some line, of which it is said what that is about, "" for a line of one setting.
func (p *confParser) refuseKey(of, key, where string, known []string) {
	if !p.conf.IsFile {
		p.unknown(of, key, known)
		return
	}
	if of != "" {
		of += ": "
	}
	text := of + key + " is no key " + where + " in Slurm 22.05 to 25.05: slurmctld does not start with one that it does not know"
	p.conf.Refused = append(p.conf.Refused, p.placed(nearest(text, key, known)))
	p.conf.Passed = append(p.conf.Passed, p.placed(Unknown(strings.TrimSuffix(of, ": "), key, known)))
}

// The daemons that read slurm.conf: of the controller, and of a node.
const (
	Slurmctld = "slurmctld"
	Slurmd    = "slurmd"
)

// Refused says that a daemon does not start with a value of a setting, and which may have been meant.
func Refused(of, word string, known []string, daemon string) string {
	return nearest(of+": "+word+" is unknown, and "+daemon+" does not start with it", word, known)
}

// nearest returns a text with which of the known words may have been meant.
func nearest(text, word string, known []string) string {
	return text + report.Meant(report.Nearest(word, known))
}

// unknown takes in that a value of a setting, or a setting ("") by its name, is not known.
func (p *confParser) unknown(of, word string, known []string) {
	p.conf.Unknown = append(p.conf.Unknown, p.placed(Unknown(of, word, known)))
}

// Unknown says that a value of a setting, or a setting ("") by its name, is not among those that are known, and which
// may have been meant.
func Unknown(of, word string, known []string) string {
	text := word + " is unknown and has no effect here"
	if of != "" {
		text = of + ": " + text
	}
	return nearest(text, word, known)
}

// priorityFlags are all words of PriorityFlags.
var priorityFlags = []string{
	"ACCRUE_ALWAYS", "CALCULATE_RUNNING", "DEPTH_OBLIVIOUS", "FAIR_TREE", "INCR_ONLY", "MAX_TRES", "MAX_TRES_GRES", "NO_FAIR_TREE",
	"NO_NORMAL_ALL", "NO_NORMAL_ASSOC", "NO_NORMAL_PART", "NO_NORMAL_QOS", "NO_NORMAL_TRES", "SMALL_RELATIVE_TO_TIME",
}

func (p *confParser) flag(flag string) {
	c := p.conf
	switch flag {
	case "ACCRUE_ALWAYS":
		c.AccrueAlways = true
	case "CALCULATE_RUNNING":
		c.Running = true
	case "DEPTH_OBLIVIOUS":
		c.DepthOblivious = true
	case "NO_FAIR_TREE":
		c.NoFairTree = true
	case "SMALL_RELATIVE_TO_TIME":
		c.SizeRelative = true
	case "NO_NORMAL_ALL":
		for _, what := range []string{"ASSOC", "PART", "QOS", "TRES"} {
			c.NoNormal[what] = true
		}
	case "NO_NORMAL_ASSOC", "NO_NORMAL_PART", "NO_NORMAL_QOS", "NO_NORMAL_TRES":
		c.NoNormal[strings.TrimPrefix(flag, "NO_NORMAL_")] = true
	default:
		if flag != "" && !slices.Contains(priorityFlags, flag) {
			p.unknown("PriorityFlags", flag, priorityFlags)
		}
	}
}

func yes(value string) (bool, error) {
	switch strings.ToLower(value) {
	case "yes", "true", "1", "up", "y":
		return true, nil
	case "no", "false", "0", "down", "n":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither YES nor NO", value)
}

// whole reads a weight: Slurm's are whole numbers of 32 bits. UNLIMITED and INFINITE, which Slurm takes there, are no weight with which priorities add up.
func whole(value string) (float64, error) {
	if IsUnlimited(value) {
		return 0, fmt.Errorf("%s is not read as a weight: Slurm takes it for a number with which sums of factors have no meaning", quoted(value))
	}
	n, ok := readWhole(value, 32)
	if !ok {
		return 0, fmt.Errorf("%s is not a whole number from 0 to %d", quoted(value), int64(maxPriority))
	}
	return float64(n), nil
}

// count reads a number from 0 to a bound that nothing real comes near.
func count(value string) (float64, error) {
	x, err := strconv.ParseFloat(value, 64)
	if err != nil || !(x >= 0) || x > 1e15 {
		return 0, fmt.Errorf("%s is not a number from 0 to 1e15", quoted(value))
	}
	return x, nil
}
