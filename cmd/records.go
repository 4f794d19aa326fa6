package cmd

import (
	"errors"
	"io"
	"strconv"

	"github.com/quire-dev/quire/cmd/internal/folder"
	"github.com/quire-dev/quire/cmd/internal/page"
	"github.com/quire-dev/quire/cmd/internal/screen"
	"github.com/quire-dev/quire/cmd/internal/words"
)

// records are the files that say how a run went: summary, report page and failed list. They are
// opened before anything is sent, and written at the end of the run.
type records struct {
	summary *folder.File // of --summary; nil without it
	page    *folder.File // of --report; nil without it
	report  *page.Run
	failed  *folder.FailedList
}

func (j *job) openRecords(out *folder.Folder, report *page.Run) (_ *records, err error) {
	f, r := &j.flags.run, &records{report: report}
	defer func() {
		if err != nil {
			r.discard()
			err = &exitError{exitFailed, err}
		}
	}()
	if f.summary != "" {
		if r.summary, err = folder.OpenFile("summary", f.summary, j.disk); err != nil {
			return nil, err
		}
	}
	if report != nil {
		if r.page, err = folder.OpenFile("report", f.report, j.disk); err != nil {
			return nil, err
		}
	}
	r.failed, err = folder.NewFailedList(f.failed, out, j.disk, j.form.Extension, j.again)
	return r, err
}

// write writes the files.
func (r *records) write(sum *screen.Summary) error {
	lost := r.failed.Close()
	if r.page != nil {
		more := []page.Total{
			{Name: "files left out", Value: strconv.Itoa(sum.Skipped)}, {Name: "sent", Value: words.Size(sum.BytesSent)},
		}
		lost = errors.Join(lost, r.page.Fill(func(w io.Writer) error { return r.report.Write(w, more) }))
	}
	if r.summary != nil {
		lost = errors.Join(lost, r.summary.Fill(sum.Write))
	}
	return lost
}

// discard removes what was not written.
func (r *records) discard() {
	r.summary.Discard()
	r.page.Discard()
	r.failed.Discard()
}
