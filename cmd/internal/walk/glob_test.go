package walk

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWalkGlobs(t *testing.T) {
	plant(t, "in/a.pdf", "in/b.txt", "in/old/c.pdf", "in/sub/old/d.pdf", "in/sub/e.txt", "in/sub/f.pdf", "in/sub/old.pdf")
	everything := []string{"a.pdf", "b.txt", "old/c.pdf", "sub/e.txt", "sub/f.pdf", "sub/old/d.pdf", "sub/old.pdf"}
	pdfs := []string{"a.pdf", "old/c.pdf", "sub/f.pdf", "sub/old/d.pdf", "sub/old.pdf"}
	for name, test := range map[string]struct {
		include, exclude []string
		want             []string
	}{
		"none":                        {nil, nil, everything},
		"a name anywhere":             {[]string{"*.pdf"}, nil, pdfs},
		"alternatives":                {[]string{"*.{pdf,doc}"}, nil, pdfs},
		"a path from the root":        {[]string{"sub/*.pdf"}, nil, []string{"sub/f.pdf", "sub/old.pdf"}},
		"anchored":                    {[]string{"/*.pdf"}, nil, []string{"a.pdf"}},
		"any depth":                   {[]string{"**/old/*"}, nil, []string{"old/c.pdf", "sub/old/d.pdf"}},
		"one of several":              {[]string{"a.*", "b.*"}, nil, []string{"a.pdf", "b.txt"}},
		"a folder's name takes none":  {[]string{"old"}, nil, nil},
		"exclude wins":                {[]string{"*.pdf"}, []string{"f.*"}, []string{"a.pdf", "old/c.pdf", "sub/old/d.pdf", "sub/old.pdf"}},
		"exclude prunes":              {nil, []string{"old"}, []string{"a.pdf", "b.txt", "sub/e.txt", "sub/f.pdf", "sub/old.pdf"}},
		"exclude prunes a path":       {nil, []string{"sub/**"}, []string{"a.pdf", "b.txt", "old/c.pdf"}},
		"exclude folders alone":       {nil, []string{"old*/"}, []string{"a.pdf", "b.txt", "sub/e.txt", "sub/f.pdf", "sub/old.pdf"}},
		"exclude folders and files":   {nil, []string{"old*"}, []string{"a.pdf", "b.txt", "sub/e.txt", "sub/f.pdf"}},
		"exclude a folder's path":     {nil, []string{"/old/"}, []string{"a.pdf", "b.txt", "sub/e.txt", "sub/f.pdf", "sub/old/d.pdf", "sub/old.pdf"}},
		"the root is never pruned":    {nil, []string{"in"}, everything},
		"a star does not cross":       {[]string{"s*"}, nil, nil},
		"class":                       {[]string{"[!a-e].pdf"}, nil, []string{"sub/f.pdf"}},
		"escaped":                     {[]string{`\a.pdf`}, nil, []string{"a.pdf"}},
		"paths are from the own root": {[]string{"in/*.pdf"}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w, err := New(Options{Roots: []string{"in"}, Include: test.include, Exclude: test.exclude})
			require.NoError(t, err)
			var got []string
			for e := range w.Entries(t.Context()) {
				if e.Document() {
					got = append(got, e.Name)
					continue
				}
				require.Equal(t, skipExcluded, e.Skip)
				require.True(t, e.Quiet)
			}
			require.Equal(t, test.want, got)
		})
	}
}

func TestWalkBadGlobs(t *testing.T) {
	for _, test := range []struct {
		o    Options
		want string
	}{
		{Options{Include: []string{"*", "[a"}}, `--include "[a": not a glob`},
		{Options{Exclude: []string{"{a"}}, `--exclude "{a": not a glob`},
		{Options{Exclude: []string{""}}, `--exclude "": not a glob`},
		{Options{Exclude: []string{"/"}}, `--exclude "/": not a glob`},
		{Options{Include: []string{"docs/"}}, `--include "docs/" matches folders only; use "docs/**" for their content`},
	} {
		_, err := New(test.o)
		require.EqualError(t, err, test.want)
		require.ErrorAs(t, err, new(*UsageError))
	}
}
