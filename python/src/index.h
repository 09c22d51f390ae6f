// tensor[index]: positions, slices, new axes, an ellipsis, masks.
#pragma once

#include <Python.h>

#include <penstock/base/small_vector.h>
#include <penstock/tensor/tensor.h>

namespace penstock::python {

// An index in the form of StridedSlice.
struct Index {
  SmallVector<int64_t, 8> begin, end, strides;
  int64_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;
};

// Throws TypeError for an invalid index.
Index parse_index(PyObject* object);

// The mp_subscript slot of tensors and variables.
PyObject* subscript(PyObject* self, PyObject* index);
// (begin, end, strides, begin_mask, …) of an index, for assignments to a slice.
PyObject* index_parts(PyObject* module, PyObject* index);

}  // namespace penstock::python
