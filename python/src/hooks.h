// Hooks: the objects of the Python package that the bindings hand out or call, given to them once
// while the package is imported.
#pragma once

#include <Python.h>

#include <penstock/core/dtype.h>

namespace penstock::python {

struct Hooks {
  PyObject* dtypes[kNumDTypes] = {};  // the DType objects, by code
  PyObject* errors[17] = {};          // the classes of tf.errors, by code
  PyObject* tracing_error = nullptr;  // of calls that cannot be part of a graph
  PyObject* as_dtype = nullptr;       // anything that names a dtype -> DType
  PyObject* make_shape = nullptr;     // tuple -> TensorShape
  PyObject* make_result = nullptr;    // (op, names) -> namedtuple class
  PyObject* masked = nullptr;         // (tensor, mask) -> the elements that a mask picks
  PyObject* unknown_index = nullptr;  // (tensor, index) -> what an index picks that is not known
  PyObject* stack = nullptr;          // list of tensors and others, dtype -> tensor
};
inline Hooks hooks;

// Takes a new reference to every object in the dictionary; false with an error set.
bool set_hooks(PyObject* dictionary);

}  // namespace penstock::python
