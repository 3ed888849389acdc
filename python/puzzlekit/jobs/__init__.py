"""Enumerations that are kept in a folder: resume them, look at them, check them, and read their states."""

from puzzlekit.jobs.job import Job, form_of, is_running, status
from puzzlekit.run.engine.shards import shard_folder

__all__ = ["Job", "form_of", "is_running", "shard_folder", "status"]
