"""Protocol buffers: the wire format, messages, and tensors as messages."""
