package accounts

import (
	"fmt"
	"strings"
	"testing"
)

// Shares or a usage of a type that numbers do not have are refused, and not taken for 0.
func TestOddShares(t *testing.T) {
	read := func(shares, usage string) error {
		const root = `{"name":"root","parent":"","shares":{"set":false,"infinite":false,"number":0},"usage":5}`
		_, err := parseShares(fmt.Sprintf(`{"shares":{"shares":[%s,{"name":"chem","parent":"root","shares":%s,"usage":%s}]}}`, root, shares, usage))
		return err
	}
	for value, isGood := range map[string]bool{"5": true, `"5"`: true, `{"set":true,"infinite":false,"number":5}`: true, "null": false, "[5]": false, "true": false, `"many"`: false, `{"set":true,"number":"5"}`: false} {
		for _, err := range []error{read(value, "1"), read("1", value)} {
			if (err == nil) != isGood || !isGood && !strings.Contains(err.Error(), `the shares or the usage of "chem" are no number`) {
				t.Errorf("%s: %v", value, err)
			}
		}
	}
}
