package retry_test

import (
	"io"
	"log"
	"testing"

	"go.uber.org/goleak"
)

// quiet is for servers whose complaints are the point of a test.
var quiet = log.New(io.Discard, "", 0)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
