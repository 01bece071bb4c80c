package pbs

import (
	"fairshare/cmd/internal/diag"
	"fairshare/formula"
)

// CheckPrints says which values PBS would not take, of the server, the schedulers and queues, in what qmgr and qstat printed of a site, as
// of commands for qmgr: a copy that somebody has edited may have some. Resources are those of the site, nil where they are not known.
func (f *Files) CheckPrints(resources map[string]formula.Type) (remarks []diag.Remark) {
	for _, from := range append(f.Sched[:len(f.Sched):len(f.Sched)], f.Queues...) {
		text, err := from.Text(maxFile)
		if err != nil {
			continue // which is told when it is read for what it says
		}
		objects, _ := ParseObjects(from.Name, text)
		k := known{resources: resources, isAll: resources != nil}
		for _, o := range objects {
			for _, a := range o.Attributes {
				is := SettingOf(ownerOf[o.Kind], a.Name)
				if is == nil || o.Kind == "resource" || a.Line == 0 || a.Name == formulaName {
					continue
				}
				if err := k.check(is, a.Name, a.Value); err != nil {
					remarks = append(remarks, refused(from.Name, o, a, err))
				}
			}
		}
	}
	return remarks
}
