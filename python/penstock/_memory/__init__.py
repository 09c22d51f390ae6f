"""Memory as Python sees it: what it books for itself, and the plan of a function."""
