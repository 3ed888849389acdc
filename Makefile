# The only list of commands: people, hooks and CI call the same targets.
# `make run` and `make test` do all the set-up themselves; they need Python 3.11 or later with pip, and Rust.

PYTHON ?= python3
UV := .tools/uv
# Tools use the Python they are given and the machine's own certificates; they download neither.
export UV_PYTHON ?= $(PYTHON)
export UV_PYTHON_DOWNLOADS := never
export UV_SYSTEM_CERTS := true
RUN := $(UV)/bin/uv run --no-sync

.PHONY: help tree setup run test test-rust test-python test-long fuzz lint format docs bench bench-slow clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

tree: ## every file of the source with its first line, which says what is in it
	@find rust_core/src python/puzzlekit plugins tests -name '*.rs' -o -name '*.py' | sort | while read -r file; do \
	    printf '%-54s %s\n' "$$file" "$$(head -n 1 "$$file" | sed -E 's,^//! |",,g')"; \
	done

$(UV)/bin/uv:
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --target $(UV) uv

setup: $(UV)/bin/uv ## install everything into .venv
	$(UV)/bin/uv sync --quiet --inexact --all-packages

run: setup ## the main job: every game of tic-tac-toe up to symmetry
	@$(RUN) puzzlekit enumerate tictactoe

test: lint test-rust test-python ## every check, formats, lints and types included; under a quarter of an hour

test-rust: ## the engine by itself, without Python
	cargo test --quiet --workspace

test-python: setup ## the package, the plugins, the command line and the documents
	$(RUN) pytest -m "not slow"

test-long: setup fuzz ## the tests that take minutes
	$(RUN) pytest -m slow

FUZZ_SECONDS ?= 60

fuzz: ## any bytes for every reader of a job's files, a minute each; needs a C++ compiler
	cargo install --quiet --locked --root .tools/fuzz cargo-fuzz
	cd rust_core && for target in words array manifest job; do \
	    mkdir -p fuzz/corpus/$$target && \
	    PATH="$(CURDIR)/.tools/fuzz/bin:$$PATH" RUSTC_BOOTSTRAP=1 cargo fuzz run --sanitizer none $$target \
	        fuzz/corpus/$$target fuzz/seeds/$$target -- -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=4096 || exit 1; \
	done

lint: setup ## formats, lints and types
	cargo fmt --check
	cargo clippy --quiet --workspace --all-targets --all-features -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --quiet --workspace --no-deps
	$(RUN) ruff format --check
	$(RUN) ruff check
	$(RUN) mypy

format: setup ## rewrite what the formatters complain about
	cargo fmt
	$(RUN) ruff format
	$(RUN) ruff check --fix

docs: setup ## write the generated pages anew
	$(RUN) python -m tests.cli_reference > docs/command-line.md
	$(RUN) python -m tests.puzzles_page > docs/puzzles.md

bench: setup ## speeds, side by side; LIMITS=folder adds the hand-written programs in it
	$(RUN) python -m tests.benchmarks.bench

bench-slow: setup ## the rows of the benchmark that take minutes
	$(RUN) python -m tests.benchmarks.bench --slow

clean: ## remove everything that the other targets made
	rm -rf .tools .venv target dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find python plugins tests -name '__pycache__' -type d -prune -exec rm -rf {} +
	rm -f python/puzzlekit/_core*.so python/puzzlekit/_core*.pyd
