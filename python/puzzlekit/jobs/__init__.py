"""Enumerations that are kept in a folder: go on with them, look at them, check them, and take out their states."""

from puzzlekit.jobs.job import Job, export, form_of, hardest, is_running, resume, states, status, verify

__all__ = ["Job", "export", "form_of", "hardest", "is_running", "resume", "states", "status", "verify"]
