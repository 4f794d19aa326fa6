//go:build bento_azure

package main

import _ "github.com/warpstreamlabs/bento/public/components/azure"
