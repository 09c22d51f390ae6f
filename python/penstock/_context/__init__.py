"""Where a call stands on its thread: name scope, trace in progress, frame of control flow."""
