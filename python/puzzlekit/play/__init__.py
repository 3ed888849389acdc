"""Playing a puzzle or a game: its state and its past, lines to type, hints and opponents."""
