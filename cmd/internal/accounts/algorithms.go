package accounts

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/fstree"
)

// AlgorithmNames lists all algorithms.
func AlgorithmNames() string {
	var names []string
	for _, a := range fstree.Algorithms {
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}

// aliases are names that people may try.
var aliases = map[string]string{
	"flux": "weighted-walk", "slurm-classic": "classic", "slurm": "fair-tree-slurm", "fairtree": "fair-tree",
}

// Algorithms returns the algorithms of some names, each once, or all of them.
func Algorithms(names []string) ([]fstree.Algorithm, error) {
	var chosen []fstree.Algorithm
	for _, name := range names {
		name = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "_", "-")
		if name == "all" {
			return fstree.Algorithms, nil
		}
		if alias, ok := aliases[name]; ok {
			name = alias
		}
		a, ok := fstree.AlgorithmNamed(name)
		if !ok {
			return nil, diag.Requestf("there is no algorithm %q: %s, all", name, AlgorithmNames())
		}
		if !slices.ContainsFunc(chosen, func(b fstree.Algorithm) bool { return a.Name == b.Name }) {
			chosen = append(chosen, a)
		}
	}
	if len(chosen) == 0 {
		return nil, diag.Requestf("--algorithm names none")
	}
	return chosen, nil
}
