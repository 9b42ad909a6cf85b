# The front door: every target makes the environment it needs, from Python >= 3.11, a C++ compiler and PyPI.
PYTHON ?= python3
VENV ?= .venv
BUILD ?= build/release
BUILD_OPTIONS ?=
PYTEST ?= pytest -n auto

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
INSTALL = $(BIN)/python tools/install.py --no-build-isolation -C build-dir=$(BUILD) $(BUILD_OPTIONS)
CPP = $$(find core tests -name '*.cpp' -o -name '*.hpp')

.PHONY: help build demo test test-packages fuzz bench docs wheel release lint format stubs asan tsan clean

help:
	@echo "make build   compile the core and install chainrule in $(VENV), editable; seconds when little changed"
	@echo "make demo    the first example of docs/start.md, then a digit classifier"
	@echo "make test    the test suite, against PyTorch"
	@echo "make test-packages  other people's packages, installed in build/packages; writes docs/packages.md; PART=2/4 for a quarter"
	@echo "make fuzz    random calls with hostile arguments, for SECONDS=60; SEED=7, MODE=differential compares with PyTorch"
	@echo "make bench   chainrule beside PyTorch; writes docs/benchmarks.md, the README's rows and its chart"
	@echo "make docs    the documentation site, in build/docs; runs the tutorials"
	@echo "make wheel   wheels for other machines, in dist; WHEELS='aarch64 --python /usr/bin/python3.12' chooses"
	@echo "make lint    ruff, pyright, clang-format; 'make format' mends what can be mended"
	@echo "make stubs   writes the type stubs anew, after a change of the core's functions"
	@echo "make asan    the test suite on a core built with the address and undefined-behaviour sanitizers"
	@echo "make tsan    the tests with threads on a core built with the thread sanitizer"

# One stamp per extra of pyproject.toml, so that the demo need not wait for PyTorch.
requirements = $$($(BIN)/python -c 'import sys, tomllib; \
  print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"][sys.argv[1]])' $(1))

$(VENV)/bin/python:
	@echo "making an environment in $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "chainrule needs Python 3.11 or later")'
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --quiet --upgrade pip

$(VENV)/%.stamp: pyproject.toml | $(VENV)/bin/python
	@echo "installing what '$*' needs, from PyPI"
	@$(PIP) install --quiet $(call requirements,$*)
	@touch $@

build: $(VENV)/build.stamp
	@$(INSTALL) --editable .

demo: build $(VENV)/demo.stamp
	$(BIN)/python examples/quickstart.py
	$(BIN)/python examples/digits.py

test: build $(VENV)/test.stamp
	$(TEST_ENV) $(BIN)/python -m $(PYTEST)

# Other people's packages, in an environment of their own (build/packages); writes docs/packages.md. All of them take more
# than an hour: PART=2/4 is the second quarter.
PART ?= 1/1
test-packages: build $(VENV)/test.stamp
	$(BIN)/python -m tests.packages --write --part $(PART)

# Each call is drawn from the seed and its number, and what is found is shown as a program; see tests/fuzzing/__main__.py.
SECONDS ?= 60
MODE ?= calls
fuzz: build $(VENV)/test.stamp
	cd tests && $(TEST_ENV) $(abspath $(BIN))/python -m fuzzing --seconds $(SECONDS) --mode $(MODE) $(if $(SEED),--seed $(SEED))

# Measures chainrule as users have it: an editable install adds 6 ms to the import.
bench: $(VENV)/build.stamp $(VENV)/test.stamp
	$(INSTALL) .
	$(BIN)/python benchmarks/table.py; status=$$?; $(INSTALL) --editable .; exit $$status

# A warning is an error: a link that leads nowhere, a page that nobody finds. The notebooks run. All is read anew (-E),
# because entries of the reference move between pages.
docs: build $(VENV)/docs.stamp
	$(BIN)/python -m sphinx -q -E -W --keep-going -b html docs build/docs
	@echo "the site is in build/docs/index.html"

# Every Python 3.11 to 3.14 on the path gets its wheels. WHEELS names targets (x86_64 aarch64) and interpreters.
wheel: $(VENV)/build.stamp $(VENV)/wheels.stamp
	$(BIN)/python tools/wheels.py $(WHEELS)

# The wheels and the source archive, if all is ready for a release.
release: $(VENV)/build.stamp $(VENV)/wheels.stamp
	$(BIN)/python tools/release.py $(WHEELS)

lint: build $(VENV)/lint.stamp $(VENV)/test.stamp $(VENV)/demo.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/clang-format --dry-run --Werror $(CPP)
	$(BIN)/pyright

format: $(VENV)/lint.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP)

stubs: build
	$(BIN)/python tools/stubs.py

# Python is not built for the sanitizer, so its library is loaded first; Python's own leaks are not ours, and a huge
# allocation must fail as it does elsewhere. pytest leaves stderr alone, and the installed library keeps its symbols, so
# that a finding can be read.
# `make asan TARGET=fuzz SECONDS=600` fuzzes that build.
asan:
	$(MAKE) $(or $(TARGET),test) VENV=.venv-asan BUILD=build/asan \
	  BUILD_OPTIONS='-C install.strip=false -C cmake.define.CHAINRULE_SANITIZE=address,undefined' \
	  PYTEST='$(PYTEST) --capture=sys' \
	  TEST_ENV='LD_PRELOAD="$(shell $(CXX) -print-file-name=libasan.so) $(shell $(CXX) -print-file-name=libstdc++.so)" \
	  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=3072:soft_rss_limit_mb=6144 \
	  UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 PYTHONMALLOC=malloc'

# The tests in which threads work, on a core built with the thread sanitizer. Its layout of memory needs fixed addresses.
THREADED = tests/test_threads.py tests/test_laziness.py tests/test_large_kernels.py tests/test_pending.py \
  tests/test_pending_products.py
tsan:
	$(MAKE) test VENV=.venv-tsan BUILD=build/tsan \
	  BUILD_OPTIONS='-C install.strip=false -C cmake.define.CHAINRULE_SANITIZE=thread' \
	  PYTEST='pytest --capture=sys $(THREADED)' \
	  TEST_ENV='OMP_NUM_THREADS=1 \
	  LD_PRELOAD="$(shell $(CXX) -print-file-name=libtsan.so) $(shell $(CXX) -print-file-name=libstdc++.so)" \
	  TSAN_OPTIONS="suppressions=tests/thread_sanitizer.supp die_after_fork=0 history_size=4" setarch -R'

clean:
	rm -rf build .venv .venv-asan .venv-tsan
