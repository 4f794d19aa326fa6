package format

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDisarm(t *testing.T) {
	for cell, want := range map[string]string{
		"": "", "a=1": "a=1", "'=1": "'=1", "1-2": "1-2", " a": " a", "é": "é",
		"=1": "'=1", "+1": "'+1", "-1": "'-1", "@a": "'@a", "\ta": "'\ta", "\ra": "'\ra", "\na": "'\na", "\x00a": "'\x00a",
		"＝1": "'＝1", "＋1": "'＋1", "－1": "'－1", "＠a": "'＠a", "  =1": "'  =1",
		"\u00a0=1": "'\u00a0=1", "\ufeff=1": "'\ufeff=1", "=": "'=",
	} {
		require.Equal(t, want, disarm(cell), "%q", cell)
	}
}
