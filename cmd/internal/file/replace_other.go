//go:build !linux

package file

import "io/fs"

func replace(path string, content []byte, mode fs.FileMode) error {
	return replaceNamed(path, content, mode)
}
