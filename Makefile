# Thin, over scripts/deps and Meson.
#
#   make build      the library build/libtonnx.so, build/libtonnx_torch.so, which it loads where LibTorch is needed, and the
#                   command line build/tonnx
#   make demo       that, and the AlexNet examples in C and C++, run
#   make test       the quick tests; the last line says how many passed and failed
#   make test-all   all tests
#   make coverage   docs/coverage.md: every entry of PyTorch's own table of operators, by value; COVERAGE_ARGS=...
#   make fuzz       recordings and scripts of 10,000 programs each, made at random; FUZZ=N for another number
#   make bench      speed, memory and size beside PyTorch's own exporters
#   make install    what `meson install` does; DESTDIR counts
#   make clean
#
# LIBTORCH=DIR builds against a LibTorch of your own, LIBTORCH=none the library without libtonnx_torch.so, and with no LibTorch;
# a build folder keeps what it was told last. MESON_ARGS=... goes to `meson setup`, TEST_ARGS=... to `meson test`.
# The tests of the languages come with all four; BINDINGS=go,rust takes some, BINDINGS= none.

BUILD ?= build
LIBTORCH ?=
MESON_ARGS ?=
TEST_ARGS ?=
FUZZ ?= 10000
ifeq ($(LIBTORCH),none)
BINDINGS ?=
else
BINDINGS ?= java,csharp,go,rust
endif

export PATH := $(CURDIR)/.deps/tools/bin:$(PATH)
export LIBTORCH

.PHONY: build deps-core deps-test deps-bindings configure demo test test-all coverage bench install clean

build: configure
	meson compile -C $(BUILD)

deps-core:
	@scripts/deps core

deps-test:
	@scripts/deps test

deps-bindings:
	@$(if $(BINDINGS),scripts/deps bindings $(BINDINGS),true)

libtorch = $(if $(filter none,$(LIBTORCH)),none,$(abspath $(LIBTORCH)))

configure: deps-core
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD) $(if $(LIBTORCH),-Dlibtorch=$(libtorch)) $(MESON_ARGS)
	@$(if $(LIBTORCH),meson configure $(BUILD) -Dlibtorch=$(libtorch))

demo: build
	ninja -C $(BUILD) demo_c
	ninja -C $(BUILD) demo_cpp

# GoogleTest may have come after the first configuration, which may have found its sources alone.
$(BUILD)/.tests-$(BINDINGS): | deps-test deps-bindings configure
	meson setup --reconfigure --clearcache $(BUILD) -Dtests=enabled -Dbindings=$(BINDINGS)
	touch $@

test: WITHOUT = --no-suite slow
test test-all: deps-test deps-bindings build $(BUILD)/.tests-$(BINDINGS)
	@rm -f $(BUILD)/meson-logs/testlog.*
	meson test -C $(BUILD) --print-errorlogs --timeout-multiplier 4 $(WITHOUT) $(TEST_ARGS) || true
	@python3 tests/report.py $(BUILD)

coverage: deps-test build
	.deps/python/bin/python tests/python/opinfo_coverage.py --library $(BUILD)/libtonnx.so --results $(BUILD)/coverage \
	  --report docs/coverage.md $(COVERAGE_ARGS)

fuzz: deps-test deps-bindings build $(BUILD)/.tests-$(BINDINGS)
	TONNX_FUZZ=$(FUZZ) meson test -C $(BUILD) random_callbacks random_scripts --print-errorlogs --timeout-multiplier 20

bench: deps-test build
	.deps/python/bin/python tests/bench/run.py $(BUILD)
	.deps/python/bin/python tests/bench/exported.py $(BUILD)

install: build
	meson install -C $(BUILD) --no-rebuild

clean:
	rm -rf $(BUILD)
