# The tools are pinned in .tools/tools.mod and run from the module cache; nothing has to be installed.
GO        ?= go
TOOL      := $(GO) tool -modfile=.tools/tools.mod
FUZZTIME  ?= 10s
PACKAGES  ?= ./...
TIMEOUT   ?= 15m

# Modules of their own, for what would be too much for everyone who uses the library.
MODULES    := partition/partitionotel cmd/quire-bento
BENTO_TAGS := bento_kafka,bento_aws,bento_gcp,bento_azure,bento_sql

.DEFAULT_GOAL := help
.PHONY: help build bento demo test check check-all race vet format fix lint tidy slow modules soak fuzz bench bench-split clean

help: ## print the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo 'The tests stand alone. With real documents in ../shared, test, slow, soak, fuzz and bench use those too:'
	@echo 'real PDFs to cut and to fuzz from, and answers of the API to compare with. Without them these parts are skipped.'

build: ## build bin/quire
	$(GO) build -trimpath -o bin/quire ./cmd/quire

bento: ## build bin/quire-bento, the stream engine Bento with Quire in it (TAGS=bento_kafka,... for more connectors)
	cd cmd/quire-bento && GOWORK=off $(GO) build -trimpath -tags='$(TAGS)' -o ../../bin/quire-bento .

demo: build ## partition the project's own small documents with the embedded engine, and print elements and a summary
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
	echo '$$ quire partition testdata/demo --local --no-cache -f jsonl --summary summary.json' && \
	bin/quire partition testdata/demo --local --no-cache -f jsonl --summary "$$dir/summary.json" && \
	echo '$$ cat summary.json' && cat "$$dir/summary.json"

test: ## run the tests (under 2 minutes on 2 cores once built)
	$(GO) test $(PACKAGES)

check: format vet fix tidy lint race slow modules ## everything: formatting, vet, linters, tidy modules, tests with -race, slow suites

check-all: check ## check, and the configurations of quire-bento that need build tags: compiles every connector (20 CPU minutes)
	cd cmd/quire-bento && GOWORK=off $(GO) test -vet=off -tags=$(BENTO_TAGS) -run='^TestConfigurationsAreWithoutLint$$' -v .

race: ## run the tests with the race detector, in random order
	$(GO) test -race -shuffle=on -timeout=$(TIMEOUT) $(PACKAGES)

slow: ## run the slow suites: files with the build tag conformance
	$(GO) test -tags=conformance -timeout=$(TIMEOUT) $(PACKAGES)
	$(GO) test -race -tags=conformance -run='^TestChunksAtOnce$$' -timeout=$(TIMEOUT) ./split

# The linter has vet in it. A vet of its own would go through the sources of all that Bento is made of: two CPU minutes.
# Postgres needs Bento's SQL components: another CPU minute where nothing is built yet.
modules: ## tidy, test and lint the modules below this one
	@for module in $(MODULES); do \
		echo "module $$module" && (cd $$module && export GOWORK=off && $(GO) mod tidy -diff && \
		$(GO) test -vet=off -timeout=$(TIMEOUT) ./... && \
		$(GO) tool -modfile=$(CURDIR)/.tools/tools.mod golangci-lint run --allow-parallel-runners ./...) || exit 1; \
	done
	cd cmd/quire-bento && GOWORK=off $(GO) test -vet=off -tags=bento_postgres -run='Postgres|^TestConfigurationsAreWithoutLint$$' -timeout=$(TIMEOUT) .

vet:
	$(GO) vet -tags=conformance $(PACKAGES)

format:
	@files=$$($(TOOL) gofumpt -l .) && if [ -n "$$files" ]; then echo "not formatted with gofumpt:"; echo "$$files"; exit 1; fi

fix:
	$(GO) fix -diff -tags=conformance $(PACKAGES)

lint: ## run staticcheck and golangci-lint
	$(TOOL) staticcheck -tags=conformance $(PACKAGES)
	$(TOOL) golangci-lint run --allow-parallel-runners $(PACKAGES)

# The tools' module has no package of its own, so it is checked where no other package is.
tidy:
	$(GO) mod tidy -diff
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
	cp .tools/tools.mod "$$dir/go.mod" && cp .tools/tools.sum "$$dir/go.sum" && cd "$$dir" && $(GO) mod tidy -diff

soak: ## an hour of the fault storm, split against unsplit over every PDF, all mutations, all bombs
	QUIRE_SOAK=120000 $(GO) test -tags=conformance -timeout=180m -v -run 'FaultStorm|SplitEqualsUnsplit' ./partition
	QUIRE_SOAK=1 $(GO) test -timeout=60m -v -run 'TestE2' ./partition/local
	QUIRE_SOAK=1 $(GO) test -tags=conformance -timeout=60m -v -run 'TestMutations|TestB10' ./split

fuzz: ## run each fuzz target for FUZZTIME (10s)
	@listed=$$($(GO) test -list '^Fuzz' $(PACKAGES)) || { echo "$$listed"; exit 1; }; \
	echo "$$listed" | awk ' \
		/^Fuzz/ { target[++n] = $$1 } \
		$$1 == "ok" { for (i = 1; i <= n; i++) print $$2, target[i] } \
		$$1 == "ok" || $$1 == "?" { n = 0 }' | \
	while read -r package target; do \
		echo "$$package $$target"; \
		$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x "$$package" || exit 1; \
	done

bench: ## run the benchmarks
	$(GO) test -run '^$$' -bench . -benchmem $(PACKAGES)

# The official clients' engines go into a folder that is removed again. Without the network they are left out.
bench-split: ## compare package split with qpdf, pdfcpu, pypdfium2 and pdf-lib
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT; \
	{ python3 -m venv "$$dir/python" && "$$dir/python/bin/pip" -q --disable-pip-version-check install pypdfium2==5.15.2; } || \
		echo "bench-split: pypdfium2 cannot be installed" >&2; \
	npm install --silent --prefix "$$dir" pdf-lib@1.17.1 || echo "bench-split: pdf-lib cannot be installed" >&2; \
	QUIRE_SPLIT_PEERS="$$dir" $(GO) test -tags=conformance -run '^$$' -bench '^BenchmarkPeers$$' -benchtime=1x -timeout=60m ./split

clean: ## remove what was built
	rm -rf bin coverage.*
