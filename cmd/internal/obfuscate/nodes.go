package obfuscate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/diag"
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
	text, err := from.Text(maxText)
	if err != nil {
		o.remarks = append(o.remarks, diag.Damagef("%v", err))
		return nil
	}
	list, err := cluster.Describe(text)
	if err != nil {
		o.remarks = append(o.remarks, diag.Damagef("%s is left out: %v", from.Name, err))
		return nil
	}
	var out strings.Builder
	for _, vnode := range list {
		fmt.Fprintf(&out, "%s\n", o.vnode(vnode[""]))
		for _, name := range slices.Sorted(maps.Keys(vnode)) {
			if value := o.vnodeAttribute(name, vnode[name]); value != "" {
				base, resource, isOfResource := strings.Cut(name, ".")
				if isOfResource {
					name = base + "." + o.resourceName(resource)
				}
				fmt.Fprintf(&out, "     %s = %s\n", name, value)
			}
		}
		out.WriteString("\n")
	}
	o.files[nodesPath] = []byte(out.String())
	return nil
}

// vnodeAttribute returns the value of an attribute of a vnode, "" for one that is
// left out.
func (o *obfuscator) vnodeAttribute(name, value string) string {
	base, resource, _ := strings.Cut(name, ".")
	switch base {
	case "resources_available", "resources_assigned":
		return o.resource(resource, value)
	case "Mom":
		return each(value, ",", func(host string) string { return o.name("host", host) })
	case "queue":
		return o.queue(value)
	case "state", "sharing", "Priority", "pcpus", "pbs_version", "ntype", "resv_enable", "in_multivnode_host":
		return o.plain(value)
	}
	return ""
}
