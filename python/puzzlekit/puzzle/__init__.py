"""The puzzle that an author declares, and all that is asked of it: states, pictures, solutions, counts and surveys."""
