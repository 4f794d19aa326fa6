package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/warpstreamlabs/bento/public/service"

	"github.com/quire-dev/quire/partition"
	"github.com/quire-dev/quire/retry"
)

type observer = func(context.Context, partition.Event)

// settings are what the configuration of a quire_partition says.
type settings struct {
	options  []partition.Option // of the client
	policy   *retry.Policy
	local    bool
	cacheDir string

	params   partition.Params
	path     *service.InterpolatedString // nil: the document is the message's content
	name     *service.InterpolatedString // nil: see [processor.nameOf]
	elements bool

	documentTimeout time.Duration
	wait            bool // for the end of an outage
	pause           time.Duration
}

// readSettings reads every field that is given, and checks what only several fields together can tell.
func readSettings(conf *service.ParsedConfig) (*settings, error) {
	s := &settings{}
	for _, row := range rows() {
		if !conf.Contains(row.name) {
			continue
		}
		if err := row.read(s, conf, row.name); err != nil {
			return nil, fmt.Errorf("field %s: %w", row.name, err)
		}
	}
	switch url, err := conf.FieldString("url"); {
	case err != nil:
		return nil, err
	case s.local && url != "":
		return nil, errors.New("local: true goes without url")
	case s.elements && s.params.OutputFormat == partition.OutputCSV:
		return nil, errors.New("output elements goes without output_format text/csv")
	case s.params.Split.Concurrency < 1 || s.params.Split.Concurrency > 50:
		return nil, errors.New("field split_concurrency: not 1 to 50")
	case s.documentTimeout < 0:
		return nil, errors.New("field document_timeout: less than nothing")
	case s.pause <= 0:
		return nil, errors.New("field outage_pause: no time at all")
	}
	return s, nil
}

// A reader takes the value of a field into the settings.
type reader func(s *settings, conf *service.ParsedConfig, name string) error

// text reads a string; the empty one is as if the field was not there, so that it may come from a variable that is not set.
func text(take func(s *settings, value string) error) reader {
	return func(s *settings, conf *service.ParsedConfig, name string) error {
		value, err := conf.FieldString(name)
		if err != nil || value == "" {
			return err
		}
		return take(s, value)
	}
}

// option is text for an option of the client.
func option(make func(string) partition.Option) reader {
	return text(func(s *settings, value string) error {
		s.options = append(s.options, make(value))
		return nil
	})
}

func flag(target func(*settings) *bool) reader {
	return func(s *settings, conf *service.ParsedConfig, name string) (err error) {
		*target(s), err = conf.FieldBool(name)
		return err
	}
}

func number(target func(*settings) *int) reader {
	return func(s *settings, conf *service.ParsedConfig, name string) (err error) {
		*target(s), err = conf.FieldInt(name)
		return err
	}
}

func duration(target func(*settings) *time.Duration) reader {
	return func(s *settings, conf *service.ParsedConfig, name string) (err error) {
		*target(s), err = conf.FieldDuration(name)
		return err
	}
}

func interpolated(target func(*settings) **service.InterpolatedString) reader {
	return func(s *settings, conf *service.ParsedConfig, name string) (err error) {
		*target(s), err = conf.FieldInterpolatedString(name)
		return err
	}
}

// policy reads the name of a preset, or a policy.
func policy(s *settings, conf *service.ParsedConfig, name string) error {
	given, err := conf.FieldAny(name)
	if err != nil {
		return err
	}
	if preset, ok := given.(string); ok {
		var known bool
		if s.policy, known = retry.Preset(preset); !known {
			return fmt.Errorf("%q: not one of %s, nor a policy", preset, strings.Join(retry.Presets(), ", "))
		}
		return nil
	}
	data, err := json.Marshal(given)
	if err != nil {
		return err
	}
	s.policy, err = retry.Parse(data)
	return err
}

func headers(s *settings, conf *service.ParsedConfig, name string) error {
	given, err := conf.FieldStringMap(name)
	for header, value := range given {
		s.options = append(s.options, partition.WithHeader(header, value))
	}
	return err
}

// extra reads fields of the API that are not known here: a value, or a list of values.
func extra(s *settings, conf *service.ParsedConfig, name string) error {
	given, err := conf.FieldAnyMap(name)
	if err != nil {
		return err
	}
	for field, config := range given {
		value, err := config.FieldAny()
		if err != nil {
			return err
		}
		list, isList := value.([]any)
		if !isList {
			list = []any{value}
		}
		values := make([]string, len(list))
		for i, item := range list {
			values[i] = fmt.Sprint(item)
		}
		if err := s.params.Set(field, values...); err != nil {
			return err
		}
	}
	return nil
}

// param reads a field of the API.
func param(s *settings, conf *service.ParsedConfig, name string) error {
	value, err := conf.FieldAny(name)
	if err != nil || value == "" {
		return err
	}
	if _, isList := value.([]any); isList {
		list, err := conf.FieldStringList(name)
		if err != nil || len(list) == 0 {
			return err
		}
		return s.params.Set(name, list...)
	}
	return s.params.Set(name, fmt.Sprint(value))
}
