package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/warpstreamlabs/bento/public/service"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/partition/partitiontest"
	"github.com/quire-dev/quire/split"
)

func newServer(t *testing.T, faults ...partitiontest.Fault) *partitiontest.Server {
	srv := partitiontest.NewServer(partitiontest.Options{})
	t.Cleanup(srv.Close)
	t.Cleanup(func() { require.Empty(t, srv.Violations()) })
	srv.Script(faults...)
	return srv
}

// A policy that tries twice, at once, unless the server says that it is of no use.
const (
	twice = twiceInline + "\n"

	twiceInline = "retry: {name: twice, rules: [{name: final, do: return, final: true, when: {json: {retryable: false}}}, " +
		"{name: again, do: retry, when: {status: 5XX}}], default: return, backoff: {initial: 1ms}, budget: {attempts: 2}}"
)

func message(content []byte, name string) *service.Message {
	m := service.NewMessage(content)
	m.MetaSetMut("path", "inbox/"+name)
	return m
}

func TestOneMessageADocument(t *testing.T) {
	srv := newServer(t, partitiontest.Fault{Attempt: 1, Pages: split.PageRange{First: 1, Last: 1}, Do: partitiontest.Detail(503, "busy")})
	p := newTestProcessor(t, "url: "+srv.URL+"\n"+twice)
	out, err := p.Process(t.Context(), message(partitiontest.NewPDF(5), "report.pdf"))
	require.NoError(t, err)
	require.Len(t, out, 1)
	content, err := out[0].AsBytes()
	require.NoError(t, err)
	lines := strings.SplitAfter(string(content), "\n")
	require.Len(t, lines, 6)
	require.Empty(t, lines[5], "the last line has its line break")
	for i, line := range lines[:5] {
		require.Contains(t, line, "page "+string(rune('1'+i))+" of report.pdf")
	}
	require.Equal(t, map[string]string{
		"path": "inbox/report.pdf", "quire_pages": "5", "quire_elements": "5",
		"quire_requests": "4", "quire_retries": "1", "quire_cache_hits": "0",
	}, metadata(t, out[0]))
}

func TestOneMessageAnElement(t *testing.T) {
	srv := newServer(t)
	p := newTestProcessor(t, "url: "+srv.URL+"\noutput: elements\n")
	out, err := p.Process(t.Context(), message(partitiontest.NewPDF(3), "a.pdf"))
	require.NoError(t, err)
	require.Len(t, out, 3)
	for i, m := range out {
		element, err := m.AsStructured()
		require.NoError(t, err)
		require.Equal(t, "page "+string(rune('1'+i))+" of a.pdf", element.(map[string]any)["text"])
		require.Equal(t, string(rune('0'+i)), metadata(t, m)["quire_element_index"])
		require.Equal(t, "3", metadata(t, m)["quire_elements"])
	}
}

// An empty document leaves a message, whatever the form of the output, unless it is to fail.
func TestA7EmptyDocuments(t *testing.T) {
	const why = "empty: no elements; the server found nothing"
	srv := newServer(t, partitiontest.Fault{Do: partitiontest.Reply(200, "[]")})
	for output, content := range map[string]string{
		"ndjson":   "",
		"elements": `{"document":"a.txt","elements":0,"missing_pages":"","pages":0,"warnings":["` + why + `"]}`,
	} {
		p := newTestProcessor(t, "url: "+srv.URL+"\noutput: "+output+"\n")
		out, err := p.Process(t.Context(), message([]byte("text"), "a.txt"))
		require.NoError(t, err)
		require.Len(t, out, 1)
		got, err := out[0].AsBytes()
		require.NoError(t, err)
		require.Equal(t, content, string(got))
		require.Equal(t, map[string]string{
			"path": "inbox/a.txt", "quire_pages": "0", "quire_elements": "0", "quire_empty": "true", "quire_warnings": why,
			"quire_requests": "1", "quire_retries": "0", "quire_cache_hits": "0",
		}, metadata(t, out[0]))

		p = newTestProcessor(t, "url: "+srv.URL+"\nfail_empty: true\noutput: "+output+"\n")
		out, err = p.Process(t.Context(), message([]byte("text"), "a.txt"))
		require.Empty(t, out)
		require.EqualError(t, err, "a.txt: "+why)
		require.Equal(t, partition.KindEmpty, partition.KindOf(err))
	}
}

// What is allowed to lack pages, and has nothing on the others, leaves a message as well.
func TestA7NothingButMissingPages(t *testing.T) {
	srv := newServer(t,
		partitiontest.Fault{Pages: split.PageRange{First: 1, Last: 1}, Do: partitiontest.Detail(422, "no")},
		partitiontest.Fault{Do: partitiontest.Reply(200, "[]")},
	)
	p := newTestProcessor(t, "url: "+srv.URL+"\nallow_failed: true\noutput: elements\n")
	out, err := p.Process(t.Context(), message(partitiontest.NewPDF(4), "a.pdf"))
	require.NoError(t, err)
	require.Len(t, out, 1)
	record, err := out[0].AsStructured()
	require.NoError(t, err)
	require.Equal(t, "1-2", record.(map[string]any)["missing_pages"])
	require.NotContains(t, metadata(t, out[0]), "quire_empty")
}

