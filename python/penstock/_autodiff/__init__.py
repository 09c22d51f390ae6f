"""Gradients: tapes, forward mode, and gradients of one's own."""
