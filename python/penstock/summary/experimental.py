"""tf.summary.experimental: the step of summaries, and names inside of scopes."""

import contextlib as _contextlib

from penstock import _api


@_contextlib.contextmanager
def summary_scope(name, default_name="summary", values=None):
    """(tag, scope) of a summary: the name inside of the scopes around it."""
    from penstock._context.scope import current_scope, name_scope

    name = name or default_name
    tag = current_scope() + name
    with name_scope(name) as scope:
        yield tag, scope


__getattr__, __dir__ = _api.surface("summary.experimental")
