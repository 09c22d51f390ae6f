"""tf.test.TestCase: unittest with checks of tensors, arrays and structures of them."""

from __future__ import annotations

import contextlib
import random
import re
import tempfile
import unittest
from collections.abc import Mapping

import numpy as np

from penstock import _core, errors
from penstock._api import public
from penstock._autodiff.tape import GradientTape
from penstock._base.nest import flatten, pack_like
from penstock._ops.convert import convert_to_tensor
from penstock._tensors.kinds import is_tensor_like

_SEED = 87654321


def _array(value):
    if is_tensor_like(value) or hasattr(value, "__tf_tensor__"):
        return np.asarray(_core.to_tensor(value).numpy())
    if isinstance(value, (list, tuple)):
        value = pack_like(value, [_array(leaf) for leaf in flatten(value)])
    value = np.asarray(value)
    return np.char.encode(value, "utf-8").astype(object) if value.dtype.kind == "U" else value


def _is_even(value) -> bool:
    """Whether a list can be one array."""
    try:
        _array(value)
    except ValueError:
        return False
    return True


@public("test.TestCase")
class TestCase(unittest.TestCase):
    """A test that starts with fixed seeds and can compare tensors."""

    def setUp(self):
        super().setUp()
        from penstock.random import set_seed

        random.seed(_SEED)
        np.random.seed(_SEED)
        set_seed(_SEED)

    def get_temp_dir(self):
        """A folder for this test, removed after it."""
        if not hasattr(self, "_folder"):
            self._folder = tempfile.mkdtemp()
            self.addCleanup(_remove, self._folder)
        return self._folder

    def evaluate(self, tensors):
        """The values of the tensors, in the same structure."""
        if tensors is None:
            return None
        return pack_like(tensors, [_value(leaf) for leaf in flatten(tensors)])

    def assertAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        """|a - b| <= atol + rtol · |b|, everywhere in two structures of the same form."""
        self._assert_close(a, b, rtol, atol, msg or "", "")

    def _assert_close(self, a, b, rtol, atol, msg, path):
        if isinstance(a, Mapping) or isinstance(b, Mapping):
            self.assertEqual(isinstance(a, Mapping), isinstance(b, Mapping), msg)
            self.assertCountEqual(a.keys(), b.keys(), msg)
            for key in a:
                self._assert_close(a[key], b[key], rtol, atol, msg, f"{path}[{key}]")
            return
        nested = isinstance(a, (list, tuple)) and isinstance(b, (list, tuple))
        if nested and not (_is_even(a) and _is_even(b)):
            self.assertEqual(len(a), len(b), f"Mismatched length: a{path} and b{path}. {msg}")
            for i, pair in enumerate(zip(a, b, strict=True)):
                self._assert_close(*pair, rtol, atol, msg, f"{path}[{i}]")
            return
        a, b = _array(a), _array(b)
        self.assertEqual(a.shape, b.shape, f"Shape mismatch: a{path} and b{path}. {msg}")
        where = f"a{path} is different from b{path}. {msg}"
        np.testing.assert_allclose(a, b, rtol, atol, err_msg=f"Mismatched value: {where}")

    def assertAllCloseAccordingToType(
        self,
        a,
        b,
        rtol=1e-6,
        atol=1e-6,
        float_rtol=1e-6,
        float_atol=1e-6,
        half_rtol=1e-3,
        half_atol=1e-3,
        bfloat16_rtol=1e-2,
        bfloat16_atol=1e-2,
        msg=None,
    ):
        """assertAllClose with tolerances for the coarser of the two dtypes."""
        names = {_array(a).dtype.name, _array(b).dtype.name}
        tolerances = {
            "float32": (float_rtol, float_atol),
            "float16": (half_rtol, half_atol),
            "bfloat16": (bfloat16_rtol, bfloat16_atol),
        }
        for name in names & tolerances.keys():
            rtol, atol = max(rtol, tolerances[name][0]), max(atol, tolerances[name][1])
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertAllEqual(self, a, b, msg=None):
        """The same shape and the same elements; NaN equals NaN."""
        a, b = _array(a), _array(b)
        self.assertEqual(a.shape, b.shape, f"Shape mismatch. Contents: {b!r}. {msg or ''}")
        np.testing.assert_array_equal(a, b, err_msg=msg or "")

    def assertNotAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        self._assert_not(self.assertAllClose, a, b, rtol, atol, "close", msg)

    def assertNotAllEqual(self, a, b, msg=None):
        self._assert_not(self.assertAllEqual, a, b, None, "equal", msg)

    def _assert_not(self, check, *arguments):
        *arguments, kind, msg = arguments
        try:
            check(*arguments)
        except AssertionError:
            return
        raise AssertionError(f"The two values are {kind} at all elements. {msg or ''}")

    def assertShapeEqual(self, input_a, input_b, msg=None):
        self.assertAllEqual(list(input_a.shape), list(input_b.shape), msg)

    def assertDTypeEqual(self, target, expected_dtype):
        expected = getattr(expected_dtype, "as_numpy_dtype", expected_dtype)
        self.assertEqual(_array(target).dtype, np.dtype(expected))

    def assertAllGreater(self, a, comparison_target):
        self.assertGreater(_array(a).min(), comparison_target)

    def assertAllGreaterEqual(self, a, comparison_target):
        self.assertGreaterEqual(_array(a).min(), comparison_target)

    def assertAllLess(self, a, comparison_target):
        self.assertLess(_array(a).max(), comparison_target)

    def assertAllLessEqual(self, a, comparison_target):
        self.assertLessEqual(_array(a).max(), comparison_target)

    def assertAllInRange(
        self, target, lower_bound, upper_bound, open_lower_bound=False, open_upper_bound=False
    ):
        target = _array(target)
        low = target <= lower_bound if open_lower_bound else target < lower_bound
        high = target >= upper_bound if open_upper_bound else target > upper_bound
        self._assert_none(target, low | high, f"outside of {lower_bound} to {upper_bound}")

    def assertAllInSet(self, target, expected_set):
        target = _array(target)
        outside = ~np.isin(target, list(expected_set))
        self._assert_none(target, outside, f"not in the set {expected_set}")

    def _assert_none(self, target, wrong, what):
        if wrong.any():
            places = [f"{list(at)}: {target[tuple(at)]}" for at in np.argwhere(wrong)[:10]]
            raise AssertionError(
                f"{wrong.sum()} of {target.size} elements are {what}: {', '.join(places)}"
            )

    def assertNear(self, f1, f2, err, msg=None):
        self.assertLessEqual(abs(f1 - f2), err, msg)

    def assertArrayNear(self, farray1, farray2, err, msg=None):
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2, strict=True):
            self.assertNear(float(f1), float(f2), err, msg)

    def assertNDArrayNear(self, ndarray1, ndarray2, err, msg=None):
        difference = np.linalg.norm(_array(ndarray1) - _array(ndarray2))
        self.assertLess(difference, err, msg)

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type, expected_err_re_or_predicate):
        """An exception of that class for which the predicate holds, or whose text matches."""
        expected = expected_err_re_or_predicate
        holds = expected if callable(expected) else lambda e: re.search(expected or "", str(e))
        try:
            yield
        except Exception as error:
            if not isinstance(error, exception_type) or not holds(error):
                raise AssertionError(f"Exception of type {type(error)}: {error}") from error
        else:
            self.fail(f"{exception_type.__name__} not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate):
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)

    def assertLen(self, container, expected_len, msg=None):
        self.assertEqual(len(container), expected_len, msg)

    def assertEmpty(self, container, msg=None):
        self.assertLen(container, 0, msg)

    def assertNotEmpty(self, container, msg=None):
        self.assertGreater(len(container), 0, msg)

    def assertBetween(self, value, minv, maxv, msg=None):
        self.assertLessEqual(minv, value, msg)
        self.assertLessEqual(value, maxv, msg)

    def assertStartsWith(self, actual, expected_start, msg=None):
        if not actual.startswith(expected_start):
            self.fail(
                self._formatMessage(msg, f"{actual!r} does not start with {expected_start!r}")
            )

    def assertItemsEqual(self, first, second, msg=None):
        self.assertCountEqual(first, second, msg)


