"""Memory seen from Python: bookings for host memory, and the plan of a function."""
