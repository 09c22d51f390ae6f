"""Utilities without tensors: files, the environment, nested structures, missing names."""
