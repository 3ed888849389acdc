"""The names for jobs in shards: several processes or machines count together; docs/cluster.md explains it."""

from puzzlekit.jobs.shards.executor import Executor
from puzzlekit.jobs.shards.forecast import PlannedDepth, PlannedTotal, ShardPlan, plan_in_shards
from puzzlekit.jobs.shards.protocol import Message, Workers
from puzzlekit.jobs.shards.worker import ShardWorker
from puzzlekit.plugins.installed import executor
from puzzlekit.run.job_parts import ShardSetup

__all__ = [
    "Executor",
    "Message",
    "PlannedDepth",
    "PlannedTotal",
    "ShardPlan",
    "ShardSetup",
    "ShardWorker",
    "Workers",
    "executor",
    "plan_in_shards",
]
