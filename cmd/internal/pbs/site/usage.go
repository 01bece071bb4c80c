package site

import (
	"fmt"
	"iter"
	"path/filepath"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/usagefile"
)

// ReadUsage returns the usage database of a file, with remarks on what is wrong with it.
func ReadUsage(name string) (*usagefile.Database, []diag.Remark, error) {
	const most = 4 << 30
	text, err := file.DirAt(filepath.Dir(name)).Read(filepath.Base(name), most)
	if err != nil {
		return nil, nil, err
	}
	db := usagefile.Parse(text)
	const enough = 4 << 10
	kind := file.KindOf([]byte(text[:min(len(text), enough)]))
	damage, isDamaged := db.Damage()
	switch isNone := isDamaged && damage.Offset == 0 || len(db.Records) == 0 && isDamaged; {
	case kind == "a usage database":
	case kind != "" && kind != file.NoText:
		return nil, nil, fmt.Errorf("%s is %s, and no usage database", name, kind)
	case kind == file.NoText && !isNone: // as the first version of the database is
	default:
		return nil, nil, fmt.Errorf("%s is no usage database", name)
	}
	var remarks []diag.Remark
	for i, problem := range db.Problems {
		remarks = append(remarks, diag.Warningf("%s: %v", name, problem))
		remarks[i].IsDamage = i == 0 // for all of them, which are told one by one
	}
	return db, remarks, nil
}

// Priv is a sched_priv that usage is computed with.
type Priv struct {
	*pbs.SchedPriv
	Has     func(queue string) bool // whether its scheduler places the jobs of a queue
	IsOther bool                    // whether it is not the one of the site that the logs come from
	Taken   int64                   // when the snapshot was that it is of, 0 if it is not known
}

// PrivOf returns the sched_priv of a name, or for "" of the snapshot that logs come from: of the scheduler that places
// the jobs of a partition, or for "" of the default one.
func PrivOf(name, partition string, logs *Logs) (Priv, []diag.Remark, error) {
	var remarks []diag.Remark
	p := Priv{IsOther: name != ""}
	files := pbs.Files{SchedPriv: file.DirAt(name)}
	for _, snap := range logs.Snapshots() {
		own := snap.Files()
		if name != "" {
			own.SchedPriv, own.Further = files.SchedPriv, nil
		}
		if own.SchedPriv.Name == "" {
			continue
		}
		files = pbs.Files{SchedPriv: own.SchedPriv, Further: own.Further, Sched: own.Sched, Queues: own.Queues}
		if name == "" {
			remarks = append(remarks, snap.Remarks...)
			if taken, ok := snap.Taken(); ok {
				p.Taken = taken.Unix()
			}
		}
	}
	if files.SchedPriv.Name == "" {
		return p, remarks, diag.Requestf("%s has jobs alone, and usage needs a fairshare tree and its decay as well: give a sched_priv with --under DIR, or a snapshot that has one; of a Slurm site, name the site before the table; of a flux site, formula shares SITE prints its usage; formula history prints what jobs have used", strings.Join(logs.names, ", "))
	}
	site, more, err := files.OfTree(partition)
	if err != nil {
		return p, remarks, err
	}
	remarks = append(remarks, more...)
	if site.SchedPriv == nil {
		return p, remarks, fmt.Errorf("%s cannot be read", files.SchedPriv.Name)
	}
	p.Has = site.Places
	if config := site.SchedPriv.Config; !config.Prime.FairShare && !config.NonPrime.FairShare {
		remarks = append(remarks, diag.Warningf("fair_share is off in sched_config: PBS would not accrue"))
	}
	p.SchedPriv = site.SchedPriv
	return p, remarks, nil
}

// Recorded returns the usage that the site of the logs has recorded at their end, nothing
// where that is not known.
func (p Priv) Recorded() iter.Seq2[string, float64] {
	if p.Usage == nil || p.IsOther {
		return func(func(string, float64) bool) {}
	}
	return p.Usage.All()
}
