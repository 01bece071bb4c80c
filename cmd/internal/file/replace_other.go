//go:build !linux

package file

import "io/fs"

func replace(path string, content []byte, old fs.FileInfo) error {
	return replaceNamed(path, content, old)
}
