package cmd

import (
	"github.com/spf13/cobra"

	"github.com/quire-dev/quire/partition"
)

// environmentVariables is the table that quire help environment and the manual pages print.
var environmentVariables = []helpRow{
	{partition.EnvAPIKey, "the API key, unless --api-key-file is given"},
	{partition.EnvAPIURL, "the API's base URL or endpoint, unless --url is given"},
	{"HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "proxies"},
	{"XDG_CACHE_HOME", "where the cache is stored, unless --cache-dir is given"},
	{"TMPDIR", "where chunks and answers in transit are held when there is no cache"},
	{"NO_COLOR, TERM=dumb", "no live progress line"},
}

func newEnvironmentTopic() *cobra.Command {
	topic := &cobra.Command{Use: "environment", Short: "Environment variables that quire reads"}
	topic.SetHelpFunc(func(c *cobra.Command, _ []string) { printRows(c.OutOrStdout(), "", environmentVariables) })
	return topic
}
