"""Pictures of states and moves by hand, as data: the places of cells, the looks of symbols, the gestures for moves."""
