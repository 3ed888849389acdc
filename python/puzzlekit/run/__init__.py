"""What the compiled engine does with rules, and the reports of it: counts, solutions, random states, values."""
