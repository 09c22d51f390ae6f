"""Gradients: tapes, forward mode, and custom gradients."""
