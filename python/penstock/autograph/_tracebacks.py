"""Tracebacks of converted code, which show source lines instead of operators."""

from __future__ import annotations

import functools
import os

_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep
_OWN = tuple(os.path.join(_PACKAGE, name) + os.sep for name in ("autograph", "_control_flow"))


def with_users_lines(function):
    """The function, with the frames of operators removed from its exceptions."""

    @functools.wraps(function)
    def run(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception as error:
            raise error.with_traceback(_filtered(error.__traceback__))  # noqa: B904 (the same one)

    return run


def _filtered(traceback):
    """The traceback without the frames of operators."""
    kept = []
    while traceback is not None:
        if not traceback.tb_frame.f_code.co_filename.startswith(_OWN):
            kept.append(traceback)
        traceback = traceback.tb_next
    for one, following in zip(kept, [*kept[1:], None], strict=True):
        one.tb_next = following
    return kept[0] if kept else None
