# The only list of commands: people, hooks and CI call the same targets.
# `make run` and `make test` do all the set-up themselves; they need Python 3.11 or later with pip, and Rust.

PYTHON ?= python3
UV := .tools/uv
# uv uses this Python and the machine's own certificates; it downloads neither.
export UV_PYTHON ?= $(PYTHON)
export UV_PYTHON_DOWNLOADS := never
export UV_SYSTEM_CERTS := true
# The engine is compiled against the Python itself. The Python of uv's build environment has another path each time, so
# Cargo would compile everything again.
export MATURIN_PEP517_USE_BASE_PYTHON := true
# The tests start hundreds of processes, and each would compile all its modules anew if none may keep what it compiled.
unexport PYTHONDONTWRITEBYTECODE
RUN := $(UV)/bin/uv run --no-sync

.PHONY: help tree setup setup-release run serve site-engine test test-rust test-32 test-python test-page browser \
    ray ray-there test-long test-slow test-random test-examples samples fuzz seeded-faults lint check-wasm format docs \
    site bench bench-gallery bench-shards bench-slow bench-stores bench-threads bench-words weight \
    dist dist-sources dist-wheel dist-check dist-try licences clean

help: ## list the targets
	@grep -E '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

# The first sentence of a file, however many lines it takes.
FIRST = awk '{ gsub(/^\/\/!? ?|^\/\* |^"""|"""$$/, ""); text = text (NR > 1 ? " " : "") $$0 } \
    match(text, /[.!?]( |$$)/) { print substr(text, 1, RSTART); done = 1; exit } NF == 0 { exit } \
    END { if (!done) print text }'

tree: ## every file of the source with its first sentence, which says what is in it
	@find rust_core/src python/puzzlekit plugins tests -name '*.rs' -o -name '*.py' -o -name '*.js' -o -name '*.css' | \
	sort | while read -r file; do \
	    printf '%-54s %s\n' "$$file" "$$($(FIRST) "$$file")"; \
	done

$(UV)/bin/uv:
	@echo "uv: brings uv from the package index into .tools; some seconds"
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --target $(UV) uv

# uv remembers what it has built in this folder, even if `make clean` has removed the engine since.
ENGINE_THERE := $(wildcard python/puzzlekit/_core*.so python/puzzlekit/_core*.pyd)

setup: $(UV)/bin/uv ## install everything into .venv, the engine compiled for development
	@echo "setup: some seconds; after a change in Rust, or the first time, about three minutes"
	$(UV)/bin/uv sync --inexact --all-packages $(if $(ENGINE_THERE),,--reinstall-package puzzlekit-core)

run: setup ## the main job: every game of tic-tac-toe up to symmetry
	@$(RUN) puzzlekit enumerate tictactoe

serve: setup ## the page of the puzzles, at http://127.0.0.1:8000/
	@$(RUN) puzzlekit serve

# Only pages without a server need it: `run` and `test` do without, and then its tests are skipped. CI has it. The
# profile `web-tests` takes half as long and is for the tests alone.
WEB_PROFILE :=

site-engine: ## the engine for pages without a server, as WebAssembly; brings what Rust needs for it
	@echo "site-engine: two minutes; the first time some seconds more"
	$(PYTHON) .ci/site_engine.py $(WEB_PROFILE)

# The parts of `test`, in three lanes side by side: a compiler often keeps one core busy, and a browser not even that.
# The page has one process, which starts a server and a browser once. The other lanes make way for it, and the lane of
# Rust for both, since the engine's own tests keep all cores busy, even if they alone are left over at the end. Ray is
# installed first, while no test looks at what is installed. CI runs each part as a job of its own, which
# `tests/test_workflows.py` checks.
RUST_LANE := ray lint test-rust
PYTHON_LANE := test-python
PAGE_LANE := test-page
LANE := $(MAKE) --no-print-directory
# The process that builds the engine for pages and installs the browser, if there is one: the tests of the page wait for
# its end.
ENGINE_OF :=

test: setup ray-there ## every check, formats, lints and types included
	@echo "test: about nine minutes on two cores, and three more the first time"
	@{ $(if $(ENGINE_OF),tail --pid=$(ENGINE_OF) -f /dev/null;) $(LANE) $(PAGE_LANE) WORKERS=1; } & page=$$!; \
	    nice -n 10 $(LANE) $(RUST_LANE) & rust=$$!; \
	    nice -n 5 $(LANE) $(PYTHON_LANE); python=$$?; \
	    wait $$page; page=$$?; \
	    wait $$rust; exit $$(($$? + python + page))

