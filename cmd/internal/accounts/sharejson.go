package accounts

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/fstree"
)

// ShareNumber is a number in the JSON of sshare: plain, in quotes, or with whether it is set.
type ShareNumber struct {
	value             float64
	isSet, isInfinite bool
	isOdd             bool // whether it is of another type than numbers are
	quoted            string
}

// UnmarshalJSON implements json.Unmarshaler. What is no number is not set.
func (n *ShareNumber) UnmarshalJSON(text []byte) error {
	*n = ShareNumber{}
	var wrapped struct {
		Set, Infinite bool
		Number        float64
	}
	switch {
	case strings.HasPrefix(string(text), "{"):
		if n.isOdd = json.Unmarshal(text, &wrapped) != nil; !n.isOdd {
			*n = ShareNumber{value: wrapped.Number, isSet: wrapped.Set && !wrapped.Infinite, isInfinite: wrapped.Infinite}
		}
	case json.Unmarshal(text, &n.quoted) == nil && n.quoted != "":
		x, err := strconv.ParseFloat(n.quoted, 64)
		n.value, n.isSet, n.isOdd = x, err == nil, err != nil
	default:
		x := 0.0
		if n.isOdd = json.Unmarshal(text, &x) != nil || string(text) == "null"; !n.isOdd {
			*n = ShareNumber{value: x, isSet: true}
		}
	}
	return nil
}

// String returns a number as the table of sshare has it, UNLIMITED for one without a bound and "" for one that is not set.
func (n ShareNumber) String() string {
	switch {
	case n.quoted != "":
		return n.quoted
	case n.isInfinite:
		return "UNLIMITED"
	case n.isSet:
		return strconv.FormatFloat(n.value, 'f', -1, 64)
	}
	return ""
}

// orUnknown returns the number, NaN where none is set.
func (n ShareNumber) orUnknown() float64 {
	if !n.isSet {
		return math.NaN()
	}
	return n.value
}

// Share is an association in the JSON of sshare.
type Share struct {
	Name, Parent, Partition, Cluster string
	Type                             []string
	Shares, Usage                    ShareNumber
	NormShares                       ShareNumber `json:"shares_normalized"`
	NormUsage                        ShareNumber `json:"usage_normalized"`
	EffectiveUsage                   ShareNumber `json:"effective_usage"`
	Fairshare                        ShareFactors
}

// ShareFactors are what an algorithm makes of an association.
type ShareFactors struct{ Factor, Level ShareNumber }

// UnmarshalJSON implements json.Unmarshaler. What a version has in another form is not set: the tree does without.
func (f *ShareFactors) UnmarshalJSON(text []byte) error {
	type plain ShareFactors
	_ = json.Unmarshal(text, (*plain)(f))
	return nil
}

// IsUser reports whether an association is a user in an account.
func (s *Share) IsUser() bool { return slices.Contains(s.Type, "USER") }

// IsFromParent reports whether an association has no shares of its own.
func (s *Share) IsFromParent() bool { return s.Shares.value == math.MaxInt32 }

// ReadShares returns the associations that sshare --json prints. Its errors are *file.Problem.
func ReadShares(text string) ([]Share, error) {
	var whole struct{ Shares struct{ Shares []Share } }
	if err := json.Unmarshal([]byte(file.WithoutInfinity(text)), &whole); err != nil {
		return nil, &file.Problem{Line: 1, Message: fmt.Sprintf("sshare --json cannot be read: %v", err)}
	}
	return whole.Shares.Shares, nil
}

// parseShares reads what sshare --json prints.
func parseShares(text string) ([]line, error) {
	shares, err := ReadShares(text)
	if err != nil {
		return nil, err
	}
	var list []line
	accounts := map[string]int32{}
	for i, s := range shares {
		fail := func(format string, args ...any) error {
			return &file.Problem{Line: 1, Message: fmt.Sprintf("association %d of sshare --json: %s", i+1, fmt.Sprintf(format, args...))}
		}
		parent, isKnown := accounts[s.Parent]
		x := fstree.Association{Parent: parent, Name: s.Name, User: s.IsUser(), Usage: s.Usage.value, Shares: s.Shares.value}
		switch {
		case s.Name == "":
			return nil, fail("it has no name")
		case s.Shares.isOdd, s.Usage.isOdd:
			return nil, fail("the shares or the usage of %q are no number", s.Name)
		case s.Cluster != shares[0].Cluster:
			return nil, fail("it is of several clusters: give the shares of one")
		case s.Parent == "" && i == 0:
			x.Parent = -1
		case !isKnown:
			return nil, fail("account %q does not stand before its member %q", s.Parent, s.Name)
		}
		if x.FromParent = s.IsFromParent(); x.FromParent {
			x.Shares = 0
		}
		if x.User {
			x.Partition = s.Partition
		} else {
			accounts[s.Name] = int32(i)
		}
		list = append(list, line{x, note{number: 1, due: float32(s.NormShares.orUnknown()), used: s.EffectiveUsage.orUnknown(), norm: s.NormUsage.orUnknown()}})
	}
	if len(list) == 0 {
		return nil, &file.Problem{Line: 1, Message: "sshare --json has no association"}
	}
	return list, nil
}
