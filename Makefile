# Calls scripts/deps and Meson.
#
#   make build      the library build/libtonnx.so, build/libtonnx_torch-2.11.so, which it loads when LibTorch is needed, and the
#                   command line build/tonnx
#   make backends   libtonnx_torch-2.X.so for the other supported lines of LibTorch, which are downloaded
#   make backend    LIBTORCH=DIR: the one for the LibTorch in that folder
#   make demo       the libraries, and the AlexNet examples in C and C++, run
#   make test       the quick tests; the last line says how many passed and failed. Operators and programs run at two opsets a
#                   case; which ones depends on SLICE, by default the number of commits. SLICE=N repeats a run
#   make test-all   all tests
#   make check      ONLY=REGEX: runs the cases of operators and programs whose names (FAMILY.NAME) match, against PyTorch;
#                   ARGS=... for run_cases.py
#   make format     formats C, C++, Java and C# sources by .clang-format
#   make lint       runs clang-tidy over src and capi by .clang-tidy, 17 minutes of one core; ONLY=REGEX
#                   limits it to matching sources
#   make coverage   docs/coverage.md: every entry of PyTorch's own table of operators, by value; COVERAGE_ARGS=...
#   make fuzz       recordings and scripts of 10,000 programs each, made at random; FUZZ=N for another number
#   make sanitize   the quick tests of units, of the C and C++ API, of Go and Rust under the address and undefined-behaviour sanitizers,
#                   in the build folder build-address; SANITIZE=ir,archive selects units. SANITIZER=thread: the thread sanitizer,
#                   without LibTorch
#   make fuzz-readers    changed inputs for the readers of files (tests/fuzz), FUZZ_SECONDS=N for each, under the sanitizers
#   make bench      speed, memory and size beside PyTorch's own exporters
#   make packages   dist/: the packages of tonnx, with the backends of all supported lines of LibTorch; BACKENDS=none packs only
#                   those that are built, FORMATS='tarball wheel' makes these packages alone
#   make test-packages    installs and uses each package in a clean room; needs root
#   make install    what `meson install` does; DESTDIR counts
#   make clean
#
# LIBTORCH=DIR builds against your own LibTorch; LIBTORCH=none builds without LibTorch and a backend. A build folder
# keeps the last choice. MESON_ARGS=... is passed to `meson setup`, TEST_ARGS=... to `meson test`.
# By default the bindings of all four languages are tested; BINDINGS=go,rust selects some, BINDINGS= none.

BUILD ?= build
LIBTORCH ?=
MESON_ARGS ?=
TEST_ARGS ?=
FUZZ ?= 10000
SLICE ?= $(shell git rev-list --count HEAD 2>/dev/null || echo 0)
ifeq ($(LIBTORCH),none)
BINDINGS ?=
else
BINDINGS ?= java,csharp,go,rust
endif

export PATH := $(CURDIR)/.deps/tools/bin:$(PATH)
export LIBTORCH

.PHONY: build backend backends deps-core deps-test deps-bindings configure demo test test-all check coverage fuzz bench format lint packages test-packages sanitize fuzz-readers install clean

build: configure
	meson compile -C $(BUILD)

backends: configure
	@scripts/deps backends
	scripts/backends $(BUILD) .deps/libtorch_*/torch

backend:
	@test -n "$(LIBTORCH)" || { echo "name a folder: make backend LIBTORCH=DIR" >&2; exit 2; }
	@$(MAKE) --no-print-directory LIBTORCH= configure
	scripts/backends $(BUILD) $(LIBTORCH)

deps-core:
	@scripts/deps core

deps-test:
	@scripts/deps test

deps-bindings:
	@scripts/deps test $(BINDINGS)

libtorch = $(if $(filter none,$(LIBTORCH)),none,$(abspath $(LIBTORCH)))

# In continuous integration warnings are errors.
configure: deps-core
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD) $(if $(CI),--werror) $(if $(LIBTORCH),-Dlibtorch=$(libtorch)) $(MESON_ARGS)
	@$(if $(LIBTORCH),meson configure $(BUILD) -Dlibtorch=$(libtorch))

demo: configure
	ninja -C $(BUILD) demo_c demo_cpp

# GoogleTest may have come after the first configuration, which may have found its sources alone.
$(BUILD)/.tests-$(BINDINGS): | deps-bindings configure
	meson setup --reconfigure --clearcache $(BUILD) -Dtests=enabled -Dbindings=$(BINDINGS)
	touch $@

test: WITHOUT = --no-suite slow
test: export TONNX_SLICE = $(SLICE)
test test-all: deps-bindings build $(BUILD)/.tests-$(BINDINGS)
	@rm -f $(BUILD)/meson-logs/testlog.*
	meson test -C $(BUILD) --print-errorlogs --timeout-multiplier 4 $(WITHOUT) $(TEST_ARGS) || true
	@echo $(if $(TONNX_SLICE),"slice $(TONNX_SLICE): make test SLICE=$(TONNX_SLICE) repeats it")
	@python3 tests/report.py $(BUILD)

check: deps-test build
	.deps/python/bin/python tests/python/make_samples.py --out $(BUILD)/check --only '$(ONLY)'
	.deps/python/bin/python tests/python/run_cases.py --library $(BUILD)/libtonnx.so --samples $(BUILD)/check --only '$(ONLY)' $(ARGS)

