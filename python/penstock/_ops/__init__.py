"""Public functions that are more than one op: plain Python over the raw ops."""
