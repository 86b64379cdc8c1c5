# `make serve` and `make test` do all there is to do, set-up included; the work is in pysrc/sitekit.

# The first Python that is new enough; name another with make PYTHON=...
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$python && break; done)
PORT ?= 8000
RUNTIME ?= cdn
BIN := .venv/bin
SITEKIT := $(BIN)/python -m sitekit
BOOTSTRAP := pysrc/sitekit/provision/bootstrap.py

export HYPOTHESIS_STORAGE_DIRECTORY := .cache/hypothesis

.PHONY: help serve test setup check build record bench test-engines labs test-labs lock clean python

help:  ## show this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /make \1#/p' $(MAKEFILE_LIST) | awk -F'#' '{printf "  %-13s  %s\n", $$1, $$2}'

serve: python  ## show the site at http://127.0.0.1:8000/napkin/ (PORT=...) and follow every edit
	@$(PYTHON) $(BOOTSTRAP) --chromium wanted
	@$(SITEKIT) serve --port $(PORT)

test: check  ## check, build and test everything, the site in a Chromium
	$(SITEKIT) build --runtime self-hosted --quiet
	$(BIN)/pytest

setup: python  ## fetch and check all that is needed; seconds when it is there
	@$(PYTHON) $(BOOTSTRAP)

check: setup  ## lint and type-check Python and JavaScript
	$(BIN)/ruff check
	$(BIN)/codespell --skip "docs/labs/*.ipynb" docs README.md pysrc
	$(BIN)/mypy
	$(SITEKIT) typecheck

build: setup  ## write the site to publish to build/site (RUNTIME=cdn or self-hosted)
	$(SITEKIT) build --runtime $(RUNTIME)

record: setup  ## run the lessons and rewrite the recorded outputs, to be reviewed
	$(SITEKIT) record

bench: setup  ## measure start-up, stops, answers and imports in a browser
	$(SITEKIT) build --runtime self-hosted --quiet
	$(BIN)/python -m tests.bench
	$(BIN)/python -m tests.bench.in_pyodide

test-engines: setup  ## try the built site in this machine's own Firefox and WebKitGTK
	$(SITEKIT) build --runtime self-hosted --quiet
	$(BIN)/python -m tests.engines

labs: .cache/labs/ready  ## run the labs on PyTorch and save their outputs, to be reviewed
	.cache/labs/bin/python -m sitekit labs

test-labs: .cache/labs/ready  ## run the labs on PyTorch and compare estimate with measurement
	.cache/labs/bin/pytest --confcutdir=tests/labs -W default tests/labs/run_labs.py

# PyTorch, apart from all else. Where pip would bring a CUDA build of gigabytes, name the index of
# CPU builds in PIP_EXTRA_INDEX_URL (see the README).
.cache/labs/ready: pyproject.toml
	$(PYTHON) -m venv --clear .cache/labs
	.cache/labs/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	.cache/labs/bin/python -m pip install --quiet --group labs --editable .
	@touch $@

lock: setup  ## resolve the Python pins of pyproject.toml anew
	$(SITEKIT) lock

clean:  ## remove all that was fetched and made
	rm -rf .cache .venv build node_modules docs/assets/runtime docs/assets/vendor

python:
	@test -n "$(PYTHON)" || { echo "Napkin needs Python 3.11 or newer, and found none on PATH."; \
	echo "  What to do: sudo apt-get install python3 (Debian 12+, Ubuntu 24.04+), or make PYTHON=/path/to/python3.12"; \
	exit 1; } >&2
