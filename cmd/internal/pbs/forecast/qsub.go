package forecast

import (
	"strings"

	"fairshare/cmd/internal/report"
)

// idleOptions are the letters of options of qsub on which no start depends: those without a value, and those with one.
const idleOptions, idleValues = "VXIz", "NjoemMvSkCR"

// unreadOptions are those on which a start may depend, and which are not read: those without a value, and those with one.
const unreadOptions, unreadValues = "fGh", "aAcJpPruwW"

// ParseSubmission reads what a new job asks for: resources as qsub -l has them, or a line of qsub or its options, such as
// "qsub -N run1 -l select=4:ncpus=16 -l walltime=8:00:00 -q workq". queue is that of -q, or the one that is named beside it.
func ParseSubmission(text, named string) (queue string, list []Resource, err error) {
	words, err := report.ShellWords(text)
	if err != nil {
		return "", nil, wrong("%v", err)
	}
	if len(words) > 0 && (words[0] == "qsub" || strings.HasSuffix(words[0], "/qsub")) {
		words = words[1:]
	} else if len(words) == 0 || words[0][0] != '-' {
		list, err = ParseResources(text)
		return named, list, err
	}
	var resources, unread []string
	for i := 0; i < len(words); i++ {
		option, value := words[i][:min(2, len(words[i]))], words[i][min(2, len(words[i])):]
		letter := strings.TrimPrefix(option, "-")
		isOption := len(letter) == 1 && len(option) == 2
		if isOption && strings.Contains(idleOptions, letter) && value == "" {
			continue
		}
		if isOption && strings.Contains(unreadOptions, letter) && value == "" {
			unread = append(unread, option)
			continue
		}
		isIdle := isOption && strings.Contains(idleValues, letter)
		isUnread := isOption && strings.Contains(unreadValues, letter)
		switch {
		case option == "-l" || option == "-q" || isIdle || isUnread:
		case isOption:
			return "", nil, wrong("of qsub's options -l and -q are read here, and not %s", words[i])
		default:
			return "", nil, wrong("what a script asks for is not read: give it with -l, in the place of %s", words[i])
		}
		if value == "" && i+1 < len(words) {
			i++
			value = words[i]
		}
		switch {
		case value == "":
			return "", nil, wrong("%s has no value", option)
		case isIdle:
		case isUnread && letter == "u":
			unread = append(unread, option+" "+report.Printable(value)+" (--user says whose the job is)")
		case isUnread:
			unread = append(unread, option+" "+report.Printable(value))
		case option == "-l":
			resources = append(resources, value)
		case queue != "" && queue != value:
			return "", nil, wrong("-q is given twice")
		default:
			queue = value
		}
	}
	switch {
	case unread != nil:
		return "", nil, wrong("of qsub's options -l and -q are read here, and not %s", strings.Join(unread, ", "))
	case resources == nil:
		return "", nil, wrong("the job asks for no resources: -l NAME=VALUE")
	case queue == "":
		queue = named
	case named != "" && named != queue:
		return "", nil, wrong("-q %s is asked for beside --queue %s", queue, named)
	}
	list, err = ParseResources(strings.Join(resources, ","))
	return queue, list, err
}
