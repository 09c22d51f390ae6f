// Python numbers and strings, and nested lists of them, as elements of tensors.
#pragma once

#include <Python.h>

#include <penstock/tensor/tensor.h>

#include "convert.h"

namespace penstock::python {

// In order of widening.
enum class Kind : uint8_t { kNone, kBool, kInt, kFloat, kComplex, kString };

struct Leaf {
  Kind kind = Kind::kNone;  // kNone: no element
  DType natural = DType::kInvalid;
};
// Throws ValueError for an integer that no dtype can hold.
Leaf leaf_of(PyObject* object);

// The dtype for a value of `kind`. Throws TypeError if `dtype` is wanted strictly and too narrow.
DType choose_dtype(PyObject* value, Kind kind, DType natural, DType dtype, Wanted wanted);

// Writes a leaf as an element of `dtype`, which was requested (`is_asked`) or is the leaf's own.
// False for an integer out of the dtype's range. Throws.
bool put_element(DType dtype, void* out, PyObject* leaf, bool is_asked);

// Raises a ValueError, or the TypeError of graphs, because `value`, a part of `whole`, cannot be
// converted.
[[noreturn]] void fail_unsupported(PyObject* value, PyObject* whole);

// True for objects with a length and indexed elements.
bool is_sequence(PyObject* object);
// An upper estimate of the bytes that NumPy needs to make an array of a list or other object.
int64_t bytes_as_array(PyObject* list);
// A list or tuple, nested to any depth. Throws ValueError unless it is rectangular.
Tensor from_sequence(PyObject* list, DType dtype, Wanted wanted);
// Any sequence: a range, a deque, an object with __len__ and __getitem__.
Tensor from_any_sequence(PyObject* sequence, DType dtype, Wanted wanted);

// Raises for a value, an element of `whole` or all of it, that no tensor can hold.
[[noreturn]] void fail_unsupported(PyObject* value, PyObject* whole);

}  // namespace penstock::python
