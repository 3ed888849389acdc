"""Plugins: found by their entry points, and loaded when they are needed."""
