package journal

import (
	"errors"
	"os"
	"path"
)

// compact writes the manifest anew without the records that others have replaced.
func (j *Journal) compact() (err error) {
	temp := path.Join(tempName, manifestName)
	file, err := j.root.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	anew := &Journal{root: j.root, disk: j.disk, manifest: file, index: make(map[nameKey]place, len(j.index))}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close(), j.root.Remove(temp))
		}
	}()
	if err := anew.begin(); err != nil {
		return err
	}
	var batch []Record
	flush := func() error {
		err := anew.Append(batch...)
		batch = batch[:0]
		return err
	}
	for r := range j.Unseen(false) {
		if batch = append(batch, r); len(batch) == compactFrom {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	if err := j.disk.Rename(j.root, temp, manifestName); err != nil {
		return err
	}
	old := j.manifest
	j.manifest, j.end, j.lines, j.index = anew.manifest, anew.end, anew.lines, anew.index
	for key, p := range j.index {
		p.seen = false
		j.index[key] = p
	}
	return old.Close()
}
