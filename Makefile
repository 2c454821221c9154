# Everything the project needs is set up in .venv by these targets; no system MPI is needed.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
KERNELS := $(wildcard hpcreuse/kernels/*.pyx hpcreuse/kernels/*.pxd hpcreuse/kernels/*.h)

.PHONY: demo test test-all test-slurm bench docs fuzz lint setup clean

demo: $(VENV)/.installed       ## set up, then run the main job on a small crawl made here
	$(BIN)/hpcreuse demo

test: $(VENV)/.installed-dev   ## set up, then run all tests; fetches WordNet and manuals of Debian when it may
	scripts/install-wordnet.sh
	scripts/fetch-debian-manuals.sh
	$(BIN)/pytest -n 2 --dist loadfile $(PYTEST_OPTIONS)

test-all: $(VENV)/.installed-dev   ## all tests, every method on every number of ranks: takes an hour
	scripts/install-wordnet.sh
	scripts/fetch-debian-manuals.sh
	HPCREUSE_TEST_THOROUGH=1 $(BIN)/pytest -n 2 --dist loadfile $(PYTEST_OPTIONS)

test-slurm: $(VENV)/.installed-dev   ## the job scripts on a real Slurm of two nodes; installs Debian's, needs root
	scripts/install-slurm.sh
	$(BIN)/pytest tests/slurm $(PYTEST_OPTIONS)

BENCH_OPTIONS ?=
bench: $(VENV)/.installed-dev  ## measure: limits, peers, memory, scaling; writes bench/results
	$(BIN)/pip install --quiet --editable '.[bench]'
	scripts/install-java.sh
	for bench in limits peers memory scaling; do $(BIN)/python bench/$$bench.py $(BENCH_OPTIONS) || exit 1; done

FUZZ_SECONDS ?= 20
fuzz: $(VENV)/.installed-dev   ## fuzz readers, decoding and chunks for a bounded time
	$(BIN)/python -c 'import atheris' 2>/dev/null || $(BIN)/pip install --quiet 'atheris>=3.0'
	for target in records containers responses chunks; do \
	    $(BIN)/python fuzz/fuzz_$$target.py -max_total_time=$(FUZZ_SECONDS) || exit 1; done

docs: $(VENV)/.installed-dev   ## the documentation as a static site, links checked: build/site/docs/index.html
	$(BIN)/sphinx-build -c docs -b html -d build/doctrees -W --keep-going -n -q . build/site

lint: $(VENV)/.installed-dev   ## style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

setup: $(VENV)/.installed-dev  ## set up for development

clean:
	rm -rf $(VENV) build *.egg-info hpcreuse-demo

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml setup.py $(KERNELS)
	$(BIN)/pip install --quiet --editable '.[mpich,parquet,language,judge,report]'
	touch $@

$(VENV)/.installed-dev: $(VENV)/bin/python pyproject.toml setup.py $(KERNELS)
	$(BIN)/pip install --quiet --editable '.[mpich,parquet,language,report,dev]'
	touch $@ $(VENV)/.installed
