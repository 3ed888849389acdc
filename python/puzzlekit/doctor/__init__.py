"""What is installed, what the machine gives, whether known counts are found, and what is wrong."""
