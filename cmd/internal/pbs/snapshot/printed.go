package snapshot

import (
	"maps"
	"path"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/qstat"
)

// prints are the members that a file can be by what it has, whatever it is called: what PBS's commands print for any user,
// by the kinds of package file.
var prints = map[string]string{
	file.JobsJSON:   ListPath,
	file.JobsText:   "job/qstat_f.out",
	file.NodesJSON:  "node/pbsnodes_avFjson.out",
	file.NodesText:  "node/pbsnodes_va.out",
	file.NodesDSV:   "node/pbsnodes_va.out",
	file.QueuesJSON: "server/qstat_Qf.out",
	file.QueuesText: "server/qstat_Qf.out",
	file.ServerText: "server/qstat_Bf.out",
	file.ServerJSON: "server/qstat_Bf.out",
	file.ResvsText:  reservationsPath,
}

// qmgrPrints are the members that prints of qmgr are; the first that fits counts, since a server's print has all of them.
var qmgrPrints = []struct {
	member string
	has    pattern.Lazy
}{
	{"server/qmgr_ps.out", pattern.Of(`(?m)^(\s*set server |Server )`)},
	{"scheduler/qmgr_psched.out", pattern.Of(`(?m)^\s*(create|set) sched `)},
	{"scheduler/qmgr_lsched.out", pattern.Of(`(?m)^Sched `)},
	{"server/qmgr_pq.out", pattern.Of(`(?m)^(\s*create queue |Queue )`)},
	{"server/qmgr_pr.out", pattern.Of(`(?m)^(\s*create resource |Resource )`)},
	{hooksPath, pattern.Of(`(?m)^(\s*create hook |Hook )`)},
}

// tablePath stands for a table of qstat without -f, of which there may be several: they are no list of jobs, and no member of a snapshot.
const tablePath = "job/qstat.out"

// printed is how the prints of a site are found. None but the begin of a file is read.
var printed = file.Commands[string]{
	Name: "PBS", KindOf: memberOf, KeepsHead: func(string) bool { return true },
	Skips: func(at string) bool { return strings.Count(at, "/") > 1 || isDayLog().MatchString(path.Base(at)) },
	Knows: func(kind string) bool { return kind == file.AccountingLog || kind == file.DaemonLog }, // as history does
}

// ofQmgr begins the lines of what qmgr prints and of its sessions, but for values that go on.
var ofQmgr = pattern.Of(`^(Qmgr:|Max open servers|(create|set|Set|unset|delete|active|import|print|list)\s|(Server|Sched|Queue|Resource|Hook)\s+\S+\s*$)`)

// ofHook is a line of what qmgr prints of what a hook does, in base64.
var ofHook = pattern.Of(`^[A-Za-z0-9+/]{40,}={0,2}\s*$`)

// isOfQmgr reports whether most lines of a text are of qmgr, which other texts have now and then as well, such as notes and scripts.
func isOfQmgr(begin string) bool {
	of, others := 0, 0
	for line := range strings.Lines(begin) {
		switch {
		case strings.TrimSpace(line) == "" || strings.ContainsAny(line[:1], "# \t"):
		case ofHook().MatchString(line):
		case ofQmgr().MatchString(line):
			of++
		default:
			others++
		}
	}
	return of > others
}

// memberOf returns the path of the member that a text is by its begin, "" for none.
func memberOf(begin string) string {
	kind := file.KindOf([]byte(begin))
	if kind == file.QmgrText {
		if !isOfQmgr(begin) {
			return ""
		}
		for _, p := range qmgrPrints {
			if p.has().MatchString(begin) {
				return p.member
			}
		}
	}
	if kind == file.JobsTable && qstat.IsTable([]byte(begin)) {
		return tablePath
	}
	return prints[kind]
}

// inPrints returns the snapshot that the prints of PBS's commands in a folder are: in the tree's own, or in the only one of
// its folders that has some; nil where there are none.
func inPrints(t *file.Tree) (*Snapshot, error) {
	folders, err := printed.Folders(t, "")
	if err != nil {
		return nil, nil // too many files: nobody has named a folder of prints
	}
	all := folders.All()
	if len(all) == 0 {
		return nil, nil
	}
	if all[0].Name != "." && len(all) > 1 {
		return nil, severalSnapshots(t, t.Join(all[0].Name))
	}
	s := &Snapshot{Name: path.Join(t.Name, all[0].Name), tree: t, top: strings.TrimPrefix(all[0].Name, ".")}
	s.Remarks = append(s.Remarks, folders.Remarks...)
	s.find()
	s.takePrints(all[0])
	for _, f := range all[1:] {
		s.remark(diag.Warningf("%s is left out: %s has prints as well", t.Join(f.Name), t.Name))
	}
	return s, nil
}

