package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/warpstreamlabs/bento/public/service"

	"github.com/quire-dev/quire/cmd"
)

// asProgram makes the test binary another program, for tests that start processes: this one, quire, or a NATS server.
const asProgram = "QUIRE_BENTO_TEST_AS"

func TestMain(m *testing.M) {
	switch os.Getenv(asProgram) {
	case "quire-bento":
		main()
	case "quire":
		os.Exit(cmd.Main(os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
	case "nats-server":
		serveNATS()
	default:
		os.Exit(m.Run())
	}
}

// program is quire-bento as a process of its own, to be started.
func program(t *testing.T, arguments ...string) *exec.Cmd {
	binary, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(binary, arguments...)
	c.Env = append(os.Environ(), asProgram+"=quire-bento")
	return c
}

// worker is the program with a configuration, and the variables that it asks for.
func worker(t *testing.T, config string, env ...string) *exec.Cmd {
	c := program(t, "-c", config)
	c.Env = append(c.Env, env...)
	c.Stdout, c.Stderr = t.Output(), t.Output()
	return c
}

// environment has the program's components and its processor.
func environment(t *testing.T) *service.Environment {
	env := service.GlobalEnvironment().Clone()
	require.NoError(t, register(env))
	return env
}

// newTestProcessor makes a processor of a configuration.
func newTestProcessor(t *testing.T, config string) *processor {
	t.Helper()
	conf, err := spec().ParseYAML(config, nil)
	require.NoError(t, err)
	p, err := newProcessor(conf, service.MockResources())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close(t.Context())) })
	return p.(*processor)
}

// metadata is all of a message's metadata.
func metadata(t *testing.T, m *service.Message) map[string]string {
	all := map[string]string{}
	require.NoError(t, m.MetaWalk(func(key, value string) error {
		all[key] = value
		return nil
	}))
	return all
}
