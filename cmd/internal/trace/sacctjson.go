package trace

import "bytes"

// isSacctJSON reports whether a text is the JSON of sacct.
func isSacctJSON(first []byte) bool {
	return bytes.Contains(first, []byte(`"jobs"`)) && bytes.Contains(first, []byte(`"allocation_nodes"`))
}
