package accounts

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/fstree"
)

// slurmNumber is a number in Slurm's JSON: plain, or with whether it is set.
type slurmNumber struct {
	value float64
	isSet bool
}

// UnmarshalJSON implements json.Unmarshaler. What is no number is not set.
func (n *slurmNumber) UnmarshalJSON(text []byte) error {
	*n = slurmNumber{}
	var wrapped struct {
		Set, Infinite bool
		Number        float64
	}
	if json.Unmarshal(text, &wrapped) == nil && strings.HasPrefix(string(text), "{") {
		*n = slurmNumber{wrapped.Number, wrapped.Set && !wrapped.Infinite}
		return nil
	}
	if x := 0.0; json.Unmarshal(text, &x) == nil && string(text) != "null" {
		*n = slurmNumber{x, true}
	}
	return nil
}

// slurmShare is an association in the JSON of sshare.
type slurmShare struct {
	Name, Parent, Partition, Cluster string
	Shares, Usage                    slurmNumber
	Norm                             slurmNumber `json:"usage_normalized"`
	Type                             []string
}

// parseShares reads what sshare --json prints.
func parseShares(text string) ([]line, error) {
	var whole struct{ Shares struct{ Shares []slurmShare } }
	if err := json.Unmarshal([]byte(file.WithoutInfinity(text)), &whole); err != nil {
		return nil, &file.Problem{Line: 1, Message: fmt.Sprintf("sshare --json cannot be read: %v", err)}
	}
	const ofParent = math.MaxInt32 // shares that stand for those of the account
	var list []line
	accounts := map[string]int32{}
	for i, s := range whole.Shares.Shares {
		fail := func(format string, args ...any) error {
			return &file.Problem{Line: 1, Message: fmt.Sprintf("association %d of sshare --json: %s", i+1, fmt.Sprintf(format, args...))}
		}
		parent, isKnown := accounts[s.Parent]
		x := fstree.Association{Parent: parent, Name: s.Name, User: slices.Contains(s.Type, "USER"), Usage: s.Usage.value, Shares: s.Shares.value}
		switch {
		case s.Name == "":
			return nil, fail("it has no name")
		case s.Cluster != whole.Shares.Shares[0].Cluster:
			return nil, fail("it is of several clusters: give the shares of one")
		case s.Parent == "" && i == 0:
			x.Parent = -1
		case !isKnown:
			return nil, fail("account %q does not stand before its member %q", s.Parent, s.Name)
		}
		if x.FromParent = s.Shares.value == ofParent; x.FromParent {
			x.Shares = 0
		}
		if x.User {
			x.Partition = s.Partition
		} else {
			accounts[s.Name] = int32(i)
		}
		norm := math.NaN()
		if s.Norm.isSet {
			norm = s.Norm.value
		}
		list = append(list, line{x, 1, norm})
	}
	if len(list) == 0 {
		return nil, &file.Problem{Line: 1, Message: "sshare --json has no association"}
	}
	return list, nil
}
