"""Enumerations that are kept in a folder: go on with them, look at them, check them, and take out their states."""

from puzzlekit.jobs.job import Job, form_of, is_running, status

__all__ = ["Job", "form_of", "is_running", "status"]
