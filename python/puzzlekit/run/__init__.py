"""The compiled engine: it counts, solves and scrambles, and reports what it found."""
