"""Benchmarks: speeds as ratios of programs that run side by side. They assert nothing; `make bench` prints them."""
