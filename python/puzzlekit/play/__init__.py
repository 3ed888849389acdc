"""Playing a puzzle or a game, and random numbers that stay the same."""
