# The short way to everything; CMake does the work. `make` alone says what there is.
PREFIX ?= /usr/local
DEMO ?=
TEST_PRESETS = release checked debug threads clang fuzz

.PHONY: help run build test bench install docs format clean packages test-packages

help:
	@echo 'make run       install what is missing, build, and run a demo (DEMO=name) into runs/'
	@echo 'make build     install what is missing, and build the program: build/palpate'
	@echo 'make test      install what is missing, build with every sanitizer and compiler, run all tests'
	@echo 'make bench     run the benchmarks'
	@echo 'make install   install under PREFIX ($(PREFIX)); DESTDIR is honoured'
	@echo 'make docs      write the documents as web pages into build/docs'
	@echo 'make format    write every C file as clang-format would'
	@echo 'make clean     remove build/'

packages:
	@tools/install-packages build

test-packages:
	@tools/install-packages build test

build: packages
	@tools/build release
	@ln -sfn release/bin/palpate build/palpate

run: build
	@build/palpate demo $(DEMO)

test: test-packages
	@tools/build $(TEST_PRESETS)
	@ln -sfn release/bin/palpate build/palpate
	@cp tests/all-presets.cmake build/CTestTestfile.cmake
	@ctest --test-dir build --output-on-failure -j "$$(nproc)"

bench: build
	@tools/install-packages bench
	@build/palpate bench
	@cmake build/release >build/release/timing.log
	@cmake --build build/release --target time_hierarchy time_levels >>build/release/timing.log
	@build/release/tests/time_hierarchy
	@build/release/tests/time_levels

install: build
	@cmake --install build/release --prefix '$(PREFIX)'

docs: build
	@tools/install-packages docs
	@build/palpate help --schema >docs/scene.schema.json
	@build/palpate help --reference >docs/scene-reference.md
	@tools/build-docs build/docs

format:
	@tools/install-packages test
	@tools/list-files . '*.c' '*.h' | xargs clang-format -i

clean:
	rm -rf build
