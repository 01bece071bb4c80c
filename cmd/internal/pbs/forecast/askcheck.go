package forecast

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
	"fairshare/formula"
)

// What qsub and the server would refuse of what is asked.

// askError is a forecast.ErrAsk that says by itself what is wrong.
type askError struct{ error }

func (askError) Is(target error) bool { return target == forecast.ErrAsk }

// wrong returns what is wrong with what is asked for.
func wrong(format string, args ...any) error { return askError{fmt.Errorf(format, args...)} }

// checkChunk returns what is wrong with a part of a select, such as 2:ncpus=4:mem=8gb.
func (s *Site) checkChunk(chunk string) error {
	const most = 1 << 20 // chunks
	seen := map[string]bool{}
	for i, part := range strings.Split(chunk, ":") {
		name, value, ok := strings.Cut(part, "=")
		if n, err := strconv.Atoi(part); i == 0 && !ok && (err != nil || n < 1 || n > most) {
			return fmt.Errorf("%q is not a number of chunks from 1 to %d, nor RESOURCE=AMOUNT", part, most)
		} else if i > 0 && !ok {
			return fmt.Errorf("%q is not RESOURCE=AMOUNT", part)
		}
		if !ok {
			continue
		}
		if slices.Contains([]string{"place", "walltime", "nodect", "select"}, name) {
			return fmt.Errorf("%s is asked for by a job as a whole, not by a chunk: write it behind a comma, as in select=1:ncpus=4,%s=…", name, name)
		}
		if err := s.checkResource(name); err != nil {
			return err
		}
		if seen[name] {
			return fmt.Errorf("%s is asked for twice in the chunk %s", name, chunk)
		}
		if err := s.checkAmount(name, value); err != nil {
			return err
		}
		seen[name] = true
	}
	return nil
}

// checkResource returns what is wrong with the name of a resource. Where nothing tells which the site has, one that is nearly spelled as
// one of PBS's own, or of those that something of the site names, is taken to be misspelt.
func (s *Site) checkResource(name string) error {
	if err := s.Site.CheckResource(name); err != nil || !s.isUnheardOf(name) {
		return err
	}
	if near := pbs.NearResource(name, slices.Collect(maps.Keys(s.named()))...); near != "" {
		return fmt.Errorf("nothing of the site names a resource %s%s (what qmgr -c 'list resource' prints tells those that it has)", name, report.Meant(near))
	}
	return nil
}

// isUnheardOf reports whether a resource is neither one of PBS's own nor named by anything of a site whose own resources are not known.
func (s *Site) isUnheardOf(name string) bool {
	_, isOwn := pbs.OwnResource(name)
	return s.Site.Resources == nil && !isOwn && !s.named()[name]
}

// named returns the resources that vnodes, the server, its queues and jobs name.
func (s *Site) named() map[string]bool {
	if s.resources != nil {
		return s.resources
	}
	s.resources = map[string]bool{}
	ofAttributes := func(a map[string]string) {
		for full := range a {
			if _, name, ok := strings.Cut(full, "."); ok {
				s.resources[name] = true
			}
		}
	}
	for v := range s.Listing.Vnodes() {
		ofAttributes(v)
	}
	ofAttributes(s.Site.Sched.Server)
	for _, q := range s.Site.Queues {
		ofAttributes(q.Attributes)
	}
	requests := map[int32]bool{}
	for _, n := range s.Now {
		requests[n.Request] = true
	}
	for _, j := range s.Past.Jobs {
		requests[j.Request] = true
	}
	for request := range requests {
		for name, value := range listed(s.Past.Names.List[request]) {
			if s.resources[name] = true; name == "select" || name == trace.PlacedSelect {
				for of := range ofChunks(value) {
					s.resources[of] = true
				}
			}
		}
	}
	return s.resources
}

// unheardOf says which resources a job asks for of which nothing tells whether the site has them.
func (s *Site) unheardOf(a Ask) (remarks []diag.Remark) {
	for _, name := range a.names() {
		if s.isUnheardOf(name) {
			remarks = append(remarks, diag.Warningf("nothing of the site names a resource %s, and qsub refuses one that the site does not have (what qmgr -c 'list resource' prints tells)", name).OfAsked())
		}
	}
	return remarks
}

// checkAmount returns an error for what is no value of a resource, or an amount that is less than nothing or more than any machine has.
func (s *Site) checkAmount(name, value string) error {
	isOfAmounts, err := s.Site.CheckValue(name, value)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case !isOfAmounts:
		return nil
	}
	const most = 1e15
	if x, ok := number(value); !ok || !(x >= 0 && x <= most) {
		return fmt.Errorf("%s=%s is no amount", name, value)
	}
	return nil
}

