package split_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quire-dev/quire/split"
)

// lockKinds are all revisions of the standard security handler; the first is no encryption.
var lockKinds = []struct {
	name string
	cryptKind
}{
	{"plain", cryptKind{}}, {"R2", rc4Short}, {"R3", rc4Long}, {"R4 RC4", rc4Named}, {"R4 AES", aesShort}, {"R5", aesFirst}, {"R6", aesLong},
}

// A lockLayout is a way to write a file.
type lockLayout struct {
	name  string
	write func(p *pdf) string
}

var lockLayouts = []lockLayout{
	{"classic", made}, {"packed", (*pdf).compact}, {"linearized", linearizedOf},
}

// tailDamages are what happens to the end of a file.
func tailDamages() map[string]func(file string) string {
	all := map[string]func(file string) string{
		"eof gone":   func(file string) string { return strings.TrimSuffix(file, "%%EOF\n") },
		"eof halved": func(file string) string { return strings.TrimSuffix(file, "OF\n") },
		"bom":        func(file string) string { return "\xef\xbb\xbf" + file },
		"blank line": func(file string) string { return "\r\n" + file },
		"zeros":      func(file string) string { return file + strings.Repeat("\x00", 3000) },
	}
	for _, off := range []int{-20, -1, 1, 7} {
		all[fmt.Sprintf("startxref %+d", off)] = func(file string) string {
			return restart(file, func(start int) string { return fmt.Sprint(start + off) })
		}
	}
	for _, n := range []int{1, 6, 10, 12, 30, 60, 100, 150, 200} {
		all[fmt.Sprintf("cut %d", n)] = func(file string) string { return file[:len(file)-n] }
	}
	return all
}

// A damaged file is read right or is damaged, however it is encrypted. Who has no password for a
// file that needs none, or has the right one, is never told to find one.
func TestA3DamagedAndEncrypted(t *testing.T) {
	damages := tailDamages()
	split, whole := 0, 0
	for _, kind := range lockKinds {
		for _, layout := range lockLayouts {
			if kind.revision == 2 && layout.name == "packed" {
				continue // no object streams then
			}
			for _, user := range []string{"", userWord} {
				if user != "" && kind.name == "plain" {
					continue
				}
				p := book("a3", 4)
				if kind.name != "plain" {
					p.lock(kind.cryptKind, user)
				}
				file := layout.write(p)
				passwords := []string{"", ownerWord}
				if user != "" {
					passwords = []string{user, ownerWord}
				}
				for damage, change := range damages {
					for _, password := range passwords {
						name := fmt.Sprintf("%s/%s/user %q/%s/password %q", kind.name, layout.name, user, damage, password)
						if readsRight(t, "a3", name, []byte(change(file)), password) {
							split++
						} else {
							whole++
						}
					}
				}
			}
		}
	}
	t.Logf("%d split, %d sent whole", split, whole)
}

// readsRight reports whether a book of that title is split, and requires that it is right then, and
// else damaged.
func readsRight(t *testing.T, title, name string, data []byte, password string) bool {
	t.Helper()
	d, err := openOdd(t, data, password)
	if err == nil {
		_, err = d.Chunk(t.Context(), split.PageRange{First: 1, Last: d.Pages()})
	}
	if err != nil {
		require.ErrorIs(t, err, split.ErrDamaged, name)
		require.NotErrorIs(t, err, split.ErrEncrypted, name)
		return false
	}
	odd{name: title, right: isSplit, pages: 4}.check(t, d)
	return true
}

// An encryption dictionary can be spelled in many ways.
func TestA3DictionariesOfAllSorts(t *testing.T) {
	for _, kind := range lockKinds[1:] {
		for _, user := range []string{"", userWord} {
			for name, edit := range map[string]func(p *pdf, nr int){
				"unsigned permissions": func(p *pdf, nr int) { p.edit(nr, "/P -4", "/P 4294967292") },
				"real permissions":     func(p *pdf, nr int) { p.edit(nr, "/P -4", "/P -4.0") },
				"longer entries": func(p *pdf, nr int) {
					if kind.revision >= 5 {
						p.edit(nr, "/UE<", strings.Repeat("\n", 3)+"/UE<")
						p.objects[nr] = regexp.MustCompile(`(/[OU])<([0-9a-f]+)>`).ReplaceAllString(p.objects[nr], "$1<${2}"+strings.Repeat("00", 79)+">")
					}
				},
				"length in bytes": func(p *pdf, nr int) {
					if kind.version >= 2 {
						p.edit(nr, fmt.Sprintf("/R %d/Length %d", kind.revision, 8*kind.length), fmt.Sprintf("/R %d/Length %d", kind.revision, kind.length))
					}
				},
				"length of the filter in bits": func(p *pdf, nr int) {
					if kind.method != "" {
						p.edit(nr, fmt.Sprintf("/DocOpen/Length %d", kind.length), fmt.Sprintf("/DocOpen/Length %d", 8*kind.length))
					}
				},
				"no length": func(p *pdf, nr int) {
					if kind.version >= 4 {
						p.edit(nr, fmt.Sprintf("/R %d/Length %d", kind.revision, 8*kind.length), fmt.Sprintf("/R %d", kind.revision))
					}
				},
				"damaged permissions": func(p *pdf, nr int) {
					if kind.revision >= 5 {
						p.objects[nr] = regexp.MustCompile(`/Perms<[0-9a-f]+>`).ReplaceAllString(p.objects[nr], "/Perms<"+strings.Repeat("11", 16)+">")
					}
				},
				"in the trailer": func(p *pdf, nr int) {
					p.trailer = strings.Replace(p.trailer, fmt.Sprintf("/Encrypt %d 0 R", nr), "/Encrypt"+p.objects[nr], 1)
					delete(p.objects, nr)
				},
				"entries of their own": func(p *pdf, nr int) {
					o := regexp.MustCompile(`/O(<[0-9a-f]+>)`)
					other := p.add("%s", o.FindStringSubmatch(p.objects[nr])[1])
					p.objects[nr] = o.ReplaceAllString(p.objects[nr], fmt.Sprintf("/O %d 0 R", other))
				},
			} {
				p := book("a3", 4).lock(kind.cryptKind, user)
				edit(p, p.crypt.number)
				passwords := []string{user, ownerWord}
				for _, password := range passwords {
					what := fmt.Sprintf("%s/user %q/%s/password %q", kind.name, user, name, password)
					if !readsRight(t, "a3", what, []byte(made(p)), password) {
						t.Log(what, "is sent whole")
					}
				}
			}
		}
	}
}
