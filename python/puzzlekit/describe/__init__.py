"""What an author writes, as data: rules and functions that build them, boards, parameters; and the text of states."""
