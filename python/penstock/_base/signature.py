"""Constructors of generated classes: their parameters are data."""

from __future__ import annotations

import inspect


def constructor(parameters: dict, init):
    """An `__init__` with these parameters and defaults; `init` receives all of them by name."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature(
        [
            inspect.Parameter("self", kind),
            *(inspect.Parameter(name, kind, default=value) for name, value in parameters.items()),
        ]
    )

    def __init__(self, *args, **kwargs):
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        init(**bound.arguments)

    __init__.__signature__ = signature
    return __init__
