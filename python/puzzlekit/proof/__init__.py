"""The proof of a job: a second, small program that shares nothing with the engine; docs/proof.md explains it."""
