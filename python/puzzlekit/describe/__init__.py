"""What an author writes: rules and their builders, parameters, and the puzzle that holds them."""
