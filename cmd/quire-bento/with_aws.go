//go:build bento_aws

package main

import _ "github.com/warpstreamlabs/bento/public/components/aws"
