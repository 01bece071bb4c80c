package accounts

import (
	"fmt"
	"strconv"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/fstree"
)

// sharesOfParent is what Slurm's memory has as the shares of an association with Fairshare=parent.
const sharesOfParent = 2147483647

// ParseManager returns the tree that scontrol show assoc_mgr prints, with raw shares and usage.
// It is an error where several clusters, or users in single partitions, have associations.
func ParseManager(text string) (*fstree.Associations, error) {
	var nodes []node
	at := map[string]int{} // of accounts and users in accounts, their places in nodes
	number := 0
	for row := range strings.Lines(text) {
		number++
		fields := map[string]string{}
		for word := range strings.FieldsSeq(row) {
			if key, value, ok := strings.Cut(word, "="); ok {
				fields[key] = value
			}
		}
		last := len(nodes) - 1
		switch {
		case strings.HasPrefix(row, "QOS Records"):
			return managerTree(nodes)
		case strings.HasPrefix(row, "ClusterName="):
			account := fields["Account"]
			user, _, _ := strings.Cut(fields["UserName"], "(")
			n := node{line: line{Association: fstree.Association{Name: account}, note: note{number: int32(number)}}, kind: "account"}
			if user != "" {
				n.Name, n.Partition, n.User, n.kind, n.parent = user, fields["Partition"], true, "user", account
			}
			key := account + "/" + user + "/" + n.Partition
			if _, isTwice := at[key]; isTwice || account == "" {
				return nil, &file.Problem{Line: number, Message: fmt.Sprintf("the association of %s/%s occurs twice, as of several clusters", account, user)}
			}
			at[key] = len(nodes)
			nodes = append(nodes, n)
		case last < 0:
		case fields["SharesRaw/Norm/Level/Factor"] != "":
			shares, _, _ := strings.Cut(fields["SharesRaw/Norm/Level/Factor"], "/")
			x, err := strconv.ParseFloat(shares, 64)
			if err != nil || !(x >= 0) {
				return nil, &file.Problem{Line: number, Message: fmt.Sprintf("%q are no shares", shares)}
			}
			if nodes[last].FromParent = x == sharesOfParent; !nodes[last].FromParent {
				nodes[last].Shares = x
			}
		case fields["UsageRaw/Norm/Efctv"] != "":
			usage, _, _ := strings.Cut(fields["UsageRaw/Norm/Efctv"], "/")
			x, err := strconv.ParseFloat(usage, 64)
			if err != nil || !(x >= 0) {
				return nil, &file.Problem{Line: number, Message: fmt.Sprintf("%q is no usage", usage)}
			}
			nodes[last].Usage, nodes[last].hasUsage = x, true
		case fields["ParentAccount"] != "" && !nodes[last].User:
			nodes[last].parent, _, _ = strings.Cut(fields["ParentAccount"], "(")
		}
	}
	return nil, &file.Problem{Line: number, Message: "it ends within the associations"}
}

// managerTree returns the tree of the associations that were read.
func managerTree(nodes []node) (*fstree.Associations, error) {
	for _, n := range nodes {
		if !n.hasUsage || n.parent == "" && !n.isRoot() {
			return nil, &file.Problem{Line: int(n.number), Message: fmt.Sprintf("the association %s has no usage or no parent", n.Name)}
		}
	}
	list, err := arrange(nodes)
	if err != nil {
		return nil, err
	}
	associations := make([]fstree.Association, len(list))
	for i, l := range list {
		associations[i] = l.Association
	}
	return fstree.NewAssociations(associations)
}
