package trace

import "bytes"

// runsOn keeps the hosts of an exec_host, such as n1/0*8+n2/0*8.
func (t *Trace) runsOn(j *Job, text []byte) {
	if text == nil {
		return
	}
	hosts, n := hostsOf(text)
	if j.HostCount = int32(n); t.done == nil {
		j.Hosts = t.Names.number(hosts)
	}
}

// hostsOf returns the hosts of an exec_host, or the vnodes of an exec_vnode, each once and parted by commas, and how many they are.
func hostsOf(text []byte) (hosts []byte, n int) {
	var seen map[string]bool // once there are several
	var last []byte
	for part := range bytes.SplitSeq(text, []byte("+")) {
		host, _, _ := bytes.Cut(bytes.TrimLeft(part, "("), []byte("/"))
		host, _, _ = bytes.Cut(bytes.TrimRight(host, ")"), []byte(":")) // of an exec_vnode
		if len(host) == 0 || bytes.Equal(host, last) || seen[string(host)] {
			continue
		}
		if n > 0 {
			if seen == nil {
				seen = map[string]bool{string(last): true}
			}
			seen[string(host)] = true
			hosts = append(hosts, ',')
		}
		hosts, last, n = append(hosts, host...), host, n+1
	}
	return hosts, n
}
