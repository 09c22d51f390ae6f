// Conversion of Python values to tensors by TensorFlow's rules. The only place where that happens.
//
//   bool -> bool, int -> int32 (int64 if necessary), float -> float32, complex -> complex128,
//   str and bytes -> string; NumPy keeps its dtype; a list takes the dtype of its elements.
//
// A wanted dtype is used if the value allows it: numbers widen (bool, int, float, complex) and
// never narrow, but NumPy arrays are cast to anything. An integer out of the dtype's range is
// rejected, also in an array (TensorFlow truncates it); a float becomes infinity.
#pragma once

#include <Python.h>

#include <penstock/tensor/tensor.h>

namespace penstock::python {

enum class Wanted {
  kStrictly,  // TypeError if the value does not allow the dtype, ValueError out of range
  kAsHint,    // use the value's own dtype instead
};

// Throws Python's TypeError and ValueError as TensorFlow does. A tensor is returned unchanged if
// its dtype is a hint, and must have the dtype if it is wanted strictly.
Tensor to_tensor(PyObject* value, DType dtype = DType::kInvalid, Wanted wanted = Wanted::kStrictly);

// The value of a tensor or variable; an undefined tensor for anything else.
Tensor value_of(PyObject* object);

// A dtype from a DType object, a string, a NumPy dtype or a Python type. None is kInvalid. Throws
// TypeError.
DType to_dtype(PyObject* object);

}  // namespace penstock::python
