//go:build bento_postgres

package main

import (
	_ "github.com/lib/pq" // the driver; bento_sql has it among others
	_ "github.com/warpstreamlabs/bento/public/components/sql/base"
)
