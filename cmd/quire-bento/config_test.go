package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/warpstreamlabs/bento/public/bloblang"
	"github.com/warpstreamlabs/bento/public/service"

	"github.com/quire-dev/quire/partition/partitiontest"
)

// needs is what a shipped configuration needs beside the components of every build, and the build tag that brings it.
var needs = map[string]struct{ input, output, tag string }{
	"folder.yaml":   {},
	"nats.yaml":     {},
	"s3.yaml":       {"aws_s3", "aws_s3", "bento_aws"},
	"kafka.yaml":    {"kafka_franz", "kafka_franz", "bento_kafka"},
	"postgres.yaml": {"", "sql_raw", "bento_postgres"},
}

func TestConfigurationsAreWithoutLint(t *testing.T) {
	env := environment(t)
	shipped, err := filepath.Glob("config/*.yaml")
	require.NoError(t, err)
	require.Len(t, shipped, len(needs))
	for _, path := range shipped {
		t.Run(filepath.Base(path), func(t *testing.T) {
			need, known := needs[filepath.Base(path)]
			require.True(t, known)
			_, hasInput := env.GetInputConfig(need.input)
			_, hasOutput := env.GetOutputConfig(need.output)
			if need.input != "" && !hasInput || need.output != "" && !hasOutput {
				t.Skipf("built without the tag %s", need.tag)
			}
			config, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Empty(t, lint(t, env, config))
		})
	}
}

// outputCase is a case of an output switch, with its check, if it has one.
var outputCase = regexp.MustCompile(`(?m)^ {6}- (?:check: (.*)|output:)$`)

// Where each element is a row or a record, the message of a document without elements goes another way.
func TestA7ConfigurationsRouteEmptyDocuments(t *testing.T) {
	srv := newServer(t, partitiontest.Fault{File: "empty.txt", Do: partitiontest.Reply(200, "[]")})
	p := newTestProcessor(t, "url: "+srv.URL+"\noutput: elements\n")
	shipped, err := filepath.Glob("config/*.yaml")
	require.NoError(t, err)
	for _, path := range shipped {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		if !strings.Contains(string(content), "output: elements") {
			continue
		}
		for name, want := range map[string]int{"empty.txt": 1, "a.txt": 2} {
			out, err := p.Process(t.Context(), message([]byte("text"), name))
			require.NoError(t, err)
			require.Len(t, out, 1)
			require.Equal(t, want, slices.IndexFunc(outputCase.FindAllStringSubmatch(string(content), -1), func(c []string) bool {
				if c[1] == "" {
					return true
				}
				check, err := bloblang.Parse(c[1])
				require.NoError(t, err)
				taken, err := out[0].BloblangQueryValue(check)
				require.NoError(t, err)
				return taken == true
			}), "%s: %s", path, name)
		}
	}
}

func TestLintKnowsTheProcessor(t *testing.T) {
	found := lint(t, environment(t), []byte("pipeline: {processors: [{quire_partition: {strateg: fast, output: both}}]}\n"))
	require.Len(t, found, 2)
	require.ErrorContains(t, found[0], "strateg")
	require.ErrorContains(t, found[1], "both")
}

// lint is what Bento finds wrong with a configuration, when the variables are set that have no default.
func lint(t *testing.T, env *service.Environment, config []byte) []service.Lint {
	required := []string{"QUEUE_URL", "OUT_BUCKET", "DSN"}
	linter := env.FullConfigSchema("", "").NewStreamConfigLinter().SetRejectDeprecated(true).
		SetEnvVarLookupFunc(func(_ context.Context, name string) (string, bool) { return "", slices.Contains(required, name) })
	found, err := linter.LintYAML(config)
	require.NoError(t, err)
	return found
}
