//go:build bento_kafka

package main

import _ "github.com/warpstreamlabs/bento/public/components/kafka"
