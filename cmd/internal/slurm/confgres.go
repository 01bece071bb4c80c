package slurm

import (
	"math"
	"slices"
	"strings"
)

// gresKind is a kind of GRES that a line gives nodes.
type gresKind struct {
	nodes, name string
	at          Place
}

// checkGRES takes in which GRES of nodes have no number where one seems to be meant, and of which kinds all are.
func (p *confParser) checkGRES(nodes, value string) {
	if value == "" || value == "(null)" || !p.conf.IsFile {
		return
	}
	for _, part := range splitOutside(value) {
		part, _, _ = strings.Cut(part, "(")
		fields := strings.Split(part, ":")
		last := fields[len(fields)-1]
		_, isNumber := gresCount(last)
		switch {
		case len(fields) < 2 || isNumber || last == "no_consume":
		case last != "" && strings.IndexByte("+-.0123456789", last[0]) >= 0:
			p.problem("NodeName=%s: Gres: %s ends with %s, which begins as a number does and is none", shortened(nodes), shortened(part), shortened(last))
		case len(fields) > 2:
			p.problem("NodeName=%s: Gres: %s has no number at its end, and Slurm takes it for one", shortened(nodes), shortened(part))
		}
		p.gres = append(p.gres, gresKind{nodes, fields[0], p.at})
	}
}

// gresCount reads how many of a GRES there are, with a letter behind the number that multiplies it.
func gresCount(text string) (n float64, ok bool) {
	factor := 1.
	if at := strings.IndexAny(strings.ToUpper(text), "KMGTP"); at > 0 && at == len(text)-1 {
		factor = math.Pow(1024, float64(1+strings.IndexByte("KMGTP", strings.ToUpper(text)[at])))
		text = text[:at]
	}
	n, err := count(text)
	return n * factor, err == nil && n == math.Trunc(n)
}

// sayNoGresTypes takes in which GRES of nodes are of kinds that GresTypes lacks, where it or what only a whole slurm.conf has is set.
func (p *confParser) sayNoGresTypes() {
	types, isSet := p.set["grestypes"]
	if !isSet && !p.conf.isWhole {
		return
	}
	known := strings.Split(types.value, ",")
	for _, of := range p.gres {
		if !slices.Contains(known, of.name) {
			p.at = of.at
			text := "NodeName=" + shortened(of.nodes) + ": Gres: GresTypes lacks " + shortened(of.name) + ", so that Slurm knows none of it and no job gets any"
			p.conf.Unknown = append(p.conf.Unknown, p.placed(nearest(text, of.name, known)))
		}
	}
}
