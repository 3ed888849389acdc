"""Plugins: they are found by entry points, which are lines in installed packages, and loaded when they are needed."""
