#include "hooks.h"

namespace penstock::python {
namespace {

bool take(PyObject* dictionary, const char* name, PyObject** place) {
  PyObject* found = PyDict_GetItemString(dictionary, name);
  if (found == nullptr) {
    PyErr_Format(PyExc_KeyError, "hook %s is missing", name);
    return false;
  }
  Py_XSETREF(*place, Py_NewRef(found));
  return true;
}

bool take_by_code(PyObject* dictionary, const char* name, PyObject** places, int count) {
  PyObject* map = nullptr;
  if (!take(dictionary, name, &map)) return false;
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(map, &at, &key, &value) != 0;) {
    const long code = PyLong_AsLong(key);
    if (code < 0 || code >= count) {
      Py_DECREF(map);
      PyErr_Format(PyExc_ValueError, "hook %s has no place %ld", name, code);
      return false;
    }
    Py_XSETREF(places[code], Py_NewRef(value));
  }
  Py_DECREF(map);
  return true;
}

}  // namespace

bool set_hooks(PyObject* dictionary) {
  return take_by_code(dictionary, "dtypes", hooks.dtypes, kNumDTypes) &&
         take_by_code(dictionary, "errors", hooks.errors, 17) &&
         take(dictionary, "tracing_error", &hooks.tracing_error) &&
         take(dictionary, "as_dtype", &hooks.as_dtype) &&
         take(dictionary, "make_shape", &hooks.make_shape) &&
         take(dictionary, "make_result", &hooks.make_result) &&
         take(dictionary, "masked", &hooks.masked) &&
         take(dictionary, "unknown_index", &hooks.unknown_index) &&
         take(dictionary, "stack", &hooks.stack);
}

}  // namespace penstock::python
