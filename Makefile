# Every target creates the virtual environment .venv if needed and reuses it.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt
READY := $(VENV)/.ready
BENCH_READY := $(VENV)/.ready-bench
AUDIT_READY := $(VENV)/.ready-audit
DOCS_READY := $(VENV)/.ready-docs
# Two processes, each with one thread; see tests/conftest.py for the order.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 NUMBA_NUM_THREADS=1 $(BIN)/pytest -n 2
# Tests of the core, the data sets and the features: they train no segmenter and start no process or
# browser. NOT_FAST are files that fit many models (every estimator on every kind of input) or take long.
FAST := $(addprefix tests/,boosting contracts datasets estimators features graphs io packaging saving solver \
	storage tasks weak cli/display cli/options pipelines/tables pipelines/segmentation/metrics)
NOT_FAST := $(addprefix estimators/,test_sklearn.py test_checkpoint.py test_crf_classes.py test_degenerate.py \
	test_fitting.py test_not_finite.py test_boosted_scores.py) $(addprefix contracts/,test_optimum.py test_properties.py test_resume.py) \
	pipelines/tables/test_choice_of_c.py boosting/test_class_trees.py graphs/test_expansion.py features/boxes \
	features/test_feature_picture.py io/formats/test_round_trips.py

.PHONY: help setup demo start-page test test-fast lint bench docs site examples build audit sbom clean
.DEFAULT_GOAL := help

help:
	@echo "make setup  create the environment .venv; the other targets do it if needed"
	@echo "make demo   train a segmenter on synthetic scenes and write a report to demo/"
	@echo "make test   run all tests"
	@echo "make test-fast  run the tests of the core, the data sets and the features, in at most 90 s"
	@echo "make lint   run ruff, mypy and import-linter"
	@echo "make bench  run the benchmarks; write bench-results/ and docs/benchmarks.md"
	@echo "make site   build the documentation in docs/_build/html"
	@echo "make docs   build the documentation and run its code"
	@echo "make examples  redraw the pictures of the examples"
	@echo "make start-page  run the demo and write its figures to docs/start.md"
	@echo "make build  build wheel and sdist in dist/"
	@echo "make audit  check the packages pinned in constraints.txt for known vulnerabilities"
	@echo "make sbom   write a software bill of materials (CycloneDX) to dist/sbom.json"
	@echo "make clean  remove the environment and all generated files"

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

$(DOCS_READY): $(READY)
	@$(PIP) -e ".[docs]"
	@touch $@

$(AUDIT_READY): $(READY)
	@$(PIP) -e ".[audit]"
	@touch $@

demo: $(READY)
	@$(BIN)/segboost demo --output demo

test: $(READY)
	$(PYTEST)

test-fast: $(READY)
	$(PYTEST) -q -m "not slow and not data" $(addprefix --ignore tests/,$(NOT_FAST)) $(FAST)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(BENCH_READY)
	$(BIN)/python -m tests.benchmarks --output bench-results --publish

docs: site
	$(BIN)/pytest tests/docs

site: $(DOCS_READY)
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html

examples: $(READY)
	cd docs/examples/pictures && for script in ../*.py; do ../../../$(BIN)/python $$script || exit 1; done

# In a fresh folder, so that no older cache is used.
start-page: $(READY)
	rm -rf docs/_build/demo
	$(BIN)/segboost demo --output docs/_build/demo
	$(BIN)/python -m tests.docs.start_page docs/_build/demo

build: $(READY)
	$(BIN)/python -m build --outdir dist

audit: $(AUDIT_READY)
	$(BIN)/python .ci/audit.py

sbom: $(AUDIT_READY)
	$(BIN)/python .ci/sbom.py --output dist/sbom.json

clean:
	rm -rf $(VENV) build dist demo bench-results docs/_build *.egg-info
