# Targets of the project; `make help` lists them. Needs only make and Python 3.11 or newer.

PYTHON ?= python3
PORT ?= 8000
PYTEST_ARGS ?=
BENCH_ARGS ?=
LOCK_ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LOCK_VENV := build/lock-venv

.DEFAULT_GOAL := help
.PHONY: help setup run test test-long perft7 lint format type check bench warm lock clean

help:
	@echo 'make run         set up if needed, start the service on loopback (PORT=$(PORT))'
	@echo 'make test        set up if needed, run the tests (PYTEST_ARGS=...)'
	@echo 'make test-long   the tests marked long; make perft7: the count over all 7-card hands'
	@echo 'make lint        style and format; make format: apply them; make type: mypy'
	@echo 'make check       lint, type and test: what .ci/run calls'
	@echo 'make bench       the benchmark suite (BENCH_ARGS=...); make warm: compile the kernels'
	@echo 'make lock        rewrite requirements.lock (LOCK_ARGS=--upgrade for newer releases)'
	@echo 'make clean       remove the environment, caches and build products'

setup: $(STAMP)

# The environment is remade in place whenever the lock or the project's metadata changes.
# Everything comes from the lock, hashes checked; the project itself is built by the locked hatchling.
$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "meld-solver needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1 | tail -n 1)." \
	    "Try: make PYTHON=python3.11 ..." >&2; exit 1; }
	@command -v uv >/dev/null 2>&1 || $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "meld-solver needs Python's venv module; on Debian or Ubuntu: apt install python3-venv" >&2; exit 1; }
	@echo 'setting up $(VENV) from requirements.lock (about half a minute the first time)' >&2
	@set -e; if command -v uv >/dev/null 2>&1; then \
	  $(BIN)/python -c '' 2>/dev/null || uv venv --quiet --clear --python '$(PYTHON)' $(VENV); \
	  uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock; \
	  uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .; \
	else \
	  $(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV); \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock; \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .; \
	fi
	@touch $@

run: $(STAMP)
	@exec $(BIN)/meld-solver serve --port $(PORT)

test: $(STAMP)
	$(BIN)/python -m pytest $(PYTEST_ARGS)

test-long: $(STAMP)
	$(BIN)/python -m pytest -m long $(PYTEST_ARGS)

perft7: $(STAMP)
	$(BIN)/python -m pytest tests/perft -m long -k seven $(PYTEST_ARGS)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(STAMP)
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

type: $(STAMP)
	$(BIN)/mypy

check: lint type test

bench: $(STAMP)
	$(BIN)/meld-solver bench $(BENCH_ARGS)

warm: $(STAMP)
	$(BIN)/meld-solver warm

# The form of `uv pip compile` is chosen because it alone writes no download address.
lock:
	@set -e; uv=$$(command -v uv || true); if [ -z "$$uv" ]; then \
	  uv=$(LOCK_VENV)/bin/uv; \
	  [ -x $$uv ] || { $(PYTHON) -m venv $(LOCK_VENV); $(LOCK_VENV)/bin/python -m pip install --quiet uv; }; \
	fi; \
	$$uv pip compile pyproject.toml --universal --python-version 3.11 \
	  --extra test --extra dev --extra batch --extra serve \
	  --generate-hashes --no-emit-index-url --no-header --quiet $(LOCK_ARGS) -o requirements.lock
	@! grep -n '://' requirements.lock || { echo 'requirements.lock holds an address' >&2; exit 1; }

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .benchmarks .coverage
	find . -name .git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