// addPrints adds the prints of PBS's commands that stand beside the files of a sched_priv or of a snapshot without jobs, or beside
// its folder.
func (s *Snapshot) addPrints() {
	for _, at := range slices.Compact([]string{path.Join(".", s.top), "."}) {
		beside := printed
		beside.Skips = func(file string) bool {
			return path.Dir(file) != at || isDayLog().MatchString(path.Base(file)) || s.isOwn(file)
		}
		folders, err := beside.Folders(s.tree, "")
		if err != nil {
			s.remark(diag.Damagef("what stands beside %s is not looked through: %v", path.Join(s.Name, s.priv), err))
			continue
		}
		for _, r := range folders.Remarks {
			s.remark(r)
		}
		for _, f := range folders.All() {
			s.takePrints(f)
		}
	}
	if s.isPrinted = s.isPrinted || s.isLoose(); s.isPrinted && s.priv == "" {
		s.keepBest()
	}
}

// keepBest leaves out what is there in a better form under another name of the layout. Both are in a snapshot that PBS has made, and
// of one time.
func (s *Snapshot) keepBest() {
	isOfPBS := func(from file.Source) bool { return strings.Contains(from.Member, "/") }
	var unread []beside
	for _, m := range Members {
		from := s.members[m.Path]
		if best := s.inPlaceOf(m.Path); from.IsGiven() && best.IsGiven() && best.Name != from.Name && !(isOfPBS(from) && isOfPBS(best)) {
			unread = append(unread, beside{m.Path, from, best})
			delete(s.members, m.Path)
		}
	}
	s.sayUnread(unread)
}

// isLoose reports whether prints lie in one folder under names of a snapshot's layout, and nothing else of one is there.
func (s *Snapshot) isLoose() bool {
	for member, from := range s.members {
		if member == takenPath || path.Dir(s.within(from)) != path.Join(".", s.top) {
			return false
		}
	}
	return s.priv == "" && len(s.members) > 0
}

// within returns the path of a member in the tree.
func (s *Snapshot) within(from file.Source) string {
	return strings.TrimPrefix(strings.TrimPrefix(from.Name, s.tree.Name), "/")
}

// isOwn reports whether a file of the tree is one that has its name in a snapshot or a sched_priv, or a former one of such.
func (s *Snapshot) isOwn(at string) bool {
	name, isWithin := strings.CutPrefix(at, strings.TrimPrefix(s.top+"/", "/"))
	if !isWithin {
		return false
	}
	if slices.ContainsFunc(Members, func(m Member) bool { return slices.Contains(m.places(), name) }) {
		return true
	}
	return s.priv == "." && (strings.HasPrefix(name, "sched_") || slices.ContainsFunc(pbs.PrivFiles, func(own string) bool { return strings.HasPrefix(name, own) }))
}

// takePrints takes the files of a folder as the members that they are by what they have, beside those that are there.
func (s *Snapshot) takePrints(f *file.Folder[string]) {
	s.setPastApart(f)
	found := map[string]file.Source{}
	var unread []beside
	for _, p := range s.tellingFirst(f.Parts) {
		from := s.tree.Source(p.Member)
		if p.Kind == tablePath {
			s.tables, s.isPrinted = append(s.tables, from), true
			continue
		}
		unread = append(unread, s.dropFor(p.Kind, from)...)
		of := []file.Source{found[p.Kind], s.members[p.Kind], s.inPlaceOf(p.Kind)}
		if at := slices.IndexFunc(of, file.Source.IsGiven); at >= 0 {
			if of[at].Name != p.Name {
				unread = append(unread, beside{p.Kind, from, of[at]})
			}
			continue
		}
		from.Member, from.Optional = p.Kind, true
		if strings.HasSuffix(p.Member, Packed) {
			from.Member += Packed
		}
		found[p.Kind] = from
		s.isPrinted = true
	}
	maps.Copy(s.members, found)
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		if best := s.inPlaceOf(kind); best.IsGiven() && best.Name != found[kind].Name {
			unread = append(unread, beside{kind, found[kind], best})
			delete(s.members, kind)
		}
	}
	s.sayUnread(unread)
	if s.First(Jobs).IsGiven() { // which tells all that they do
		f.Pass(tablePath)
		s.tables = nil
	}
	s.failed = append(s.failed, f.Failed()...)
	for _, r := range f.Passed() {
		s.remark(r)
	}
}

