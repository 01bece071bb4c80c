package file

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// GiveToCaller gives a file or a folder that was written under sudo to who called sudo, whose site it is from then on.
// Without sudo it does nothing.
func GiveToCaller(name string) error {
	user, err := strconv.Atoi(os.Getenv("SUDO_UID"))
	group, wrong := strconv.Atoi(os.Getenv("SUDO_GID"))
	if err != nil || wrong != nil || os.Geteuid() != 0 {
		return nil
	}
	return filepath.WalkDir(name, func(at string, _ fs.DirEntry, err error) error {
		if err == nil {
			err = os.Lchown(at, user, group)
		}
		if err != nil {
			return fmt.Errorf("it belongs to root and cannot be given to who called sudo (chown %d %s does it): %w", user, name, err)
		}
		return nil
	})
}
