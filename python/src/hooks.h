// Hooks: objects of the Python package that the bindings return or call, registered once at import.
#pragma once

#include <Python.h>

#include <penstock/core/dtype.h>

namespace penstock::python {

struct Hooks {
  PyObject* dtypes[kNumDTypes] = {};  // the DType objects, by code
  PyObject* errors[17] = {};          // the classes of tf.errors, by code
  PyObject* tracing_error = nullptr;  // for calls that cannot be part of a graph
  PyObject* as_dtype = nullptr;       // anything that names a dtype -> DType
  PyObject* make_shape = nullptr;     // tuple -> TensorShape
  PyObject* make_result = nullptr;    // (op, names) -> namedtuple class
  PyObject* masked = nullptr;         // (tensor, mask) -> the selected elements
  PyObject* unknown_index = nullptr;  // (tensor, index) -> the selection by a symbolic index
  PyObject* stack = nullptr;          // list of tensors and others, dtype -> tensor
};
inline Hooks hooks;

// Takes a new reference to every object in the dictionary; false with an error set.
bool set_hooks(PyObject* dictionary);

}  // namespace penstock::python
