"""Enumerations in shards: several processes, each with a part of the states; see docs/cluster.md."""
