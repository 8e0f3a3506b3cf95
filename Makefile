# A short front for CMake, Ninja and tools/. `make help` lists the targets.
BUILD  ?= build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
# Most tests wait more than they compute.
TESTS_AT_ONCE ?= $(shell expr 2 \* $(JOBS))
CMAKE_ARGS ?=

# -G only the first time: a build folder keeps the generator that it was made with.
configure = cmake -S . -B $(1) $(if $(wildcard $(1)/CMakeCache.txt),,-G Ninja) \
            --log-level=WARNING $(CMAKE_ARGS) $(2)
build     = cmake --build $(1) --parallel $(JOBS)
quiet     = >/dev/null
# A variable of the command line as one word for the shell, whatever is in it.
quoted    = '$(subst ','\'',$(value $(1)))'

.PHONY: all run tour test check coverage bench torture fuzz install format clean help
all: ## build the library, the command and the examples (below build/)
	@tools/deps build
	@$(call configure,$(BUILD)) $(quiet)
	@$(call build,$(BUILD))

run: all ## crawl a small site that it serves itself; URL=https://… NESTING=2: crawl that
	@tools/demo $(BUILD) $(call quoted,URL) $(call quoted,NESTING) $(call quoted,CONCURRENCY)

tour: all ## a guided tour: every example, with its real output
	@tools/tour $(BUILD)

test: ## build everything and run all tests, also in shuffled order
	@tools/deps test
	@$(call configure,$(BUILD),-DWEFT_TESTS=ON) $(quiet)
	@$(call build,$(BUILD))
	@ctest --test-dir $(BUILD) --output-on-failure --no-label-summary -j$(TESTS_AT_ONCE)

check: ## all that CI asks for: format, lint, -Werror, sanitizers, valgrind, seconds of fuzzing
	@tools/deps check
	@JOBS=$(JOBS) tools/check

coverage: ## the tests with gcc's line counts: a table for src/
	@tools/deps check
	@JOBS=$(JOBS) tools/coverage

bench: ## run the benchmarks beside their peers; B=folder: only those of bench/folder
	@tools/deps bench
	@$(call configure,$(BUILD)) $(quiet)
	@$(call build,$(BUILD)) --target bench
	@tools/bench $(BUILD) $(B)

torture: ## the seeded and the load tests for long: 20 times the runs, under 20 shuffles
	@tools/deps test
	@$(call configure,$(BUILD),-DWEFT_TESTS=ON) $(quiet)
	@$(call build,$(BUILD))
	@tools/torture $(BUILD)

fuzz: ## each fuzz target for FUZZ_SECONDS (600)
	@tools/deps check
	@tools/fuzz $(or $(FUZZ_SECONDS),600)

install: all ## library, headers, command, man pages, completion into PREFIX (/usr/local)
	@cmake --install $(BUILD) --prefix $(abspath $(PREFIX))
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

format: ## bring all C files into the project's format
	@tools/deps check
	@tools/check --fix-format

clean: ## remove build/
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z]*\):[^#]*## /\1\t/p' Makefile | expand -t 12
