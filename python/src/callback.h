// Callback: a Python function that C++ may drop on any thread.
#pragma once

#include <nanobind/nanobind.h>

#include "run.h"

namespace penstock::python {

struct Callback {
  explicit Callback(nanobind::handle f) : function(Py_NewRef(f.ptr())) {}
  ~Callback() {
    if (Py_IsInitialized() == 0) return;
    const WithGil gil;
    Py_DECREF(function);
  }
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;

  PyObject* function;
};

}  // namespace penstock::python
