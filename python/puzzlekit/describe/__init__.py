"""The data that an author writes: rules and functions that build them, boards, parameters; and the text of states."""
