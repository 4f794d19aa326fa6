package partitionotel

import (
	"errors"
	"net/http"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/quire-dev/quire/partition"
)

// fail marks the span of a document or part as failed, with nothing of the error's text.
func fail(span trace.Span, err error) {
	kind := partition.KindOf(err)
	span.SetAttributes(errorType(kind))
	status := 0
	if api := (*partition.APIError)(nil); errors.As(err, &api) {
		status = api.Status
		if api.RequestID != "" {
			span.SetAttributes(attribute.String("quire.request_id", api.RequestID))
		}
	}
	if status > 0 {
		span.SetAttributes(attribute.Int("http.response.status_code", status))
	}
	span.SetStatus(codes.Error, describe(kind, status))
}

// errorType is the attribute that OpenTelemetry has for the class of an error; _OTHER is its word for one without a name.
func errorType[K ~string](kind K) attribute.KeyValue {
	if kind == "" {
		kind = "_OTHER"
	}
	return attribute.String("error.type", string(kind))
}

// describe is an error in a few words: its kind, and the status where there was an answer.
func describe[K ~string](kind K, status int) string {
	number := strconv.Itoa(status)
	switch text := http.StatusText(status); {
	case status == 0:
		return string(kind)
	case string(kind) == number:
		return number + " " + text
	default:
		return string(kind) + ": " + number + " " + text
	}
}
