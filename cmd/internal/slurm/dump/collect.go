package dump

import (
	"bytes"
	"path"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
)

// Open returns what the folder of a site printed that has most of one. The name and the remarks are there beside
// an error as well.
func Open(name string) (*Dump, error) {
	t, err := file.OpenTree(name)
	if err != nil {
		return &Dump{Name: name}, err
	}
	return Find(t)
}

// Find returns what Open does of a tree.
func Find(t *file.Tree) (*Dump, error) { return findWithin(t, file.MostPrinted) }

// findWithin finds a site whose files have so many bytes at most.
func findWithin(t *file.Tree, largest int64) (*Dump, error) {
	folders, best, err := collect(t, file.Commands[Kind]{Largest: largest})
	if err != nil {
		return &Dump{Name: t.Name, Remarks: folders.Remarks}, err
	}
	for i := range best.Parts { // which were told by their begins
		if p := &best.Parts[i]; p.Kind == KindQueue && ofScontrol().MatchString(p.Text) {
			p.Kind = KindJobs
		}
	}
	d := &Dump{Name: t.Name, tree: t, Parts: slices.Clone(best.Parts)}
	pastedIn := sayPasted(best, t.FS == nil)
	included, others := d.dropIncluded()
	best.Use(included)
	strangers := d.findStrangers()
	kept, alike := withoutAlike(d.Parts)
	d.Parts, d.Remarks = kept, slices.Concat(folders.Remarks, folders.Take(best), others, alike, pastedIn)
	if strangers == nil {
		strangers = d.findStrangeConfig()
	}
	if strangers == nil {
		var apart []diag.Remark
		apart, strangers = d.findElsewhere()
		d.Remarks = append(apart, d.Remarks...)
	}
	return d, strangers
}

// collect returns the folders of a tree with what Slurm's commands printed, or one with a file alone that is enough, and
// the one that has most. how says what is kept of files.
func collect(t *file.Tree, how file.Commands[Kind]) (*file.Folders[Kind], *file.Folder[Kind], error) {
	how.Name, how.KindOf, how.Cut = "Slurm", KindOf, pasted
	how.Knows = func(kind string) bool { // what collect writes, and people may look at
		return kind == file.Asked || kind == file.Statistics
	}
	how.Weight = func(f *file.Folder[Kind]) int { // tables without names may be of anything
		kinds := f.Kinds()
		if len(file.OfKind(f.Parts, KindNameless)) > 0 {
			kinds--
		}
		return kinds
	}
	alone := path.Base(t.Name)
	switch {
	case t.FS != nil || IsEnough(t):
	case KindOf(string(t.First)) == KindConf:
		alone = "slurm.conf"
	default:
		return &file.Folders[Kind]{Remarks: t.Remarks}, nil, &NotSiteError{t.Name, PieceOf(t.First)}
	}
	folders, err := how.Folders(t, alone)
	if err != nil {
		return folders, nil, err
	}
	best := folders.Best()
	if best == nil {
		return folders, nil, &NotSiteError{Name: t.Name}
	}
	return folders, best, nil
}

// IsConf reports whether a file of its own is a slurm.conf.
func IsConf(t *file.Tree) bool {
	return t.FS == nil && bytes.IndexByte(t.First, 0) < 0 && KindOf(string(t.First)) == KindConf
}
