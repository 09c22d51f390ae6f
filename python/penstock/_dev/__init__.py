"""Tools of the build: type stubs."""
