"""Tensors and their descriptions: shapes, specs, slices, indices."""
