package local

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// A mark at the beginning decides the encoding, before what the request says. A mark of UTF-32 is
// not looked for.
var byteOrderMarks = []struct{ mark, name string }{
	{"\xef\xbb\xbf", "utf-8"},
	{"\xff\xfe", "utf-16le"},
	{"\xfe\xff", "utf-16be"},
}

// text is the content as UTF-8 with plain line ends. name is the encoding that the request gives;
// none means UTF-8. Bytes that are not valid in the encoding are a failure.
func (u *upload) text(name string) (string, error) {
	data, err := u.bytes()
	if err != nil {
		return "", err
	}
	data, name = cutMark(data, name)
	decoded, err := decode(data, name)
	if err != nil {
		return "", err
	}
	return strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "").Replace(decoded), nil
}

func cutMark(data []byte, name string) ([]byte, string) {
	for _, m := range byteOrderMarks {
		if rest, found := bytes.CutPrefix(data, []byte(m.mark)); found {
			return rest, m.name
		}
	}
	return data, name
}

func decode(data []byte, name string) (string, error) {
	codec, label, err := codecOf(name)
	if err != nil {
		return "", err
	}
	if codec == nil {
		if at, why := invalidUTF8(data); why != "" {
			return "", undecodable(fmt.Sprintf("'%s' codec can't decode byte 0x%02x in position %d: %s", label, data[at], at, why))
		}
		return string(data), nil
	}
	decoded, err := codec.NewDecoder().Bytes(data)
	if err != nil || bytes.ContainsRune(decoded, utf8.RuneError) {
		return "", undecodable(fmt.Sprintf("'%s' codec can't decode the document", label))
	}
	return string(decoded), nil
}

// pythonNames are Python's names of encodings that the web calls otherwise.
var pythonNames = map[string]string{
	"latin-1": "latin1", "latin": "latin1", "l1": "latin1", "cp819": "latin1",
	"cp932": "shift-jis", "cp936": "gbk", "cp949": "euc-kr", "cp950": "big5", "utf-16-le": "utf-16le", "utf-16-be": "utf-16be",
}

// codecOf finds an encoding by its name in Python's or the web's spelling; nil is UTF-8.
func codecOf(name string) (encoding.Encoding, string, error) {
	label := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "_", "-")
	switch label {
	case "", "utf-8", "utf8", "utf-8-sig", "ascii", "us-ascii":
		return nil, "utf-8", nil
	case "utf-16", "utf16":
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "utf-16", nil
	}
	web, is := pythonNames[label]
	if !is {
		web = label
	}
	codec, err := htmlindex.Get(web)
	if err != nil {
		return nil, "", undecodable("unknown encoding: " + name)
	}
	return codec, label, nil
}

func undecodable(detail string) *failure {
	return &failure{status: http.StatusInternalServerError, detail: detail}
}

// invalidUTF8 finds the first byte that is wrong and says what is wrong with it in Python's words.
func invalidUTF8(data []byte) (at int, why string) {
	for at < len(data) {
		c, size := utf8.DecodeRune(data[at:])
		if c != utf8.RuneError || size > 1 {
			at += size
			continue
		}
		switch first := data[at]; {
		case first < 0xc2 || first > 0xf4:
			return at, "invalid start byte"
		case !utf8.FullRune(data[at:]):
			return at, "unexpected end of data"
		}
		return at, "invalid continuation byte"
	}
	return 0, ""
}