// tellingFirst returns prints with those in JSON first, which alone tell when they were made, whatever their files are called.
func (s *Snapshot) tellingFirst(all []file.Printed[string]) []file.Printed[string] {
	isText := func(p file.Printed[string]) int {
		if s.isJSON(p.Member) {
			return 0
		}
		return 1
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b file.Printed[string]) int { return isText(a) - isText(b) })
	return all
}

// isJSON reports whether a file of the tree is in JSON.
func (s *Snapshot) isJSON(at string) bool {
	begin, err := s.tree.Head(at)
	return err == nil && strings.HasPrefix(strings.TrimSpace(begin), "{")
}

// dropFor drops what was found by the names of its files and is in text, for a print in JSON that stands beside it.
func (s *Snapshot) dropFor(kind string, from file.Source) (unread []beside) {
	if !s.isJSON(s.within(from)) {
		return nil
	}
	isOf := func(member string) bool { return member == kind }
	if at := slices.IndexFunc(Members, func(m Member) bool { return isOf(m.Path) }); Members[at].Part == Jobs || Members[at].Part == Nodes {
		isOf = func(member string) bool {
			return slices.ContainsFunc(Members, func(m Member) bool { return m.Path == member && m.Part == Members[at].Part })
		}
	}
	for _, member := range slices.Sorted(maps.Keys(s.members)) {
		was := s.within(s.members[member])
		if isOf(member) && path.Dir(was) == path.Dir(s.within(from)) && !s.isJSON(was) {
			unread = append(unread, beside{member, s.members[member], from})
			delete(s.members, member)
		}
	}
	return unread
}

// setPastApart takes lists with jobs that have ended for the record that they are, where another list has none: that tells of now.
func (s *Snapshot) setPastApart(f *file.Folder[string]) {
	lists := s.All(Jobs)
	for _, p := range f.Parts {
		if isList(p.Kind) {
			lists = append(lists, s.tree.Source(p.Member))
		}
	}
	if len(lists) < 2 { // which is not read for that
		return
	}
	past, now := partEnded(lists)
	if len(past) == 0 || len(now) == 0 {
		return
	}
	s.past = append(s.past, past...)
	isPast := func(name string) bool {
		return slices.ContainsFunc(past, func(p file.Source) bool { return p.Name == name })
	}
	f.Parts = slices.DeleteFunc(f.Parts, func(p file.Printed[string]) bool { return isList(p.Kind) && isPast(p.Name) })
	maps.DeleteFunc(s.members, func(member string, from file.Source) bool { return isList(member) && isPast(from.Name) })
}

// isList reports whether a member is a list of jobs.
func isList(member string) bool {
	return slices.ContainsFunc(Members, func(m Member) bool { return m.Path == member && m.Part == Jobs })
}

// partEnded parts lists with jobs that have ended from others.
func partEnded(lists []file.Source) (past, now []file.Source) {
	for _, from := range lists {
		if qstat.HasEnded(from) {
			past = append(past, from)
		} else {
			now = append(now, from)
		}
	}
	return past, now
}

// Past returns the lists of a folder of prints that have jobs which have ended: the record that a user has of what ran.
func (s *Snapshot) Past() []file.Source {
	if s.past != nil || !s.isPrinted {
		return s.past
	}
	past, _ := partEnded(s.Jobs()[:min(1, len(s.Jobs()))])
	return past
}

// beside is a file that is not read, with the one that is read in its place.
type beside struct {
	member     string
	from, read file.Source
}

// is says what both files are.
func (b beside) is() string {
	return Members[slices.IndexFunc(Members, func(m Member) bool { return m.Path == b.member })].Is
}

// sayUnread says which files are not read, and how like they are those that are read.
func (s *Snapshot) sayUnread(all []beside) {
	type group struct {
		read, is string
		how      file.Likeness
	}
	names := map[group][]string{}
	var groups []group
	for _, b := range all {
		of := group{b.read.Name, b.is(), b.from.LikenessTo(b.read)}
		if isList(b.member) && of.how != file.Copy {
			s.beside = append(s.beside, b.from)
		}
		if names[of] == nil {
			groups = append(groups, of)
		}
		names[of] = append(names[of], b.from.Name)
	}
	for _, of := range groups {
		s.remark(file.NotRead(names[of], of.read, of.is, of.how, ""))
	}
}

// inPlaceOf returns the member that is read where there are several forms of what a member has, the zero Source where
// all of them are read.
func (s *Snapshot) inPlaceOf(kind string) file.Source {
	for _, m := range Members {
		if m.Path == kind && (m.Part == Jobs || m.Part == Nodes) {
			return s.First(m.Part)
		}
	}
	return file.Source{}
}
