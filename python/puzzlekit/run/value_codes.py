"""The values of states as numbers, as look-ups give them: for the player to move, and 0 for a state without a value.

In a puzzle, a state that can be solved is a win, and any other a draw.
"""

WIN, DRAW, LOSS = 1, 2, 3

NAMES = {WIN: "win", DRAW: "draw", LOSS: "loss"}
"""The word for each value."""

TURNED = {WIN: LOSS, DRAW: DRAW, LOSS: WIN}
"""For each value, the value of the same state for the other player."""

SIGNS = {WIN: 1, DRAW: 0, LOSS: -1}
"""For each value of a game with a score, the sign of the points of the player to move."""
