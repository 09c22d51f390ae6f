"""The doctor: runs along with a program and says why its memory grows, where, and what to do.

_watch follows the user's lines and loops, _probes tell of penstock's own objects, and every file
of detectors looks for one cause.
"""
