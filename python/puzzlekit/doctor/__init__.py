"""What is installed, what the machine gives, whether known counts come out, and what is wrong with any of it."""
