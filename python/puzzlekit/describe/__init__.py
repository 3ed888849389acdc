"""The language of authors, as data: rules and their builders, boards, parameters; and the text of a state."""
