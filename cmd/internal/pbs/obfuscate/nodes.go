package obfuscate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
)

// nodesPath is where the vnodes of an obfuscated snapshot are, as text.
const nodesPath = "node/pbsnodes_va.out"

// nodes rewrites what pbsnodes prints in any form as text, in its order, which
// placement goes by.
func (o *obfuscator) nodes() error {
	from := o.from.Nodes()
	if !from.IsGiven() {
		return nil
	}
	text, err := from.Text(file.MostPrinted)
	if err != nil {
		o.remarks = append(o.remarks, diag.Damagef("%v", err))
		return nil
	}
	list, err := cluster.ReadListing(text)
	if err != nil {
		o.remarks = append(o.remarks, diag.Damagef("%s is left out: %v", from.Name, err))
		return nil
	}
	var out strings.Builder
	for vnode := range list.Vnodes() {
		fmt.Fprintf(&out, "%s\n", o.vnode(vnode[""]))
		for _, name := range slices.Sorted(maps.Keys(vnode)) {
			o.write(&out, "     ", pbs.OfVnode, name, vnode[name])
		}
		out.WriteString("\n")
	}
	o.files[nodesPath] = []byte(out.String())
	return nil
}
