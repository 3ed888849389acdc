"""Checks an installation: packages, plugins, the machine, and a self-test by known counts. Reports all problems."""
