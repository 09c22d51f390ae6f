"""The default session of a thread."""

from __future__ import annotations

import threading

from penstock._api import public


class _Here(threading.local):
    def __init__(self):
        self.stack = []


here = _Here()


@public("v1.get_default_session")
def get_default_session():
    """The session that is entered, if any."""
    return here.stack[-1] if here.stack else None


def session_for(session, graph, action, method):
    """The session, or the default one; raises ValueError if there is none for this graph."""
    if session is None:
        session = get_default_session()
        if session is None:
            with_colon = ":" if method == "run" else ""
            raise ValueError(
                f"Cannot {action} using `{method}()`: No default session is registered. Use `with "
                f"sess.as_default()`{with_colon} or pass an explicit session to "
                f"`{method}(session=sess)`"
            )
    if session.graph is not graph:
        raise ValueError(
            f"Cannot use the given session to {action}: the tensor's graph is different from the "
            "session's graph."
        )
    return session
