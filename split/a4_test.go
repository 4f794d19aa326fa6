package split_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/split"
)

// That an encrypted file is one may be lost with its end. Then some streams can be read all the
// same: those that are never encrypted. They say nothing about the pages.
func TestA4WhatIsNeverEncrypted(t *testing.T) {
	for _, kind := range lockKinds[1:] {
		for _, compressed := range []bool{true, false} {
			t.Run(fmt.Sprint(kind.name, " ", compressed), func(t *testing.T) {
				p := book("a4", 4)
				clear := p.stream("/Type/Metadata/Subtype/XML/Filter/FlateDecode", flate(strings.Repeat("<x:xmpmeta/>", 50)))
				plain := p.stream("", "A text that is as it is.")
				p.edit(catalogNr, "/Pages", fmt.Sprintf("/Metadata %d 0 R/Pages", clear))
				for n := 1; n <= 4 && compressed; n++ {
					p.compress(contentNr(n))
				}
				p.lock(kind.cryptKind, "")
				file := made(p)
				for _, nr := range []int{clear, plain} { // as they were
					file = strings.Replace(file, p.object(nr), unlocked(p, nr), 1)
				}
				file = file[:strings.Index(file, fmt.Sprintf("\n%d 0 obj", p.crypt.number))+1]
				d, err := openOdd(t, []byte(file), "")
				if err == nil {
					_, err = d.Chunk(t.Context(), split.PageRange{First: 1, Last: 4})
				}
				require.ErrorIs(t, err, split.ErrDamaged)
				require.NotErrorIs(t, err, split.ErrEncrypted)
				t.Log(err)
			})
		}
	}
}

// unlocked is an object as it is without encryption.
func unlocked(p *pdf, nr int) string {
	lock := p.crypt
	p.crypt = nil
	defer func() { p.crypt = lock }()
	return p.object(nr)
}
