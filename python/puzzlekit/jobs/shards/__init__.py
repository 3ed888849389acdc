"""Jobs in shards: several processes count together, each with a part of the states; see docs/cluster.md."""
