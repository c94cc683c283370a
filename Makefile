# Everything a clone needs: each target sets up its own virtual environment in .venv and reuses it.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BENCH_READY := $(VENV)/.ready-bench

.PHONY: help setup demo test lint bench docs build clean

help:
	@echo "make demo   set up, train a small model, draw what it learned into demo/"
	@echo "make test   set up, run all tests"
	@echo "make lint   ruff, mypy and the direction of dependencies"
	@echo "make bench  measure speed and accuracy against peers, into bench-results/"
	@echo "make docs   check the documentation: its links and its examples"
	@echo "make build  wheel and sdist into dist/"

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "segboost needs Python 3.11 or newer: install it or set PYTHON=..."; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "segboost needs Python 3.11 or newer, $(PYTHON) is older: set PYTHON=..."; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $@

$(BENCH_READY): $(READY)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[bench]"
	@touch $@

demo: $(READY)
	$(BIN)/segboost demo --output demo

test: $(READY)
	$(BIN)/pytest

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(BENCH_READY)
	$(BIN)/python -m tests.benchmarks --output bench-results

docs: $(READY)
	$(BIN)/pytest tests/docs

build: $(READY)
	$(BIN)/python -m build --outdir dist

clean:
	rm -rf $(VENV) build dist demo bench-results *.egg-info
