# The commands of this repository; `make` alone lists them.

PRESET ?= release
JOBS ?= $(shell nproc)
MODE ?= test
OPS ?=
SECONDS ?=
SEED ?=

BUILD := build/$(PRESET)
PY := .venv/bin/python
PEERS ?= .venv-peers/bin/python
PROGRESS := $(PY) tools/progress.py
RELEASE_OP_CHECK := build/release/op_check
GENERATOR := $(if $(shell command -v ninja),-G Ninja)

CXX_FILES = $(shell find include src tests benchmarks examples python \
  \( -name '*.h' -o -name '*.cc' \) 2>/dev/null | sort)

# $(call configure,preset): configures once per preset; later changes are CMake's own business.
define configure
@if [ ! -f build/$(1)/CMakeCache.txt ] || [ CMakePresets.json -nt build/$(1)/CMakeCache.txt ]; then \
  gen='$(GENERATOR)'; [ ! -f build/$(1)/CMakeCache.txt ] || gen=; \
  $(PROGRESS) --label 'configure: $(1)' --log build/$(1)/configure.log \
    cmake --preset $(1) $$gen -Wno-dev --log-level=WARNING && touch build/$(1)/CMakeCache.txt; \
fi
endef

# $(call compile,preset,targets): how far it is, what the compiler has to say, and a closing line.
define compile
@$(PROGRESS) --label 'build: $(1)' --log build/$(1)/build.log --done 'is up to date' \
  cmake --build build/$(1) -j $(JOBS) $(if $(2),--target $(2))
endef

# $(call ctest,preset,options): how far it is, the failures in full, and a closing line.
define ctest
@$(PROGRESS) --label 'ctest: $(1)' --log build/$(1)/ctest.log \
  ctest --test-dir build/$(1) -j $(JOBS) --no-tests=error --output-on-failure $(2) || exit $$?; \
printf 'ctest: %s: ' $(1); grep 'tests passed' build/$(1)/ctest.log; \
grep 'Total Test time' build/$(1)/ctest.log | sed 's/^/ctest: /'
endef

.PHONY: help
help: ## List the targets
	@echo "Targets of this Makefile (PRESET=release|debug|asan|tsan, JOBS=n):"
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# What a fresh machine lacks: Debian packages and .venv/.
.PHONY: deps
deps:
	@tools/setup.sh

.PHONY: setup
setup: build ## Everything from nothing: Debian packages, .venv/ and build/

.PHONY: build
build: deps ## Configure and build everything (PRESET=release)
	$(call configure,$(PRESET))
	$(call compile,$(PRESET))

.PHONY: demo
demo: deps ## The tour: programs that leak, what the doctor says, the same mended, and a report
	$(call configure,release)
	$(call compile,release,penstock_python)
	@$(PY) examples/tour/tour.py build/demo

.PHONY: demo-cpp
demo-cpp: deps ## Build and run the demo in C++: a network that is trained, and its memory
	$(call configure,release)
	$(call compile,release,penstock_demo)
	@build/release/penstock_demo

.PHONY: test
test: deps ## The lean tier: release build, lint, C++ and Python tests, a short fuzz, heap faults, asan below the kernels
	@$(MAKE) --no-print-directory build PRESET=release
	@$(MAKE) --no-print-directory lint
	$(call ctest,release,-LE slow)
	@$(MAKE) --no-print-directory test-asan-lower
	@$(PY) -m pytest -q -n $(JOBS) -m 'not slow' tests/python

.PHONY: test-all
test-all: test ## The lean tier and everything slow: sanitizers, slow tests, all heap faults, fuzz with a new seed
	$(call ctest,release,-L slow --no-tests=ignore)
	@$(PY) -m pytest -q -m slow tests/python || [ $$? -eq 5 ]
	@$(MAKE) --no-print-directory test-asan
	@$(MAKE) --no-print-directory test-tsan
	@$(MAKE) --no-print-directory test-tsan-python
	@$(MAKE) --no-print-directory test-browser
	@$(MAKE) --no-print-directory op-check MODE=fuzz SECONDS=120 SEED=$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')

.PHONY: test-asan
test-asan: deps ## C++ tests under the address and undefined-behaviour sanitizers
	$(call configure,asan)
	$(call compile,asan)
	$(call ctest,asan,-LE 'slow|malloc_fault')

.PHONY: test-asan-lower
test-asan-lower: deps ## The layers below the kernels, under the same sanitizers: a minute instead of many
	$(call configure,asan)
	$(call compile,asan,lower_tests)
	@$(PROGRESS) --label 'asan: lower_tests' --log build/asan/lower_tests.log --done 'pass' \
	  build/asan/lower_tests --gtest_filter=-*.Slow*

.PHONY: test-tsan
test-tsan: deps ## C++ tests under the thread sanitizer
	$(call configure,tsan)
	$(call compile,tsan)
	$(call ctest,tsan,-LE 'slow|malloc_fault')

# The interpreter is not built with the sanitizer, whose runtime is therefore loaded before it. It sees
# Python's locks all the same, the GIL above all.
TSAN_TESTS ?= $(addprefix tests/python/front/test_,threads.py temporaries.py zero_copy.py)
.PHONY: test-tsan-python
test-tsan-python: deps ## Tests of the Python front that use threads, under the thread sanitizer
	$(call configure,tsan)
	$(call compile,tsan,penstock_python)
	@LD_PRELOAD=$$($(CXX) -print-file-name=libtsan.so) PYTHONPATH=build/tsan/python \
	  TSAN_OPTIONS=halt_on_error=1 $(PY) -m pytest -q -p no:cacheprovider $(TSAN_TESTS)

