"""The tests: golden counts, the oracle, conformance, the boundary, documents, and the house itself."""
