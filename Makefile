PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: browser postgres age demo test soak check fuzz mutants bench figures docs screenshots coverage clean

demo: $(VENV)/.ready  ## the main job, offline, in .demo/
	@$(BIN)/mi --home $(CURDIR)/.demo demo

browser:  ## Chromium for the tests of the page, where it is missing and can be installed
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null \
		|| { apt-get update -qq && apt-get install -qq -y chromium >/dev/null; } \
		|| echo "Chromium is missing, and could not be installed: apt-get install chromium (the tests of the page need it)"

postgres:  ## PostgreSQL for the tests of the hub, where it is missing and can be installed
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 \
		|| { apt-get update -qq && apt-get install -qq -y postgresql >/dev/null; } \
		|| echo "PostgreSQL is missing, and could not be installed: apt-get install postgresql (the tests of the hub need it)"

age:  ## age for the tests of encrypted notes, where it is missing and can be installed
	@command -v age >/dev/null || { apt-get update -qq && apt-get install -qq -y age >/dev/null; } \
		|| echo "age is missing, and could not be installed: apt-get install age (the tests of encrypted notes need it)"

test: $(VENV)/.ready-dev browser postgres age  ## every test, real parts included
	$(BIN)/python -m pytest -n auto --dist worksteal --requirements $(ARGS)

soak: $(VENV)/.ready-dev  ## kill workers and runs at random for ten minutes each
	SOAK_S=600 $(BIN)/python -m pytest tests/fleet -k killed $(ARGS)

check: $(VENV)/.ready-dev  ## style, types, floors
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy --platform darwin --python-version 3.14
	$(BIN)/lint-imports
	$(BIN)/python docs/reference.py --check

fuzz: $(VENV)/.ready-dev  ## bad inputs for every parser of outside text, counted
	$(BIN)/python -m fuzz $(ARGS)

mutants: $(VENV)/.ready-dev  ## break each clause of the nexus contract; a fixture must notice
	$(BIN)/python -m tests.nexus.mutants

bench: $(VENV)/.ready-dev  ## figures as ratios, nothing asserted; BENCH="floor page" for some of them
	$(BIN)/python bench/all.py $(BENCH)

figures: $(VENV)/.ready-dev  ## the same, written into docs/figures.md
	$(BIN)/python bench/all.py --docs $(BENCH)

docs: $(VENV)/.ready-dev  ## write the generated parts of docs/ anew
	$(BIN)/python docs/reference.py
	$(BIN)/python docs/picture.py

screenshots: $(VENV)/.ready-dev browser  ## take the pictures of the page in README and guides anew
	WRITE_PICTURES=1 $(BIN)/python -m pytest -q tests/web/test_pictures.py -k page_shows

coverage: $(VENV)/.ready-dev  ## write build/coverage.md: each requirement with the tests that prove it
	$(BIN)/python -m pytest -q -n auto --dist worksteal --requirements --write-coverage

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable .
	@touch $@

$(VENV)/.ready-dev: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable '.[dev]'
	@touch $@ $(VENV)/.ready

clean:
	rm -rf $(VENV) .demo .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build dist