coverage: deps-test build
	.deps/python/bin/python tests/python/opinfo_coverage.py --library $(BUILD)/libtonnx.so --results $(BUILD)/coverage \
	  --report docs/coverage.md $(COVERAGE_ARGS)

format: deps-core
	python3 tests/style/format.py . --fix

lint: configure
	@scripts/deps lint
	python3 tests/style/lint.py . $(BUILD) --only '$(ONLY)'

fuzz: deps-test deps-bindings build $(BUILD)/.tests-$(BINDINGS)
	TONNX_FUZZ=$(FUZZ) meson test -C $(BUILD) random_callbacks random_scripts --print-errorlogs --timeout-multiplier 20

# LibTorch and ONNX are not instrumented: containers that cross into them are not checked, nor are leaks of theirs.
SANITIZE ?=
FUZZ_SECONDS ?= 180
comma := ,
SANITIZER ?= address,undefined
sanitizer_build = $(BUILD)-$(firstword $(subst $(comma), ,$(SANITIZER)))
# LibTorch's own threads are not instrumented.
sanitizer_libtorch = $(if $(filter thread,$(SANITIZER)),none,$(libtorch))
# Go and Rust compile without sanitizers: their programs start with the library of the address sanitizer, which looks for the one
# of C++ at once.
sanitizer_bindings = $(if $(filter none,$(sanitizer_libtorch)),,go$(comma)rust)
sanitizer_runner = env LD_PRELOAD=$(shell $(CC) -print-file-name=libasan.so):$(shell $(CC) -print-file-name=libstdc++.so)
sanitized = $(if $(SANITIZE),$(addprefix unit_,$(subst $(comma), ,$(SANITIZE))),'unit_*' 'capi*' \
  $(addprefix binding_,$(subst $(comma), ,$(sanitizer_bindings))))
# The address sanitizer loads libraries itself, without the run path of the library that asks for them.
sanitizer_env = ASAN_OPTIONS=detect_container_overflow=0:detect_leaks=0:abort_on_error=1 \
  UBSAN_OPTIONS=print_stacktrace=1:abort_on_error=1:halt_on_error=1 TSAN_OPTIONS=halt_on_error=1 \
  LD_LIBRARY_PATH=$(or $(filter-out none,$(libtorch)),$(CURDIR)/.deps/libtorch/torch)/lib
# Tests measure memory, so the address sanitizer keeps little of what they free.
sanitized_env = $(subst ASAN_OPTIONS=,ASAN_OPTIONS=quarantine_size_mb=1:thread_local_quarantine_size_kb=64:,$(sanitizer_env)) \
  TONNX_RUNNER='$(sanitizer_runner)'
# An input has at most 32 KiB, so a single allocation of more than 512 MiB is an error.
fuzz_env = $(subst ASAN_OPTIONS=,ASAN_OPTIONS=max_allocation_size_mb=512:,$(sanitizer_env))
fuzz_readers = zip_directory unpickler json expressions npy safetensors onnx_reader exported_archive torchscript_archive

# LibTorch does not export the type information that the check of object types needs.
$(BUILD)-address/build.ninja $(BUILD)-thread/build.ninja: | deps-core
	meson setup --buildtype=debug -Doptimization=1 -Dtests=enabled -Db_sanitize=$(SANITIZER) \
	  $(if $(sanitizer_bindings),-Dbindings=$(sanitizer_bindings),-Dexamples=false) \
	  $(if $(findstring undefined,$(SANITIZER)),-Dcpp_args=-fno-sanitize=vptr) \
	  $(if $(sanitizer_libtorch),-Dlibtorch=$(sanitizer_libtorch)) $(@D)

sanitize: BINDINGS = $(sanitizer_bindings)
sanitize: deps-bindings $(sanitizer_build)/build.ninja
	$(sanitized_env) meson test -C $(sanitizer_build) --print-errorlogs --timeout-multiplier 20 \
	  --no-suite slow $(sanitized)

fuzz-readers: deps-test $(BUILD)-address/build.ninja
	ninja -C $(BUILD)-address $(addprefix tests/fuzz/fuzz_,$(fuzz_readers))
	@for reader in $(fuzz_readers); do \
	  $(fuzz_env) $(BUILD)-address/tests/fuzz/fuzz_$$reader tests/fuzz/corpus/$$reader --seconds $(FUZZ_SECONDS) || exit 1; \
	done

bench: deps-test build
	.deps/python/bin/python tests/bench/run.py $(BUILD)
	.deps/python/bin/python tests/bench/exported.py $(BUILD)

# A package has the backends of all supported lines of LibTorch.
packaged = deps-bindings build $(if $(filter none,$(BACKENDS)),,backends)

packages: $(packaged)
	ninja -C $(BUILD) $(notdir $(wildcard $(BUILD)/libtonnx_torch-*.so))
	python3 packaging/make.py --build $(BUILD) --out dist $(FORMATS)

test-packages: $(packaged) $(BUILD)/.tests-$(BINDINGS)
	meson test -C $(BUILD) packages --verbose --timeout-multiplier 4

install: build
	meson install -C $(BUILD) --no-rebuild

clean:
	rm -rf $(BUILD)
