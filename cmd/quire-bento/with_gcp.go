//go:build bento_gcp

package main

import _ "github.com/warpstreamlabs/bento/public/components/gcp"
