"""Enumerations that are kept in a folder: resume them, look at them, check them, and read their states."""

from puzzlekit.jobs.job import Job, form_of, is_running, status

__all__ = ["Job", "form_of", "is_running", "status"]
