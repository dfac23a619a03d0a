# The commands one types. The virtual environment is .venv, or the one that VENV names: make test VENV=~/envs/mtl
VENV ?= .venv
PYTHON = $(VENV)/bin/python
# further arguments of a command: make test ARGS="tests/templates -n 0"
ARGS ?=
# of "make bench": a folder of benchmarks/, its mode and options
TASK ?= synthetic
MODE ?= table --quick

.DEFAULT_GOAL := help
.PHONY: help install test lint docs bench

help:  ## this list
	@grep -hE '^[a-z]+: .*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+): .*## /  make \1	/' | expand -t 18

install:  ## make the virtual environment, with all that tests, checks and documentation need
	python3 -m venv $(VENV)
	$(PYTHON) -m pip install --editable ".[dev]"

test: | $(PYTHON)  ## run the tests; ARGS="tests/templates" for a folder of them
	$(PYTHON) -m pytest $(ARGS)

lint: | $(PYTHON)  ## linter, format and types
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy

docs: | $(PYTHON)  ## build the documentation into build/site, strictly
	NO_MKDOCS_2_WARNING=1 $(PYTHON) -m mkdocs build --strict $(ARGS)

bench: | $(PYTHON)  ## a benchmark: TASK=ner MODE="speed --corpora DIR"; by default one of made-up chains, which needs no corpus
	$(PYTHON) -m benchmarks.$(TASK) $(MODE) $(ARGS)

$(PYTHON):
	@echo "There is no virtual environment at $(VENV): run 'make install' first, or name yours with VENV=..." >&2
	@exit 1
