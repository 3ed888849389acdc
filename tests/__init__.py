"""The tests: golden counts, the oracle (a plain search to compare with), conformance, documents, house rules."""