// isName reports whether a text may name a user, a queue or a project.
func isName(text string) bool {
	const longest = 256
	isNoLetter := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	return text != "" && len(text) <= longest && utf8.ValidString(text) && !strings.ContainsFunc(text, isNoLetter)
}

// check returns what is wrong with what is asked for: a resource that the site does not have, or a
// walltime that is none. Of a job that is there, what is changed is looked at alone.
func (s *Site) check(a Ask) error {
	if a.account != "" && s.Site.Entity() == "Account_Name" {
		return wrong("-A is not read here where the fairshare tree is of accounts (fairshare_entity): without it, the job counts as of the account of the last job of its user")
	}
	for _, of := range [][2]string{{"user", a.User}, {"queue", a.Queue}, {"project", cmp.Or(a.project, pbs.DefaultProject)}} {
		if kind, name := of[0], of[1]; !isName(name) {
			return wrong("%q is no name of a %s", name, kind)
		}
	}
	list := a.Resources
	if a.is != nil {
		_, list = s.changedBy(a)
	}
	if at := slices.IndexFunc(list, func(r Resource) bool { return r.Name == "select" }); at > 0 { // before what is summed up of its chunks
		list = slices.Insert(slices.Delete(slices.Clone(list), at, at+1), 0, list[at])
	}
	for _, r := range list {
		switch r.Name {
		case "select":
			for chunk := range strings.SplitSeq(r.Value, "+") {
				if err := s.checkChunk(chunk); err != nil {
					return askError{err}
				}
			}
		case "place":
			for part := range strings.SplitSeq(r.Value, ":") {
				if group, isGroup := strings.CutPrefix(part, "group="); isGroup {
					if err := s.checkResource(group); err != nil {
						return askError{fmt.Errorf("place=%s: %w", r.Value, err)}
					}
				}
			}
		case "walltime", "nodect":
		case "nodes":
			selected, ok := s.selectOfNodes(r.Value)
			if !ok {
				return wrong("nodes is not read here: say it as select=2:ncpus=4")
			}
			return wrong("nodes is not read here: of nodes=%s, PBS makes -l select=%s -l place=scatter, which may be given in its place", r.Value, selected)
		default:
			if err := s.checkResource(r.Name); err != nil {
				return askError{err}
			}
			if err := s.checkAmount(r.Name, r.Value); err != nil {
				return askError{err}
			}
		}
		const longest = 10 * 365 * 24 * 3600 // that a replay models
		seconds, ok := formula.ParseDuration(r.Value)
		switch {
		case r.Name != "walltime":
		case !ok || !(seconds > 0):
			return wrong("%q is no walltime: a number of seconds, or HH:MM:SS%s", r.Value, report.Meant(moment.AsClock(r.Value)))
		case seconds > longest:
			return wrong("walltime %s is longer than ten years", r.Value)
		}
	}
	isOfVnodes := func(r Resource) bool { return r.Name == "select" || r.Name == "place" }
	if a.is != nil && (a.of("select") == "" || !slices.ContainsFunc(list, isOfVnodes)) {
		return nil // it was submitted as it is
	}
	asked := a.of("select")
	if asked == "" {
		asked = "ncpus=" + cmp.Or(a.of("ncpus"), "1")
	}
	if _, err := s.Cluster.Request(asked, cmp.Or(a.of("place"), "free"), a.Queue); err != nil {
		return askError{err}
	}
	return nil
}

// selectOfNodes returns the select that PBS makes of a list of nodes, such as 2:ppn=4+n05: a word that is no number is a property,
// which a boolean of the site may have the name of, or else a host. ok is false for what is not known to be either.
func (s *Site) selectOfNodes(nodes string) (selected string, ok bool) {
	var chunks []string
	for node := range strings.SplitSeq(nodes, "+") {
		count, cpus, places := "1", "ncpus=1", ""
		for i, word := range strings.Split(node, ":") {
			n, isPPN := strings.CutPrefix(word, "ppn=")
			isCount := word != "" && strings.Trim(word, "0123456789") == ""
			switch {
			case isPPN && n != "" && strings.Trim(n, "0123456789") == "":
				cpus = "ncpus=" + n + ":mpiprocs=" + n
			case isCount && i == 0:
				count = word
			case isCount || word == "" || strings.ContainsAny(word, "=#"):
				return "", false
			case s.Site.Resources[word] == formula.Boolean:
				places += ":" + word + "=True"
			default:
				places += ":host=" + word
			}
		}
		chunks = append(chunks, count+":"+cpus+places)
	}
	return strings.Join(chunks, "+"), true
}
