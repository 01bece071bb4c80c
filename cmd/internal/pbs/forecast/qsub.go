package forecast

import "strings"

// ParseSubmission reads what a new job asks for: resources as qsub -l has them, or options of qsub, such as
// "-l select=4:ncpus=16 -l walltime=8:00:00 -q workq". queue is that of -q, or the one that is named beside it.
func ParseSubmission(text, named string) (queue string, list []Resource, err error) {
	if !strings.HasPrefix(strings.TrimSpace(text), "-") {
		list, err = ParseResources(text)
		return named, list, err
	}
	var resources []string
	words := strings.Fields(text)
	for i := 0; i < len(words); i++ {
		option, value := words[i][:min(2, len(words[i]))], words[i][min(2, len(words[i])):]
		if option != "-l" && option != "-q" {
			return "", nil, wrong("of qsub's options -l and -q are read here, and not %s", words[i])
		}
		if value == "" && i+1 < len(words) {
			i++
			value = words[i]
		}
		switch {
		case value == "":
			return "", nil, wrong("%s has no value", option)
		case option == "-l":
			resources = append(resources, value)
		case queue != "" && queue != value:
			return "", nil, wrong("-q is given twice")
		default:
			queue = value
		}
	}
	switch {
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
