"""How a state is drawn and moved by hand, as data: where cells lie, how symbols look, which gestures make moves."""