# The tests of jobs make thousands of small files durable, one by one. So they use a folder in memory, if there is one.
TEST_TMP := $(if $(wildcard /dev/shm/.),TMPDIR=/dev/shm)

# The examples in the comments need the crate compiled once more, so `test-examples` has them.
test-rust: ## the engine by itself, without Python
	@echo "test-rust: about two minutes, of which most is compiling"
	$(TEST_TMP) cargo test --lib

test-32: ## the engine with 32-bit addresses, where Rust has that target; needs a compiler for it, as gcc-multilib is
	@$(call with-target,$(I686),$(TEST_TMP) cargo test --target $(I686))

# The number of processes that run the tests of Python.
WORKERS ?= 2
PAGE_TESTS := $(wildcard tests/test_web_*.py)
PYTEST := $(TEST_TMP) $(RUN) pytest --numprocesses $(WORKERS) --dist worksteal

test-python: setup ## the package, plugins, command line and documents; PART=1/2 runs the first half
	@echo "test-python: about four minutes"
	$(PYTEST) -m "not slow" $(addprefix --ignore ,plugins/ray $(PAGE_TESTS)) $(if $(PART),--part $(PART))

test-page: setup ## the page with its server, and in a browser if there is one
	@echo "test-page: some three minutes on two cores"
	$(PYTEST) -m "not slow" $(PAGE_TESTS)

# The programs that the tests of the page can drive; `tests/browsers.py` looks for the same. The first is the quickest.
BROWSERS := chromium-headless-shell chromium chromium-browser google-chrome
SUDO := $(shell test "$$(id -u)" = 0 || echo sudo)

BROWSER_OF := DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install --yes -qq --no-install-recommends
QUICKEST := $(firstword $(BROWSERS))

# Where there is another browser, the quickest one is installed if the system's list has it; else the other one will do.
browser: ## install the browser that the tests of the page need, the quickest that there is; they are skipped without
	@command -v $(QUICKEST) > /dev/null && exit 0; \
	    for name in $(BROWSERS); do command -v $$name > /dev/null && there=$$name; done; \
	    echo "browser: installs one; a minute"; test -n "$$there" || $(SUDO) apt-get update -qq; \
	    name=$$(apt-cache pkgnames $(QUICKEST) 2> /dev/null | grep -x $(QUICKEST)); \
	    if [ -z "$$there" ]; then $(BROWSER_OF) $${name:-chromium} > /dev/null; \
	    elif [ -n "$$name" ]; then $(BROWSER_OF) $$name > /dev/null 2>&1 || echo "browser: $$there will do"; fi

# Ray is installed only here, since nothing else needs it.
ray-there: setup
	@$(UV)/bin/uv pip install --quiet --python .venv --only-binary ray --editable plugins/ray \
	    || echo "ray: it cannot be installed"

ray: ray-there ## install Ray, some 80 MB, and try jobs in shards on it; skipped where Ray has no wheel for this Python
	@echo "ray: half a minute"
	@if $(RUN) python -c "import ray" 2> /dev/null; then $(RUN) pytest plugins/ray -m "not slow"; \
	else echo "ray: skipped: there is no Ray here, as it has no wheel for this Python or system"; \
	test "$$PUZZLEKIT_RAY" != required; fi

# The parts of `test-long`, each a job of the weekly run.
LONG_PARTS := test-slow test-random test-examples samples fuzz seeded-faults

test-long: ## the tests that take minutes
	@echo "test-long: about an hour and three quarters"
	@$(MAKE) --no-print-directory $(LONG_PARTS)

test-slow: setup ## tests that take minutes each
	@echo "test-slow: about an hour"
	$(RUN) pytest -m slow

test-random: setup ## ten times as many random cases
	@echo "test-random: about half an hour"
	PUZZLEKIT_LONG=1 CARGO_PROFILE_TEST_OPT_LEVEL=1 $(TEST_TMP) cargo test --lib -- --include-ignored
	$(PYTEST) -m "hypothesis and not slow" --hypothesis-profile long

