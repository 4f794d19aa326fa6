package cmd

import (
	"github.com/spf13/cobra"

	"github.com/quire-dev/quire/partition"
)

// environmentVariables is the table that quire help environment and the manual pages print.
var environmentVariables = []helpRow{
	{partition.EnvAPIKey, "the API key, unless --api-key-file is given"},
	{partition.EnvAPIURL, "the API's base URL or endpoint, unless --url is given"},
	{"HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "proxies for requests, and hosts to reach without one"},
	{"XDG_CACHE_HOME", "the user's cache folder: the cache is quire/answers in it, unless --cache-dir is given"},
	{"TMPDIR", "folder for the chunks and answers of documents in progress, if there is no cache"},
	{"NO_COLOR, TERM=dumb", "if set, quire shows no live progress line"},
}

func newEnvironmentTopic() *cobra.Command {
	topic := &cobra.Command{Use: "environment", Short: "Environment variables that quire reads"}
	topic.SetHelpFunc(func(c *cobra.Command, _ []string) { printRows(c.OutOrStdout(), "", environmentVariables) })
	return topic
}
