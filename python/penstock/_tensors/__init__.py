"""Tensors and what describes them: shapes, specs, slices, indices."""
