"""Build tools: type stubs."""
