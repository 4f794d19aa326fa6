//go:build bento_sql

package main

import _ "github.com/warpstreamlabs/bento/public/components/sql"
