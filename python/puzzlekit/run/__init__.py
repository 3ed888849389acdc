"""What the compiled engine does with rules: counts, solves, scrambles; and what it says of that."""
