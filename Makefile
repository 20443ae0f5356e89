# Needs Python (the range is below) and make, nothing else: the rest is installed into .venv, once.
# Written for GNU Make 3.81 and later, so that a Mac's own will do.

PYTHON ?= python3
ADDR ?= 127.0.0.1:8000
OLDEST := 3.11.5
NEWEST := 3.14

PY := .venv/bin/python
PYTEST := $(PY) -m pytest
PEERS := .cache/peers
MERMAID := mermaid@11.17.2
LIGHTHOUSE := lighthouse@12.2.3

# Settings of one person or machine must not change what is built.
unexport PYTHONPATH PYTHONHOME
export PYTHONUTF8 := 1
export MPLCONFIGDIR := $(CURDIR)/.cache/matplotlib
export HYPOTHESIS_STORAGE_DIRECTORY := $(CURDIR)/.cache/hypothesis
# Material's announcement of its end of life; we know, see the pins.
export NO_MKDOCS_2_WARNING := 1

.PHONY: help serve build test quick check format reading wheel golden clinic bench lab lab-smoke fuzz mutants diagrams addresses lighthouse clean env peers

help: ## List what can be made (this list)
	@sed -n 's/^\([a-z-]*\):.*## /\1#/p' Makefile | awk -F '#' '{ printf "make %-11s %s\n", $$1, $$2 }'

serve: env ## Read the site on http://127.0.0.1:8000, rebuilt on every change (or ADDR=host:port)
	@$(PY) -m mkdocs serve --dev-addr "$(ADDR)"

build: env ## Build the site into site/
	@$(PY) -m mkdocs build --strict

test: env ## Test everything, in a browser too
	@chromium=$$($(PY) -m tests.chromium) && POSENC_CHROMIUM="$$chromium" $(PYTEST) -n 2 --dist loadfile

# Pages and notebooks that differ from the last commit, and new ones; none where there is no git.
CHANGED = { git -c core.quotePath=off diff --name-only --diff-filter=d HEAD -- docs; \
            git ls-files --others --exclude-standard -- docs; } 2>/dev/null \
          | grep -E '\.md$$|^docs/examples/.*\.py$$' | grep -v '^docs/assets/'

quick: env ## Test what needs neither site nor browser, and the snippets of changed pages
	@{ printf '%s\n' tests posenc_ref; $(CHANGED); } | tr '\n' '\0' \
	  | xargs -0 $(PYTEST) -n auto --dist loadfile -m "not site and not browser"

check: env ## Check format, lint and types
	@failed=0; \
	$(PY) -m ruff format --check || failed=1; \
	$(PY) -m ruff check || failed=1; \
	$(PY) -m mypy || failed=1; \
	exit $$failed

format: env ## Format the code, and put right what lint can
	@$(PY) -m ruff check --fix-only
	@$(PY) -m ruff format

reading: build ## Say how long each page is to read, and how hard
	@$(PY) -m tests.prose site

wheel: env ## Build the wheel and the source archive into dist/
	@$(PY) -m build --no-isolation --outdir dist

golden: peers ## Record the golden values anew from released code (two gigabytes to install, once)
	@HF_HUB_OFFLINE=1 $(PEERS)/bin/python -m tests.record

clinic: peers ## Run the clinic's checks in PyTorch, into tests/clinic_checks.json
	@$(PEERS)/bin/python -m tests.clinic_checks

bench: peers ## Measure the package beside other libraries, into bench/results.json (some minutes)
	@$(PEERS)/bin/python -m bench

lab: env ## Run the lab's experiments, into docs/lab/results.json (half an hour)
	@test -e .cache/lab/plays.txt || $(PY) -m bench.plays
	@$(PY) -m posenc_ref.lab full --text .cache/lab/plays.txt --out docs/lab/results.json

lab-smoke: env ## See that the lab's schemes stand in the order that is known (half a minute)
	@$(PY) -m posenc_ref.lab smoke

fuzz: env ## Call every function with 20,000 sets of arguments, and read 10,000 changed configs
	@POSENC_FUZZ=20000 $(PYTEST) tests/test_fuzz.py tests/test_config_fuzz.py

mutants: env ## Change the package in thousands of small ways and see that a test fails (an hour)
	@$(PY) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
	  --editable ".[mutants]"
	@$(PY) -m tests.mutants

# The libraries that the package is compared with: too large for the environment of every day.
peers:
	@key="$$("$(PYTHON)" -V) in $$PWD, pins $$(cksum <peers.txt)"; \
	if [ "$$key" != "$$(cat $(PEERS)/ready 2>/dev/null)" ]; then \
	  rm -rf $(PEERS) && \
	  "$(PYTHON)" -m venv $(PEERS) && \
	  $(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check \
	    --requirement peers.txt && \
	  echo "$$key" >$(PEERS)/ready; \
	fi

diagrams: env ## Draw the Mermaid diagrams that have no drawing yet (needs npm)
	@npm install --silent --no-save --prefix .cache/npm $(MERMAID)
	@PYTHONPATH=docs $(PY) -m _hooks.diagrams .cache/npm/node_modules/mermaid/dist/mermaid.min.js

addresses: build ## Add new pages and headings to the register of addresses that never break
	@PYTHONPATH=docs $(PY) -m _hooks.addresses site

lighthouse: build ## Measure the site with Lighthouse, as on a phone (needs npm)
	@npm install --silent --no-save --prefix .cache/npm $(LIGHTHOUSE)
	@$(PY) -m tests.lighthouse .cache/npm/node_modules/.bin/lighthouse site

clean: ## Remove all that was made here, the environment too
	@rm -rf .venv .cache site dist .hypothesis
	@find posenc_ref docs tests -name __pycache__ -type d -exec rm -rf {} +

# The environment. One sentence if this Python will not do; else .venv/ready says what it was made
# from, and it is made anew when that changes or when making it was interrupted.
define CHECK_PYTHON
import sys
oldest, newest = "$(OLDEST)", "$(NEWEST)"
here = sys.version_info[:3]
low, high = (tuple(map(int, v.split("."))) for v in (oldest, newest))
if here < low or here[:2] > high:
    sys.exit("$(PYTHON) is Python %d.%d.%d and this project needs %s to %s; name one with "
             "PYTHON, for example: make test PYTHON=python%s" % (here + (oldest, newest, newest)))
try:
    import ensurepip, venv
except ImportError:
    sys.exit("$(PYTHON) has no venv module to make an environment with; on Debian and Ubuntu it "
             "is in a package of its own: apt-get install python%d.%d-venv" % here[:2])
endef
export CHECK_PYTHON

env:
	@command -v "$(PYTHON)" >/dev/null || { echo "There is no $(PYTHON) here; name a Python of \
	$(OLDEST) to $(NEWEST) with PYTHON, for example: make test PYTHON=python$(NEWEST)" >&2; exit 1; }
	@"$(PYTHON)" -c "$$CHECK_PYTHON"
	@key="$$("$(PYTHON)" -V) in $$PWD, pins $$(cat pyproject.toml constraints.txt | cksum)"; \
	if [ "$$key" != "$$(cat .venv/ready 2>/dev/null)" ]; then \
	  echo "Installing what the site and its tests need into .venv (about a minute) ..." >&2; \
	  rm -rf .venv && \
	  "$(PYTHON)" -m venv .venv && \
	  $(PY) -m pip install --quiet --disable-pip-version-check --no-compile \
	    --constraint constraints.txt --editable ".[docs,test]" && \
	  echo "$$key" >.venv/ready; \
	fi
