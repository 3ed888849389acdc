"""The state of an installation: packages, the machine, a check of known counts, and all problems."""
