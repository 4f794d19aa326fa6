package local

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPlainText(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"empty", "", []string{}},
		{"white space", " \n\t\n ", []string{}},
		{
			"paragraphs", "We are\nhere in the large house.\n\n \n\nThey are there.\n",
			[]string{"NarrativeText: We are here in the large house.", "NarrativeText: They are there."},
		},
		{
			"no blank lines: every line is one", "We are here\nThey are there",
			[]string{"NarrativeText: We are here", "NarrativeText: They are there"},
		},
		{
			"short lines stay apart", "Jane Doe\nMain Street\n\nWe are here and\nthey are over there, all of them.",
			[]string{"Title: Jane Doe", "Title: Main Street", "NarrativeText: We are here and they are over there, all of them."},
		},
		{
			"bullets", "Shopping list:\n\n- milk and\n  honey\n- bread\n\nWe are done with the list.",
			[]string{"Title: Shopping list:", "ListItem: milk and honey", "ListItem: bread", "NarrativeText: We are done with the list."},
		},
		{"lone bullet", "•\n\nWe are here.", []string{"NarrativeText: We are here."}},
		{"Windows line ends", "We are here.\r\n\r\nThey are there.\r\n", []string{"NarrativeText: We are here.", "NarrativeText: They are there."}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, typesAndTexts(elementsOf(t, filePart{"a.txt", "text/plain", []byte(test.text)})))
		})
	}
}

func TestLongListItemTakesTimeWithItsLength(t *testing.T) {
	e, err := New(Options{Timeout: 10 * time.Second})
	require.NoError(t, err)
	defer e.Close()
	text := strings.Repeat("x\n\n", 1000) + "- a\n" + strings.Repeat("b c\n", 400_000)
	status, body := answerOf(e, multipartRequest(t, nil, filePart{"a.txt", "text/plain", []byte(text)}))
	require.Equal(t, http.StatusOK, status, "%.100s", body)
}

func TestTextHasNoPagesAndNoCoordinates(t *testing.T) {
	e := elementsOf(t, note, "coordinates", "true", "starting_page_number", "5", "include_page_breaks", "true")
	require.Len(t, e, 1)
	require.Zero(t, e[0].Metadata.PageNumber)
	require.Nil(t, e[0].Metadata.Coordinates)
}

func TestEncodings(t *testing.T) {
	tests := []struct {
		name, encoding, data, want string
	}{
		{"UTF-8", "", "Wir are größer", "Wir are größer"},
		{"UTF-8 with mark", "", "\xef\xbb\xbfWe are here", "We are here"},
		{"UTF-16 by its mark", "", "\xff\xfeH\x00i\x00", "Hi"},
		{"UTF-16 with the high byte first, by its mark", "utf-8", "\xfe\xff\x00H\x00i", "Hi"},
		{"UTF-16 without mark", "UTF-16LE", "H\x00i\x00", "Hi"},
		{"Latin", "latin_1", "gr\xf6\xdfer", "größer"},
		{"Windows", "cp1252", "15 \x80 pay", "15 € pay"},
		{"Japanese", "shift_jis", "\x93\xfa\x96\x7b", "日本"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := elementsOf(t, filePart{"a.txt", "text/plain", []byte(test.data)}, "encoding", test.encoding)
			require.Equal(t, test.want, e[0].Text)
		})
	}
}

func TestUndecodable(t *testing.T) {
	tests := []struct{ encoding, data, want string }{
		{"", "ab\xff", "'utf-8' codec can't decode byte 0xff in position 2: invalid start byte"},
		{"", "\xc3(", "'utf-8' codec can't decode byte 0xc3 in position 0: invalid continuation byte"},
		{"utf-8", "a\xe2\x82", "'utf-8' codec can't decode byte 0xe2 in position 1: unexpected end of data"},
		{"klingon", "a", "unknown encoding: klingon"},
		{"shift_jis", "\xff\xff", "'shift-jis' codec can't decode the document"},
	}
	for _, test := range tests {
		file := filePart{"a.txt", "text/plain", []byte(test.data)}
		status, body := answerOf(sharedEngine(), multipartRequest(t, []string{"encoding", test.encoding}, file))
		require.Equal(t, http.StatusInternalServerError, status)
		require.Equal(t, `{"detail":"`+test.want+`","retryable":false}`, body)
	}
}

func FuzzText(f *testing.F) {
	f.Add("• a\n\n- b\n\n1. c. D e f.", "utf-8")
	f.Fuzz(func(t *testing.T, text, encoding string) {
		answerOf(sharedEngine(), multipartRequest(t, []string{"encoding", encoding}, filePart{"a.txt", "text/plain", []byte(text)}))
	})
}
