"""Jobs: enumerations that are kept in a folder. They are resumed, looked at, checked, and read."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from puzzlekit.jobs.job import Job, form_of, is_running, status
    from puzzlekit.run.engine.shards import shard_folder

__all__ = ["Job", "form_of", "is_running", "shard_folder", "status"]


def __getattr__(name: str) -> object:
    """A name of this package, imported when it is first used: the processes of shards need none of them."""
    if name not in __all__:
        raise AttributeError(f"module 'puzzlekit.jobs' has no attribute {name!r}")
    home = "puzzlekit.run.engine.shards" if name == "shard_folder" else "puzzlekit.jobs.job"
    return globals().setdefault(name, getattr(import_module(home), name))
