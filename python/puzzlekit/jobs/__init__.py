"""Jobs: enumerations that are kept in a folder. They are resumed, looked at, checked, and read."""

from puzzlekit.jobs.job import Job, form_of, is_running, status
from puzzlekit.run.engine.shards import shard_folder

__all__ = ["Job", "form_of", "is_running", "shard_folder", "status"]
