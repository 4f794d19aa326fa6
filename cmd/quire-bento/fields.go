package main

import (
	"time"

	"github.com/warpstreamlabs/bento/public/service"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/retry"
	"github.com/quire-dev/quire/split"
)

// ownRows are the fields that never reach the API.
func ownRows() []row {
	return []row{
		{
			"url", service.NewStringField, option(partition.WithBaseURL),
			"Base URL or endpoint of the API. Empty: `$" + partition.EnvAPIURL + "`, else the hosted API.",
			[]trait{byDefault("")},
		},
		{
			"api_key", service.NewStringField, option(partition.WithAPIKey),
			"Key of the API. Empty: `$" + partition.EnvAPIKey + "`. A server of your own may need none.",
			[]trait{byDefault(""), secret},
		},
		{
			"local", service.NewBoolField, flag(func(s *settings) *bool { return &s.local }),
			"Use the embedded engine (strategy fast) instead of a server. Nothing is sent anywhere.",
			[]trait{byDefault(false)},
		},
		{
			"path", service.NewInterpolatedStringField, interpolated(func(s *settings) **service.InterpolatedString { return &s.path }),
			"File that holds the document, so that a queue carries references and no documents. It is opened when its turn comes, and " +
				"never read whole into memory. Without this field the document is the message's content.",
			[]trait{optional, forExample(`${! json("path") }`)},
		},
		{
			"name", service.NewInterpolatedStringField, interpolated(func(s *settings) **service.InterpolatedString { return &s.name }),
			"Name of the document as the server sees it; its extension may tell the type. Without this field it is the last element of " +
				"`path`, else of the first metadata that an input has set: `filename`, `path`, `s3_key`, `gcs_key`, `blob_storage_key` and others.",
			[]trait{optional, forExample(`${! meta("kafka_key") }`)},
		},
		{
			"output", choice("ndjson", "elements"), text(func(s *settings, v string) error { s.elements = v == "elements"; return nil }),
			"`ndjson`: a message for each document, an element a line, the last one with its line break too. `elements`: a message for " +
				"each element, in a batch for the document; of a document without elements one that describes it, with `quire_elements` 0.",
			[]trait{byDefault("ndjson")},
		},
		{
			"cache_dir", service.NewStringField, text(func(s *settings, v string) error { s.cacheDir = v; return nil }),
			"Directory that keeps answers, so that a message that comes again costs nothing. Several workers may share it. Empty: none is kept.",
			[]trait{byDefault("")},
		},
		{
			"in_flight", service.NewIntField, func(s *settings, conf *service.ParsedConfig, name string) error {
				n, err := conf.FieldInt(name)
				s.options = append(s.options, partition.WithMaxInFlight(n))
				return err
			},
			"Requests in flight, over all threads of this process.",
			[]trait{byDefault(partition.DefaultInFlight)},
		},
		{
			"retry", service.NewAnyField, policy,
			"Retry policy: the name of a preset, or a policy itself, in the form that `quire retry` reads. It is the only place for retries: " +
				"a `retry` processor or output around this one would multiply them.",
			[]trait{byDefault(retry.Presets()[0])},
		},
		{
			"document_timeout", service.NewDurationField, duration(func(s *settings) *time.Duration { return &s.documentTimeout }),
			"Time for a document, retries included. 0: none. The queue's own time to acknowledge has to be longer.",
			[]trait{byDefault("0s")},
		},
		{
			"on_outage", choice("wait", "error"), text(func(s *settings, v string) error { s.wait = v == "wait"; return nil }),
			"What happens to a document that failed while the server fails every document: key refused, quota exhausted, server gone. `wait`: it " +
				"is kept and sent again when the server answers, so that good documents do not end as dead letters. `error`: it is marked with " +
				"`quire_error_outage`, and the configuration decides.",
			[]trait{byDefault("wait")},
		},
		{
			"outage_pause", service.NewDurationField, duration(func(s *settings) *time.Duration { return &s.pause }),
			"Time until the server is asked again in an outage. It doubles, to ten times as much.",
			[]trait{byDefault("20s"), advanced},
		},
		{
			"headers", service.NewStringMapField, headers, "Headers for every request, as gateways want them.",
			[]trait{byDefault(map[string]any{}), secret, advanced},
		},
		{
			"allow_failed", service.NewBoolField, flag(func(s *settings) *bool { return &s.params.Split.AllowFailed }),
			"Keep what was answered of a document although some pages failed. The message is no error then; `quire_missing_pages` names them.",
			[]trait{byDefault(false)},
		},
		{
			"fail_empty", service.NewBoolField, flag(func(s *settings) *bool { return &s.params.FailEmpty }),
			"Make a document an error, of the kind `empty`, in whose answer there is no text and no image. Its answer stays in the cache. Without " +
				"it `quire_empty` and a warning say so.",
			[]trait{byDefault(false)},
		},
		{
			"narrow", service.NewBoolField, flag(func(s *settings) *bool { return &s.params.Split.Narrow }),
			"Ask for the halves of a chunk that cannot be had, down to single pages.",
			[]trait{byDefault(false), advanced},
		},
		{
			"chunk_mode", choice(string(partition.Buffered), string(partition.DiskCached)),
			text(func(s *settings, v string) error { s.params.Split.Mode = partition.ChunkMode(v); return nil }),
			"Where chunks and their answers wait: in memory, or in files.",
			[]trait{byDefault(string(partition.Buffered)), advanced},
		},
		{
			"split", service.NewBoolField, func(s *settings, conf *service.ParsedConfig, name string) error {
				cut, err := conf.FieldBool(name)
				s.params.Split.Off = !cut
				return err
			},
			"Cut PDFs into chunks that are sent at the same time.",
			[]trait{byDefault(true), advanced},
		},
		{
			"split_concurrency", service.NewIntField, number(func(s *settings) *int { return &s.params.Split.Concurrency }),
			"How finely a PDF is cut, 1 to 50: `split_pdf_concurrency_level` of the API's clients.",
			[]trait{byDefault(10), advanced},
		},
		{
			"pages", service.NewStringField, text(func(s *settings, v string) (err error) {
				s.params.Split.Pages, err = split.ParsePageRange(v)
				return err
			}),
			"Only these pages of a PDF. Empty: all.",
			[]trait{byDefault(""), advanced, forExample("3-7")},
		},
		{
			"max_pages", service.NewIntField, number(func(s *settings) *int { return &s.params.Split.MaxPages }),
			"Refuse longer PDFs before anything is sent. 0: none.",
			[]trait{byDefault(0), advanced},
		},
		{
			"chunking_scope", choice(string(partition.ChunkingWhole), string(partition.ChunkingPerChunk), string(partition.ChunkingAfter)),
			text(func(s *settings, v string) error { s.params.Split.Scope = partition.ChunkingScope(v); return nil }),
			"What a chunking strategy is applied to: the document, which is then sent whole; each page chunk; or the elements of all of them, " +
				"in a second request.",
			[]trait{byDefault(string(partition.ChunkingWhole)), advanced},
		},
		{
			"repair_parents", service.NewBoolField, func(s *settings, conf *service.ParsedConfig, name string) error {
				repair, err := conf.FieldBool(name)
				if err == nil && !repair {
					s.params.Split.RepairParents = &repair
				}
				return err
			},
			"Restore `parent_id` across chunks, where the answers prove how the server finds parents. false: leave it as it was answered.",
			[]trait{byDefault(true), advanced},
		},
		{
			"password", service.NewStringField,
			text(func(s *settings, v string) error { s.params.Split.Password = partition.Secret(v); return nil }),
			"Password of encrypted PDFs.",
			[]trait{byDefault(""), secret, advanced},
		},
	}
}

func choice(options ...string) func(string) *service.ConfigField {
	return func(name string) *service.ConfigField { return service.NewStringEnumField(name, options...) }
}

func byDefault(value any) trait {
	return func(f *service.ConfigField) *service.ConfigField { return f.Default(value) }
}

func forExample(value any) trait {
	return func(f *service.ConfigField) *service.ConfigField { return f.Example(value) }
}

func optional(f *service.ConfigField) *service.ConfigField { return f.Optional() }
func advanced(f *service.ConfigField) *service.ConfigField { return f.Advanced() }
func secret(f *service.ConfigField) *service.ConfigField   { return f.Secret() }
