"""Checks an installation: packages, plugins, the machine, a self-test by known counts; and tells all problems."""
