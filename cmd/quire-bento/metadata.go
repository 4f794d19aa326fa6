package main

import (
	"errors"
	"strings"

	"github.com/warpstreamlabs/bento/public/service"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/split"
)

// The metadata that the processor sets. All begins with metaPrefix.
const (
	metaPrefix = "quire_"

	metaPages     = "quire_pages"
	metaMissing   = "quire_missing_pages"
	metaElements  = "quire_elements"
	metaEmpty     = "quire_empty"
	metaWarnings  = "quire_warnings"
	metaRequests  = "quire_requests"
	metaRetries   = "quire_retries"
	metaCacheHits = "quire_cache_hits"
	metaIndex     = "quire_element_index"

	metaKind       = "quire_error_kind"
	metaFinal      = "quire_error_final"
	metaStatus     = "quire_error_status"
	metaErrorPages = "quire_error_pages"
	metaOutage     = "quire_error_outage"
)

// forget takes off what an earlier attempt has left, such as that of a message that comes back from a dead letter.
func forget(m *service.Message) {
	var old []string
	_ = m.MetaWalkMut(func(key string, _ any) error { // nil, as the function's
		if strings.HasPrefix(key, metaPrefix) {
			old = append(old, key)
		}
		return nil
	})
	for _, key := range old {
		m.MetaDelete(key)
	}
}

// describe says on a message how its document was answered.
func describe(m *service.Message, r partition.Report) {
	m.MetaSetMut(metaPages, r.Pages)
	m.MetaSetMut(metaElements, r.Elements)
	m.MetaSetMut(metaRequests, r.Requests())
	m.MetaSetMut(metaRetries, r.Retries())
	m.MetaSetMut(metaCacheHits, r.CacheHits())
	if len(r.Missing) > 0 {
		m.MetaSetMut(metaMissing, pageList(r.Missing))
	}
	if r.Empty {
		m.MetaSetMut(metaEmpty, true)
	}
	if len(r.Warnings) > 0 {
		m.MetaSetMut(metaWarnings, strings.Join(r.Warnings, "\n"))
	}
}

// recordOf is what stands for a document without elements where each element is a message.
func recordOf(r partition.Report) map[string]any {
	warnings := make([]any, len(r.Warnings))
	for i, warning := range r.Warnings {
		warnings[i] = warning
	}
	return map[string]any{
		"document": r.Document, "pages": r.Pages, "elements": r.Elements, "missing_pages": pageList(r.Missing), "warnings": warnings,
	}
}

// describeError says on a message why its document failed.
func describeError(m *service.Message, err error) {
	var api *partition.APIError
	final, status, pages := false, 0, ""
	if errors.As(err, &api) {
		final, status = api.Final, api.Status
		if api.Pages.Len() > 0 {
			pages = api.Pages.String()
		}
	}
	m.MetaSetMut(metaKind, string(partition.KindOf(err)))
	m.MetaSetMut(metaFinal, final)
	m.MetaSetMut(metaStatus, status)
	m.MetaSetMut(metaErrorPages, pages)
}

func pageList(ranges []split.PageRange) string {
	list := make([]string, len(ranges))
	for i, r := range ranges {
		list[i] = r.String()
	}
	return strings.Join(list, ",")
}
