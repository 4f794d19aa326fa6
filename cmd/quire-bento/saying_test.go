package main

import (
	"bytes"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// A saying waits for a word in what a process says.
type saying struct {
	word string
	said chan struct{} // closed once the word was said

	mu   sync.Mutex
	text bytes.Buffer
	done bool
}

// sayingOf listens to a process that is not yet started.
func sayingOf(run *exec.Cmd, word string) *saying {
	s := &saying{word: word, said: make(chan struct{})}
	run.Stdout, run.Stderr = s, s
	return s
}

func (s *saying) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(p)
	if !s.done && bytes.Contains(s.text.Bytes(), []byte(s.word)) {
		s.done = true
		close(s.said)
	}
	return len(p), nil
}

// await returns when the word was said.
func (s *saying) await(t *testing.T) {
	select {
	case <-s.said:
	case <-time.After(time.Minute):
		s.mu.Lock()
		defer s.mu.Unlock()
		t.Fatalf("not said: %s; but\n%s", s.word, s.text.Bytes())
	}
}