test-examples: ## the examples in the comments of the engine
	@echo "test-examples: about two minutes, all of which is compiling"
	cargo test --doc

seeded-faults: ## known faults in the engine, one at a time: the tests have to notice each
	@echo "seeded-faults: some minutes"
	$(PYTHON) -m tests.seeded_faults

# The last commit of twsearch that has them all. They have its licence, and none of them is kept here.
TWSEARCH ?= https://github.com/cubing/twsearch
SAMPLES_COMMIT := 007a8cd38153fc84815391a10e088bfc22ba41e0

samples: setup ## bring the puzzles that twsearch has as samples, and hold each against its known first depths
	@echo "samples: some minutes"
	test -d .tools/twsearch || git clone --quiet --no-checkout $(TWSEARCH) .tools/twsearch
	git -C .tools/twsearch checkout --quiet $(SAMPLES_COMMIT) -- samples
	PUZZLEKIT_SAMPLES=$(CURDIR)/.tools/twsearch/samples $(PYTEST) plugins/twisty/hold_samples.py

FUZZ_SECONDS ?= 60

fuzz: ## any bytes for every reader of a job's files, a minute each; needs a C++ compiler
	cargo install --quiet --locked --root .tools/fuzz cargo-fuzz
	cd rust_core && for target in words array manifest job; do \
	    mkdir -p fuzz/corpus/$$target && \
	    PATH="$(CURDIR)/.tools/fuzz/bin:$$PATH" RUSTC_BOOTSTRAP=1 cargo fuzz run --sanitizer none $$target \
	        fuzz/corpus/$$target fuzz/seeds/$$target -- -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=4096 || exit 1; \
	done

# What Clippy looks at. The tests are compiled together with all of the engine, so that `--tests` alone misses only what
# nothing but tests uses. `.ci/run` is told of that by the compiler.
LINTED ?= --lib --tests

# Cargo finds what `setup` has compiled, if PyO3 is told the same as by maturin.
AS_MATURIN := PYO3_BUILD_EXTENSION_MODULE=1 $${config:+PYO3_CONFIG_FILE="$$config"}

lint: setup ## formats, lints and types
	@echo "lint: half a minute, or some seconds"
	cargo fmt --check
	config=$$(ls -t $(CURDIR)/target/maturin/pyo3-config-* 2> /dev/null | head -n 1); \
	    env $(AS_MATURIN) RUSTC_WORKSPACE_WRAPPER="$(CURDIR)/.ci/lint.py" cargo build $(LINTED) --all-features
	$(RUN) ruff format --check
	$(RUN) ruff check
	$(RUN) mypy
	@$(MAKE) --no-print-directory check-wasm

# `check-wasm` and `test-32` need a target of Rust that is not installed everywhere. Without it they are skipped; with
# REQUIRED=1, as in CI, they fail.
WASM := wasm32-unknown-emscripten
I686 := i686-unknown-linux-gnu

# Runs the command in the second argument if Rust has the target in the first one.
with-target = if [ -d "$$(rustc --print target-libdir --target $(1))" ]; then $(2); else \
    echo "$@: $(if $(REQUIRED),failed,skipped): Rust has no $(1) here; to add it: rustup target add $(1)"; \
    test -z "$(REQUIRED)"; fi

check-wasm: ## the engine compiles for WebAssembly, where Rust has that target
	@$(call with-target,$(WASM),RUSTFLAGS="-D warnings" cargo check --package puzzlekit_core --target $(WASM) \
	    --no-default-features)

format: setup ## rewrite what the formatters complain about
	cargo fmt
	$(RUN) ruff format
	$(RUN) ruff check --fix

docs: setup ## write the generated pages anew
	$(RUN) python -m tests.cli_reference > docs/command-line.md
	$(RUN) python -m tests.man_page > wheel/data/share/man/man1/puzzlekit.1
	$(RUN) python -m tests.puzzles_page > docs/puzzles.md
	$(RUN) python -m tests.gallery > examples/README.md
	$(RUN) python -m tests.web_api_page > docs/web-api.md
	$(RUN) python -m tests.public_names > .public_names && mv .public_names python/puzzlekit/__init__.pyi

site: setup ## the site of the documentation, in .site/html; a broken example or link fails it
	@echo "site: about a minute; the examples on the pages are run first"
	$(UV)/bin/uv sync --inexact --all-packages --group site
	$(RUN) pytest --quiet --numprocesses $(WORKERS) tests/test_documents.py tests/test_site.py
	$(RUN) python .ci/pages.py

