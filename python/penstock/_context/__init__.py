"""The per-thread context of a call: name scope, current trace, control-flow frame."""