def _remove(folder):
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def _value(tensor):
    if not hasattr(tensor, "numpy"):
        raise ValueError(f"Unsupported type {type(tensor).__name__!r}.")
    return tensor.numpy()


@public("test.main")
def main(argv=None):
    """Runs the tests of the program."""
    unittest.main(argv=argv)


@public("test.compute_gradient")
def compute_gradient(f, x, delta=None):
    """The Jacobians of `f` for each of its arguments: from the tape, and from differences."""
    if not isinstance(x, (list, tuple)):
        raise ValueError(
            "`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), "
            f"not a {type(x)}"
        )
    x = [convert_to_tensor(value) for value in x]
    if delta is None:
        # A step that is exact in float32 and float64.
        delta = 1.0 / 1024
    exact, near = [], []
    for i, value in enumerate(x):
        with GradientTape() as tape:
            tape.watch(value)
            y = f(*x)
        rows = tape.jacobian(y, value, unconnected_gradients="zero")
        exact.append(rows.numpy().reshape(y.shape.num_elements(), value.shape.num_elements()))
        near.append(_differences(f, x, i, delta))
    return tuple(exact), tuple(near)


def _differences(f, x, i, delta):
    values = x[i].numpy()
    columns = []
    for place in np.ndindex(values.shape):
        both = []
        for step in delta, -delta:
            moved = np.array(values)
            moved[place] += step
            both.append(np.ravel(f(*x[:i], convert_to_tensor(moved), *x[i + 1 :]).numpy()))
        columns.append((both[0] - both[1]) / (2 * delta))
    return np.stack(columns, axis=1) if columns else np.zeros([0, 0], values.dtype)
