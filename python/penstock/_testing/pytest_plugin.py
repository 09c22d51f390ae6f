"""The pytest plugin: memory limits for tests.

`@pytest.mark.memory_limit("64MiB")`: the test fails if it holds more than that at once, in addition
to what was held at its start, and lists the holders. `@pytest.mark.memory_no_growth`: the test runs
several times and fails if every run leaves bytes behind; the doctor explains why.
`memory_no_growth(runs=10)` runs it more often.
"""

import functools
import gc
import itertools
import linecache

import pytest
from _pytest.unittest import TestCaseFunction

_RUNS = 5
_DOCTOR_RUNS = 24  # the doctor needs these to be certain
_LOOP_FILE = "memory_no_growth"


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        'memory_limit(size): fail when the test holds more than that at once, as "64MiB" or a '
        "number of bytes",
    )
    config.addinivalue_line(
        "markers",
        f"memory_no_growth(runs={_RUNS}): run the test several times, and fail when each run "
        "leaves bytes of tensors behind",
    )


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    if isinstance(item, TestCaseFunction):
        _repeat_method(item)
    mark = item.get_closest_marker("memory_limit")
    if mark is None:
        yield
        return
    from penstock import _core, errors

    limit = _limit_of(mark)
    before = _core.budget(0)
    _core.set_budget(min(before, _held() + limit), 0)
    try:
        outcome = yield
    finally:
        _core.set_budget(before, 0)
    error = outcome.excinfo[1] if outcome.excinfo else None
    if isinstance(error, errors.ResourceExhaustedError):
        failure = pytest.fail.Exception(
            f"the test needs more than its memory_limit of {limit:,} bytes\n{error}", pytrace=False
        )
        outcome.force_exception(failure.with_traceback(error.__traceback__))


def _limit_of(mark) -> int:
    if len(mark.args) != 1 or mark.kwargs:
        pytest.fail('memory_limit takes one size, as in memory_limit("64MiB")', pytrace=False)
    from penstock import _core, errors

    try:
        return _core.parse_bytes(mark.args[0]) if isinstance(mark.args[0], str) else mark.args[0]
    except errors.OpError as error:
        pytest.fail(f"memory_limit: {error}", pytrace=False)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    mark = pyfuncitem.get_closest_marker("memory_no_growth")
    if mark is None:
        return None
    names = pyfuncitem._fixtureinfo.argnames
    arguments = {name: pyfuncitem.funcargs[name] for name in names}
    _run_often(lambda: pyfuncitem.obj(**arguments), mark)
    return True


def _repeat_method(item):
    """unittest calls the methods of its classes itself: it is given one that runs often."""
    mark = item.get_closest_marker("memory_no_growth")
    if mark is None:
        return
    method = item.obj

    @functools.wraps(method)
    def often(*args, **kwargs):
        _run_often(lambda: method(*args, **kwargs), mark)

    item.obj = often


def _run_often(run, mark):
    held = []
    for _ in range(max(3, mark.kwargs.get("runs", _RUNS))):
        run()
        held.append(_held())
    grown = [after - before for before, after in itertools.pairwise(held)]
    if all(growth > 0 for growth in grown):
        pytest.fail(_why(run, grown), pytrace=False)


def _held() -> int:
    from penstock import _core

    gc.collect()
    return _core.memory_info(0)["current"]


def _why(run, grown) -> str:
    """The doctor's findings over more runs."""
    from penstock.profiler import doctor

    source = f"for _ in range({_DOCTOR_RUNS}):\n    run()\n"
    linecache.cache[_LOOP_FILE] = (len(source), None, source.splitlines(True), _LOOP_FILE)
    with doctor() as findings:
        exec(compile(source, _LOOP_FILE, "exec"), {"run": run})
    linecache.cache.pop(_LOOP_FILE, None)
    per_run = ", ".join(f"{growth:,}" for growth in grown)
    text = f"every run of the test leaves bytes of tensors behind: {per_run}"
    return f"{text}\n\n{findings}" if findings else text