.PHONY: test-arm
test-arm: deps ## Build for 64-bit ARM and run the C++ tests under qemu
	@tools/setup.sh arm
	$(call configure,aarch64)
	$(call compile,aarch64,penstock_tests op_check public_functions)
	$(call ctest,aarch64,-LE slow)

.PHONY: test-peers
test-peers: deps ## Memory shared with the PyTorch and JAX of .venv-peers (PEERS=…)
	@PYTHONPATH=$$($(PEERS) -c 'import sysconfig; print(sysconfig.get_path("purelib"))') \
	  $(PY) -m pytest -q -p no:cacheprovider tests/python/front/test_zero_copy.py

.PHONY: test-browser
test-browser: build ## The report in chromium, and the exports as Perfetto and `go tool pprof` read them
	@tools/setup.sh browser
	@$(PY) -m pytest -q -rP -p no:cacheprovider tests/browser

.PHONY: bench
bench: deps ## Time penstock next to NumPy, PyTorch, TensorFlow and JAX (ARGS=--help: options)
	$(call configure,release)
	$(call compile,release,penstock_bench penstock_python)
	@$(PY) benchmarks/run.py $(ARGS)

.PHONY: lint
lint: deps ## Check formatting, Python style and the layers
	@.venv/bin/clang-format --dry-run -Werror $(CXX_FILES)
	@.venv/bin/ruff check -q .
	@.venv/bin/ruff format -q --check .
	@$(PY) tools/check_layers.py
	@$(PY) tools/public_names.py --check
	@echo "lint: clean"

.PHONY: format
format: deps ## Rewrite the sources in the house format
	@.venv/bin/clang-format -i $(CXX_FILES)
	@.venv/bin/ruff check -q --fix-only .
	@.venv/bin/ruff format -q .

.PHONY: names
names: deps ## Write where public names are (python/penstock/_api/names.txt) from @public in the sources
	@$(PY) tools/public_names.py

.PHONY: tidy
tidy: build ## Run clang-tidy over src/ where it is installed
	@command -v clang-tidy >/dev/null || { echo "tidy: clang-tidy is not installed"; exit 1; }
	@find src -name '*.cc' -print0 | xargs -0 -n 1 -P $(JOBS) clang-tidy --quiet -p $(BUILD) \
	  --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-error

.PHONY: op-check
op-check: deps ## Checks derived from the op definitions: MODE=test|grad|perf|support|oom|memory|lists|replay|fuzz OPS=a,b SECONDS=n SEED=n
	$(call configure,release)
	$(call compile,release,op_check)
ifeq ($(MODE),test)
	@$(RELEASE_OP_CHECK) --mode dump --out build/release/op_samples $(if $(OPS),--ops $(OPS))
	@$(PY) tests/python/op_reference.py build/release/op_samples
else
	@$(RELEASE_OP_CHECK) --mode $(MODE) $(if $(OPS),--ops $(OPS)) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED))
endif

.PHONY: record
record: deps ## Record TensorFlow's answers anew for MODE=replay (PEERS=a Python that has TensorFlow)
	$(call configure,release)
	$(call compile,release,op_check)
	@$(RELEASE_OP_CHECK) --mode dump --out build/release/op_samples
	@$(PEERS) tests/recorded/record.py --samples build/release/op_samples
	@$(PEERS) tests/recorded/record_front.py
	@$(MAKE) --no-print-directory docs-counts

.PHONY: record-front
record-front: ## Record TensorFlow's answers to the Python-level calls of tests/recorded/front_cases (PEERS=…)
	@$(PEERS) tests/recorded/record_front.py

.PHONY: record-shapes
record-shapes: ## Record what TensorFlow knows of these calls' shapes where sizes are open (PEERS=…)
	@$(PEERS) tests/recorded/record_shapes.py

.PHONY: record-names
record-names: ## Record the public names of TensorFlow's modules (PEERS=…)
	@$(PEERS) tests/recorded/record_names.py

.PHONY: record-autograph
record-autograph: ## Record what TensorFlow makes of the functions of tests/recorded/autograph_cases (PEERS=…)
	@$(PEERS) tests/recorded/record_autograph.py

.PHONY: record-v1
record-v1: ## Record TensorFlow's losses and errors for the programs and mistakes of tests/recorded/v1.py (PEERS=…)
	@$(PEERS) tests/recorded/record_v1.py

.PHONY: record-pipelines
record-pipelines: ## Record what TensorFlow gives for the input pipelines of tests/recorded/pipeline_cases (PEERS=…)
	@$(PEERS) tests/recorded/record_pipelines.py

.PHONY: differential
differential: deps ## Random programs here and under TensorFlow (PEERS=…; ARGS="--programs 20000 --seed 1", --help)
	$(call configure,release)
	$(call compile,release,penstock_python)
	@$(PY) tests/differential/run.py --peers $(PEERS) $(ARGS)

.PHONY: docs-counts
docs-counts: deps ## Bring the counts in the README (ops, recorded calls) up to date
	@$(PY) tools/doc_counts.py

.PHONY: docs-support
docs-support: deps ## Bring the table of TensorFlow's names in docs/from_tensorflow.md up to date
	@$(PY) tools/doc_support.py

.PHONY: docs-findings
docs-findings: deps ## Run the programs of docs/findings anew and write what the doctor says
	@$(PY) tools/doc_findings.py

.PHONY: docs-screenshots
docs-screenshots: build ## Take the pictures of README.md and docs/report.md anew, in chromium
	@tools/setup.sh browser
	@$(PY) tools/report_screenshots.py

.PHONY: malloc-fault
malloc-fault: deps ## Run the tests with every system allocation failing in turn
	$(call configure,release)
	$(call compile,release)
	$(call ctest,release,-L malloc_fault)

.PHONY: clean
clean: ## Remove build/; .venv stays
	@rm -rf build
