// Python's integers, which have no end, as integers of C++, which do: the one place where that is
// done, so that none is ever cut short.
#pragma once

#include <Python.h>

#include <cstdint>
#include <type_traits>
#include <utility>

#include "errors.h"

namespace penstock::python {

// The value of a Python int, where it is so small (below 2^30) that it can be read in place.
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

// False where `T` does not hold the integer. Throws TypeError for what is no integer.
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

// In TensorFlow's words; `what` is what cannot hold it.
[[noreturn]] inline void fail_range(PyObject* value, const char* what) {
  PyErr_Clear();
  raise(PyExc_ValueError,
        "Can't convert Python sequence with out-of-range integer to Tensor. %s cannot hold %R.",
        what, value);
}

}  // namespace penstock::python
