# Everything a clone needs: each target sets up its own virtual environment in .venv and reuses it.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt
READY := $(VENV)/.ready
BENCH_READY := $(VENV)/.ready-bench
AUDIT_READY := $(VENV)/.ready-audit

.PHONY: help setup demo test lint bench docs build audit sbom clean
.DEFAULT_GOAL := help

help:
	@echo "make demo   set up, train a segmenter on drawn scenes, write a page about it into demo/"
	@echo "make test   set up, run all tests"
	@echo "make lint   ruff, mypy and the direction of dependencies"
	@echo "make bench  measure speed and accuracy against peers, into bench-results/"
	@echo "make docs   check the documentation: its links and its examples"
	@echo "make build  wheel and sdist into dist/"
	@echo "make audit  look for known vulnerabilities in all that constraints.txt names"
	@echo "make sbom   list of components (CycloneDX) into dist/sbom.json"
	@echo "make clean  remove the environment and all that the other targets made"

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "segboost needs Python 3.11 or newer: install it or set PYTHON=..." >&2; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "segboost needs Python 3.11 or newer, $(PYTHON) is older: set PYTHON=..." >&2; exit 2; }
	@echo "setting up $(VENV) (once)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) -e ".[dev]"
	@touch $@

$(BENCH_READY): $(READY)
	@$(PIP) -e ".[bench]"
	@touch $@

$(AUDIT_READY): $(READY)
	@$(PIP) -e ".[audit]"
	@touch $@

demo: $(READY)
	@$(BIN)/segboost demo --output demo

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

audit: $(AUDIT_READY)
	$(BIN)/python .ci/audit.py

sbom: $(AUDIT_READY)
	$(BIN)/python .ci/sbom.py --output dist/sbom.json

clean:
	rm -rf $(VENV) build dist demo bench-results *.egg-info