func TestDocumentNames(t *testing.T) {
	file := filepath.Join(t.TempDir(), "on disk.txt")
	require.NoError(t, os.WriteFile(file, []byte("A file.\n"), 0o600))
	tests := []struct {
		name, config string
		content      string
		meta         map[string]any
		want         string
	}{
		{"nothing tells", "", "text", nil, "document"},
		{"path of an input", "", "text", map[string]any{"path": "a/b/c.txt"}, "c.txt"},
		{"key of an object", "", "text", map[string]any{"s3_key": "in/2026/x.txt"}, "x.txt"},
		{"file name first", "", "text", map[string]any{"path": "a/b/c.txt", "filename": "d.txt"}, "d.txt"},
		{"given", `name: '${! meta("title") }.txt'`, "text", map[string]any{"title": "Minutes"}, "Minutes.txt"},
		{"file", `path: '${! json("file") }'`, `{"file":"` + file + `"}`, map[string]any{"filename": "no.txt"}, "on disk.txt"},
		{
			"file with a name", "path: '${! json(\"file\") }'\nname: '${! json(\"name\") }'",
			`{"file":"` + file + `","name":"n.txt"}`, nil, "n.txt",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := newServer(t)
			p := newTestProcessor(t, "url: "+srv.URL+"\n"+tt.config)
			m := service.NewMessage([]byte(tt.content))
			for key, value := range tt.meta {
				m.MetaSetMut(key, value)
			}
			_, err := p.Process(t.Context(), m)
			require.NoError(t, err)
			require.Len(t, srv.Requests(), 1)
			require.Equal(t, tt.want, srv.Requests()[0].File)
		})
	}
}

func TestFailedDocuments(t *testing.T) {
	refusal := `{"detail":"The engine lost this page.","retryable":false}`
	tests := []struct {
		name, config string
		content      string
		document     []byte // instead of content
		fault        partitiontest.Fault
		error        string
		want         map[string]string
	}{
		{
			name: "refused", content: "text", fault: partitiontest.Fault{Do: partitiontest.Detail(422, "Cannot be read.")}, error: "Cannot be read.",
			want: map[string]string{"kind": "bad_document", "final": "false", "status": "422", "pages": ""},
		},
		{
			name: "declared final", document: partitiontest.NewPDF(4), error: "not retryable",
			fault: partitiontest.Fault{Pages: split.PageRange{First: 3, Last: 3}, Do: partitiontest.Reply(500, refusal)},
			want:  map[string]string{"kind": "server", "final": "true", "status": "500", "pages": "3-4"},
		},
		{
			name: "the server fails this one alone", content: "text", error: "2 attempts",
			fault: partitiontest.Fault{File: "x", Do: partitiontest.Detail(503, "Lost a worker.")},
			want:  map[string]string{"kind": "server", "final": "false", "status": "503", "pages": ""},
		},
		{
			name: "no such file", config: `path: '${! json("path") }'`, content: `{"path":"/nowhere/a.pdf"}`, error: "no such file",
			want: map[string]string{"kind": "local_io", "final": "false", "status": "0", "pages": ""},
		},
		{
			name: "no reference", config: `path: '${! json("path").not_null() }'`, content: `{}`, error: "field path",
			want: map[string]string{"kind": "bad_request", "final": "false", "status": "0", "pages": ""},
		},
		{
			name: "too slow", config: "document_timeout: 20ms", content: "text", error: "time limit of 20ms reached",
			fault: partitiontest.Fault{File: "x", Do: partitiontest.Hang()},
			want:  map[string]string{"kind": "timeout", "final": "false", "status": "0", "pages": ""},
		},
		{
			name: "no page of it, although some would do", config: "allow_failed: true", document: partitiontest.NewPDF(4), error: "pages 1-4",
			fault: partitiontest.Fault{File: "x", Do: partitiontest.Reply(500, refusal)},
			want:  map[string]string{"kind": "server", "final": "true", "status": "500", "pages": "1-4"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := newServer(t)
			if tt.fault.Do.Name != "" {
				srv.Script(tt.fault)
			}
			p := newTestProcessor(t, "url: "+srv.URL+"\n"+twice+tt.config)
			content := []byte(tt.content)
			if tt.document != nil {
				content = tt.document
			}
			m := message(content, "x")
			m.MetaSetMut("quire_pages", "of an earlier life")
			out, err := p.Process(t.Context(), m)
			require.ErrorContains(t, err, tt.error)
			require.Empty(t, out)
			after, err := m.AsBytes()
			require.NoError(t, err)
			require.Equal(t, content, after, "the content stays what it was")
			want := map[string]string{"path": "inbox/x"}
			for key, value := range tt.want {
				want["quire_error_"+key] = value
			}
			require.Equal(t, want, metadata(t, m))
		})
	}
}

