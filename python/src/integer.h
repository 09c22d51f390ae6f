// Conversion of Python's unbounded integers to C++ integers: the only place, so that none is ever
// truncated.
#pragma once

#include <Python.h>

#include <cstdint>
#include <type_traits>
#include <utility>

#include "errors.h"

namespace penstock::python {

// The value of a small Python int (below 2^30), read in place.
inline bool is_small(PyObject* integer, int64_t* value) {
  auto* object = reinterpret_cast<PyLongObject*>(integer);
#if PY_VERSION_HEX >= 0x030C0000
  if (PyUnstable_Long_IsCompact(object) == 0) return false;
  *value = PyUnstable_Long_CompactValue(object);
#else
  const Py_ssize_t size = Py_SIZE(object);
  if (size < -1 || size > 1) return false;
  *value = size == 0 ? 0 : size * static_cast<int64_t>(object->ob_digit[0]);
#endif
  return true;
}

// False if `T` cannot hold the integer. Throws TypeError for anything but an integer.
template <typename T>
bool to_integer(PyObject* value, T* out) {
  int64_t number = 0;
  if (!PyLong_CheckExact(value) || !is_small(value, &number)) {
    const Ref index(checked(PyNumber_Index(value)));
    int overflow = 0;
    number = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
    if (overflow > 0 && std::is_same_v<T, uint64_t>) {
      *out = static_cast<T>(PyLong_AsUnsignedLongLong(index.get()));
      if (PyErr_Occurred() == nullptr) return true;
      PyErr_Clear();
    }
    if (overflow != 0) return false;
  }
  *out = static_cast<T>(number);
  return std::in_range<T>(number);
}

// Raises TensorFlow's error; `what` cannot hold the value.
[[noreturn]] inline void fail_range(PyObject* value, const char* what) {
  PyErr_Clear();
  raise(PyExc_ValueError,
        "Can't convert Python sequence with out-of-range integer to Tensor. %s cannot hold %R.",
        what, value);
}

}  // namespace penstock::python
