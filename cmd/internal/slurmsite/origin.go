package slurmsite

import (
	"context"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/fstree"
)

// Origin is where a Slurm site comes from: a folder or an archive with what its commands printed, or this host.
type Origin struct {
	Name    string // "" for this host
	Remarks []diag.Remark

	folder *folder // nil for this host
	run    Runner
}

// FindOrigin returns the origin in a tree. It is a *NotSiteError where there is nothing of a Slurm site.
func FindOrigin(t *file.Tree) (*Origin, error) {
	f, remarks, err := openIn(t)
	return &Origin{Name: t.Name, Remarks: remarks, folder: f}, err
}

// OpenOrigin returns the origin of a name, as FindOrigin does.
func OpenOrigin(name string) (*Origin, error) {
	t, err := file.OpenTree(name)
	if err != nil {
		return &Origin{Name: name}, err
	}
	return FindOrigin(t)
}

// HostOrigin returns the origin of this host. ok is false where Slurm's commands are not on it. Each of them has a
// time limit.
func HostOrigin(limit time.Duration) (o *Origin, ok bool) {
	run, ok := Here(limit)
	return &Origin{run: run}, ok
}

// IsHost reports whether it is this host.
func (o *Origin) IsHost() bool { return o.folder == nil }

// Site returns the site of an origin. Its Remarks are there beside an error too.
func (o *Origin) Site(ctx context.Context) (*Site, error) {
	if o.folder != nil {
		return read(o.Name, o.folder, o.Remarks)
	}
	d, err := ask(ctx, o.run, time.Now, commands[:ordering])
	if err != nil {
		return &Site{}, err
	}
	return d.Site()
}

// Now returns the state of the site of an origin, and how its scheduler is configured. Its times are those of a
// zone.
func (o *Origin) Now(ctx context.Context, zone *time.Location) (*Now, []diag.Remark, error) {
	if o.folder != nil {
		return readNow(o.Name, o.folder, o.Remarks, zone)
	}
	d, err := ask(ctx, o.run, time.Now, commands[:beginning])
	if err != nil {
		return nil, nil, err
	}
	return readNow(d.Name, d.folder(), d.Remarks, zone)
}

// Dump returns what the site of an origin prints.
func (o *Origin) Dump(ctx context.Context) (*Dump, error) {
	if o.folder != nil {
		return newDump(o.Name, o.folder, o.Remarks), nil
	}
	return Ask(ctx, o.run, time.Now)
}

// Tree returns the tree that the site of an origin has. A folder needs nothing else.
func (o *Origin) Tree(ctx context.Context) (*fstree.Associations, []diag.Remark, error) {
	if o.folder != nil {
		return treeOf(o.Name, o.folder, o.Remarks)
	}
	at, err := o.Site(ctx)
	if err == nil && at.Tree == nil {
		err = &MissingError{at.Name, "a whole tree: sshare -a -l -P prints it"}
	}
	return at.Tree, at.Remarks, err
}
