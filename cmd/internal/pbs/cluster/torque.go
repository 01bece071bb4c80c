package cluster

import "strings"

// isTorque reports whether TORQUE printed a vnode: it has np, which PBS does not know, and no resources.
func (a attributes) isTorque() bool { return a["np"] != "" && a[prefix+"ncpus"] == "" }

// addTorque adds to what a vnode has what TORQUE says of it: np slots, gpus, and the memory that its status tells.
func (a attributes) addTorque(words map[string]string) {
	words["ncpus"] = a["np"]
	if gpus := a["gpus"]; gpus != "" && gpus != "0" {
		words["ngpus"] = gpus
	}
	for part := range strings.SplitSeq(a["status"], ",") {
		if name, value, _ := strings.Cut(part, "="); name == "physmem" && isAmount(value) {
			words["mem"] = value
		}
	}
}