func TestMissingPagesAreNoError(t *testing.T) {
	for name, reply := range map[string]string{"declared final": `{"detail":"lost","retryable":false}`, "again and again": `{"detail":"lost"}`} {
		t.Run(name, func(t *testing.T) {
			srv := newServer(t, partitiontest.Fault{Pages: split.PageRange{First: 3, Last: 3}, Do: partitiontest.Reply(500, reply)})
			p := newTestProcessor(t, "url: "+srv.URL+"\nallow_failed: true\n"+twice)
			out, err := p.Process(t.Context(), message(partitiontest.NewPDF(6), "a.pdf"))
			require.NoError(t, err)
			require.Len(t, out, 1)
			require.Equal(t, "3-4", metadata(t, out[0])["quire_missing_pages"])
			require.Equal(t, "4", metadata(t, out[0])["quire_elements"])
		})
	}
}

// TestA10: without allow_failed a document with a missing page is an error that names the request, whatever else was answered of it.
func TestA10(t *testing.T) {
	for name, reply := range map[string]string{"declared final": `{"detail":"lost","retryable":false}`, "again and again": `{"detail":"lost"}`} {
		t.Run(name, func(t *testing.T) {
			srv := newServer(t, partitiontest.Fault{Pages: split.PageRange{First: 3, Last: 3}, Do: partitiontest.Reply(500, reply)})
			p := newTestProcessor(t, "url: "+srv.URL+"\n"+twice)
			content := partitiontest.NewPDF(6)
			m := message(content, "a.pdf")
			_, err := p.Process(t.Context(), m)
			require.ErrorContains(t, err, "a.pdf pages 3-4: POST ")
			require.Equal(t, "3-4", metadata(t, m)["quire_error_pages"])
			after, err := m.AsBytes()
			require.NoError(t, err)
			require.Equal(t, content, after)
		})
	}
}

func TestAStoppedStreamLeavesTheMessage(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	srv := newServer(t, partitiontest.Fault{Do: partitiontest.Hang(), Match: func(partitiontest.Request) bool { stop(); return true }})
	p := newTestProcessor(t, "url: "+srv.URL)
	m := message([]byte("text"), "x")
	_, err := p.Process(ctx, m)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, map[string]string{"path": "inbox/x"}, metadata(t, m))
}

func TestWhatWasAnsweredIsNotSentAgain(t *testing.T) {
	srv, dir := newServer(t), t.TempDir()
	for range 2 { // one worker after the other
		p := newTestProcessor(t, "url: "+srv.URL+"\ncache_dir: "+dir)
		_, err := p.Process(t.Context(), message(partitiontest.NewPDF(6), "a.pdf"))
		require.NoError(t, err)
	}
	require.Len(t, srv.Requests(), 3)
}

func TestTheEmbeddedEngine(t *testing.T) {
	p := newTestProcessor(t, "local: true")
	out, err := p.Process(t.Context(), message([]byte("One paragraph of text, by itself.\n"), "a.txt"))
	require.NoError(t, err)
	require.Len(t, out, 1)
	content, err := out[0].AsBytes()
	require.NoError(t, err)
	require.Contains(t, string(content), "One paragraph of text, by itself.")
}

// Bento's threads end one after the other, and each closes the processor.
func TestADocumentOutlivesTheFirstClose(t *testing.T) {
	release, arrived := make(chan struct{}), make(chan struct{})
	srv := newServer(t, partitiontest.Fault{
		Do: partitiontest.Until(release), Match: func(partitiontest.Request) bool { close(arrived); return true },
	})
	p := newTestProcessor(t, "cache_dir: "+t.TempDir()+"\nurl: "+srv.URL)
	done := make(chan error)
	go func() {
		_, err := p.Process(t.Context(), message([]byte("text"), "x"))
		done <- err
	}()
	<-arrived
	require.NoError(t, p.Close(t.Context()))
	close(release)
	require.NoError(t, <-done)
	require.Nil(t, p.clients.current, "what nobody uses is closed")
}

func TestAnErrorIsOneLine(t *testing.T) {
	srv := newServer(t, partitiontest.Fault{Do: partitiontest.Detail(422, "two\nlines")})
	p := newTestProcessor(t, "url: "+srv.URL)
	_, err := p.Process(t.Context(), message([]byte("text"), "x"))
	require.Error(t, err)
	require.NotContains(t, err.Error(), "\n")
	require.False(t, errors.Is(err, context.Canceled))
}
