"""The numbers that stand for options that are not given."""

MAX_STATES = 20_000_000
"""The most states that a search for an answer stores."""
