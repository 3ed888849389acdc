"""Benchmarks: speeds as ratios, measured side by side in one run. They assert nothing; `make bench` prints them."""
