"""Calls of the compiled engine with rules, and its reports: counts, solutions, random states, values."""
