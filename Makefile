# Everything runs from a virtual environment in .venv, which the targets make and keep up to date themselves.
# Needed: make and Python >= 3.11 with venv. Another interpreter: make PYTHON=python3.13 test

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check --no-input -c constraints.txt
PACKAGES := $(wildcard paohuzi_env agents benchmarks train)
PYTEST_ARGS ?= -n 2
BENCH_ARGS ?=
NAME ?=
CONSUMERS_ARGS ?=
# What `make test` runs of them; none: make test CONSUMERS=
CONSUMERS ?= sb3

.DEFAULT_GOAL := help
.PHONY: help demo test lint bench consumers clean
.DELETE_ON_ERROR:

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.installed-train  ## hands played and verified, then a network taught for two minutes and measured
	@$(PY) -m paohuzi_env.demo
	@$(PY) -m train demo

# The compiled run comes last, so that its closing line does. 5: no test carries the marker.
test: lint  ## lint, then the tests: interpreted and bounds-checked in part, compiled in full
	NUMBA_DISABLE_JIT=1 $(PY) -m pytest -q -m interpreted $(PYTEST_ARGS) || [ $$? -eq 5 ]
	NUMBA_BOUNDSCHECK=1 $(PY) -m pytest -q -m boundscheck $(PYTEST_ARGS) || [ $$? -eq 5 ]
	$(if $(CONSUMERS),$(CONSUME) $(CONSUMERS) --keep --results .consumers/results.json)
	$(PY) -m pytest -q $(PYTEST_ARGS)

lint: $(VENV)/.installed-dev  ## ruff, mypy --strict, and who may import whom
	$(PY) -m ruff check .
	$(PY) -m mypy $(PACKAGES)
	$(PY) -m mypy tests/consumers
	@# import-linter fails on a package that is not there (yet): name those that are.
	@sed -e 's/^root_packages = .*/root_packages = $(call list,$(PACKAGES))/' \
	  -e 's/^source_modules = .*# all but train.*/source_modules = $(call list,$(filter-out train,$(PACKAGES)))/' \
	  pyproject.toml > $(VENV)/imports.toml
	$(PY) -c 'from importlinter.cli import lint_imports_command; lint_imports_command()' $(VENV)/imports.toml

bench: $(VENV)/.installed-bench  ## measure the speed, beside other environments (about 10 minutes; BENCH_ARGS=--quick: 2)
	@$(PY) -m benchmarks speed $(BENCH_ARGS)

CONSUME := PYTHONPATH=.:tests $(PY) -m consumers

consumers: $(VENV)/.installed  ## the libraries that people train with, each installed and run (NAME=sb3: one of them)
	@$(CONSUME) $(NAME) --readme README.md $(CONSUMERS_ARGS)

clean:  ## remove the environment and what tools left (the compiled kernels live in the user's cache folder)
	rm -rf $(VENV) .bench .consumers .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# An install that was interrupted leaves .venv/.installing behind; then the environment is made anew.
define install
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' || { \
	  echo "Python 3.11 to 3.14 is needed, and $(PYTHON) is: $$($(PYTHON) --version 2>&1)." >&2; \
	  echo "Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@if [ -e $(VENV)/.installing ] || ! $(PY) -c 'import pip' 2>/dev/null; then rm -rf $(VENV); fi
	@[ -d $(VENV) ] || { echo "Making $(VENV)"; mkdir $(VENV); touch $(VENV)/.installing; $(PYTHON) -m venv $(VENV); }
	@touch $(VENV)/.installing
	@echo "Installing $(1)"
	@$(PIP) hatchling
	@$(PIP) --no-build-isolation --editable '$(1)'
	@rm $(VENV)/.installing
	@touch $@
endef

$(VENV)/.installed: pyproject.toml constraints.txt
	$(call install,.)

$(VENV)/.installed-bench: pyproject.toml constraints.txt
	$(call install,.[arena])
	@touch $(VENV)/.installed

$(VENV)/.installed-train: pyproject.toml constraints.txt
	$(call install,.[arena$(comma)train])
	@touch $(VENV)/.installed $(VENV)/.installed-bench

$(VENV)/.installed-dev: pyproject.toml constraints.txt
	$(call install,.[arena$(comma)train$(comma)test$(comma)dev])
	@touch $(VENV)/.installed $(VENV)/.installed-bench $(VENV)/.installed-train

comma := ,
list = [$(foreach name,$(1),"$(name)",)]
