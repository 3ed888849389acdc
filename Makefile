# The only list of commands: people, hooks and CI call the same targets.
# `make run` and `make test` do all the set-up themselves; they need Python 3.11 or later with pip, and Rust.

PYTHON ?= python3
UV := .tools/uv
# Tools use the Python they are given and the machine's own certificates; they download neither.
export UV_PYTHON ?= $(PYTHON)
export UV_PYTHON_DOWNLOADS := never
export UV_SYSTEM_CERTS := true
RUN := $(UV)/bin/uv run --no-sync

.PHONY: help setup run test test-rust test-python test-long lint format bench clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(UV)/bin/uv:
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --target $(UV) uv

setup: $(UV)/bin/uv ## install everything into .venv
	$(UV)/bin/uv sync --quiet --all-packages --all-extras

run: setup ## the main job: every game of tic-tac-toe up to symmetry
	@$(RUN) puzzlekit enumerate tictactoe

