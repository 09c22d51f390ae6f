// Python values into tensors, by TensorFlow's rules. The one place where that happens.
//
//   bool -> bool, int -> int32 (int64 when it must), float -> float32, complex -> complex128,
//   str and bytes -> string; NumPy keeps its dtype; a list takes the dtype of its elements.
//
// A wanted dtype is taken where the value allows it: numbers widen (bool, int, float, complex) and
// never narrow, but NumPy's arrays are cast to anything. An integer that the dtype does not hold is
// no value for it, in an array neither (TensorFlow cuts it short); a float becomes infinity.
#pragma once

#include <Python.h>

#include <penstock/tensor/tensor.h>

namespace penstock::python {

enum class Wanted {
  kStrictly,  // TypeError where the value does not allow the dtype, ValueError out of its range
  kAsHint,    // then the value's own dtype instead
};

// Throws TypeError and ValueError (Python's) as TensorFlow does. A tensor is returned as it is when
// its dtype is a hint, and must have the dtype when it is wanted strictly.
Tensor to_tensor(PyObject* value, DType dtype = DType::kInvalid, Wanted wanted = Wanted::kStrictly);

// The value of a tensor or variable; an undefined tensor for anything else.
Tensor value_of(PyObject* object);

// A dtype from whatever names one: a DType object, a string, a NumPy dtype, a Python type. None is
// kInvalid. Throws TypeError.
DType to_dtype(PyObject* object);

}  // namespace penstock::python
