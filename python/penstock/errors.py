"""tf.errors: the exceptions of ops, one class per canonical code, as in TensorFlow."""

OK, CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND = range(6)
ALREADY_EXISTS, PERMISSION_DENIED, RESOURCE_EXHAUSTED, FAILED_PRECONDITION = 6, 7, 8, 9
ABORTED, OUT_OF_RANGE, UNIMPLEMENTED, INTERNAL, UNAVAILABLE, DATA_LOSS, UNAUTHENTICATED = range(
    10, 17
)


class OpError(Exception):
    """The base of all exceptions that an op raises."""

    def __init__(self, node_def, op, message, error_code=UNKNOWN, *args):
        super().__init__()
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code

    message = property(lambda self: self._message)
    node_def = property(lambda self: self._node_def)
    op = property(lambda self: self._op)
    error_code = property(lambda self: self._error_code)
    experimental_payloads = property(lambda self: {})

    def __str__(self):
        return self._message

    def __reduce__(self):
        return type(self), (self._node_def, self._op, self._message)


_BY_CODE = {}


def _make(name: str, code: int, doc: str):
    def __init__(self, node_def, op, message, *args):
        OpError.__init__(self, node_def, op, message, code)

    members = {"__init__": __init__, "__doc__": doc, "__module__": __name__}
    _BY_CODE[code] = globals()[name] = type(name, (OpError,), members)


_make("CancelledError", CANCELLED, "An operation was cancelled.")
_make("UnknownError", UNKNOWN, "An error of unknown origin.")
_make("InvalidArgumentError", INVALID_ARGUMENT, "A shape, a dtype or a value does not fit the op.")
_make("DeadlineExceededError", DEADLINE_EXCEEDED, "A deadline passed.")
_make("NotFoundError", NOT_FOUND, "Something that was asked for is not there.")
_make("AlreadyExistsError", ALREADY_EXISTS, "Something that was to be made is there already.")
_make("PermissionDeniedError", PERMISSION_DENIED, "The caller may not do this.")
_make("ResourceExhaustedError", RESOURCE_EXHAUSTED, "The budget or the memory does not suffice.")
_make("FailedPreconditionError", FAILED_PRECONDITION, "The system is in the wrong state for this.")
_make("AbortedError", ABORTED, "An operation was aborted.")
_make("OutOfRangeError", OUT_OF_RANGE, "An iteration went past the end.")
_make("UnimplementedError", UNIMPLEMENTED, "This is not implemented.")
_make("InternalError", INTERNAL, "An invariant of the runtime is broken.")
_make("UnavailableError", UNAVAILABLE, "The runtime is not available.")
_make("DataLossError", DATA_LOSS, "Data were lost or damaged.")
_make("UnauthenticatedError", UNAUTHENTICATED, "The caller is not authenticated.")


class _TracingError(ValueError, InvalidArgumentError):  # noqa: F821
    """An op that cannot be part of a function; such errors of graphs are also ValueErrors."""

    __init__ = InvalidArgumentError.__init__  # noqa: F821


class OperatorNotAllowedInGraphError(TypeError):
    """An operator that needs a value was used on a symbolic tensor."""