# `dist` makes the files that a release uploads. The workflow of releases runs the same targets, a job for each system.
dist: dist-sources dist-wheel dist-check dist-try ## wheels and source distributions, in dist/, installed and tried

dist-sources: $(UV)/bin/uv
	@echo "dist-sources: some seconds"
	$(PYTHON) .ci/dist.py sources

# TARGET=aarch64-unknown-linux-gnu, say, makes the wheel for another system.
dist-wheel: $(UV)/bin/uv
	@echo "dist-wheel: about three minutes, of which most is compiling"
	$(PYTHON) .ci/dist.py wheel $(TARGET)

dist-check: $(UV)/bin/uv
	$(PYTHON) .ci/dist.py check

dist-try: $(UV)/bin/uv
	@echo "dist-try: half a minute"
	$(PYTHON) .ci/dist.py try

licences: ## write the licences of the crates that are linked in
	@echo "licences: about three minutes the first time"
	cargo install --quiet --locked --features cli --root .tools/about cargo-about
	.tools/about/bin/cargo-about generate --offline --locked --manifest-path rust_core/Cargo.toml --features python \
	    --config .ci/licences.toml .ci/licences.hbs --output-file THIRD-PARTY-LICENSES

# Benchmarks time the package as `pip install .` and the wheels have it, in an environment of its own.
RELEASE := UV_PROJECT_ENVIRONMENT=.tools/release $(UV)/bin/uv

setup-release: $(UV)/bin/uv ## install the engine as wheels have it into .tools/release
	@echo "setup-release: some seconds; after a change in Rust, or the first time, about three minutes"
	$(RELEASE) sync --no-editable --all-packages

bench: setup-release ## speeds, side by side; LIMITS=folder adds the hand-written programs in it
	@echo "bench: about ten minutes"
	$(RELEASE) run --no-sync python -m tests.benchmarks.bench
	$(RELEASE) run --no-sync python -m tests.benchmarks.answers
	$(RELEASE) run --no-sync python -m tests.benchmarks.games
	$(RELEASE) run --no-sync python -m tests.benchmarks.gallery
	$(RELEASE) run --no-sync python -m tests.benchmarks.page

bench-gallery: setup-release ## the gallery beside the built-in puzzles; writes docs/gallery-speed.md
	@echo "bench-gallery: about ten minutes"
	$(RELEASE) run --no-sync python -m tests.benchmarks.gallery --write

bench-stores: setup-release ## the store that the engine picks beside both; fails if a choice is much slower
	@echo "bench-stores: about two minutes"
	$(RELEASE) run --no-sync python -m tests.benchmarks.stores

bench-shards: setup-release ## two shards of one thread beside two threads of one process
	@echo "bench-shards: about ten minutes; twenty with SLOW=--slow"
	$(RELEASE) run --no-sync python -m tests.benchmarks.shards $(SLOW)

bench-slow: setup-release ## the rows of the benchmark that take minutes
	@echo "bench-slow: an hour and a quarter"
	$(RELEASE) run --no-sync python -m tests.benchmarks.bench --slow
	$(RELEASE) run --no-sync python -m tests.benchmarks.answers --slow
	$(RELEASE) run --no-sync python -m tests.benchmarks.at_once
	$(RELEASE) run --no-sync python -m tests.benchmarks.games --slow

weight: setup ## the engine's weight: the extension by room, the largest functions, the seconds of a build
	@echo "weight: about five minutes, all of which is compiling"
	$(RUN) python -m tests.benchmarks.weight --dev --write

bench-threads: setup-release ## counts, values and solutions with 1, 2, 4, ... threads
	@echo "bench-threads: some four minutes on two cores"
	$(RELEASE) run --no-sync python -m tests.benchmarks.threads

bench-words: ## the engine by itself, for each width of word
	@echo "bench-words: about five minutes, of which most is compiling"
	cargo run --release --package puzzlekit_benches -- --bench

clean: ## remove everything that the other targets made
	rm -rf .tools .venv .site target dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find python plugins tests -name '__pycache__' -type d -prune -exec rm -rf {} +
	rm -f python/puzzlekit/_core*.so python/puzzlekit/_core*.pyd
