// Python numbers and strings, and nested lists of them, as elements of tensors.
#pragma once

#include <Python.h>

#include <penstock/tensor/tensor.h>

#include "convert.h"

namespace penstock::python {

// In the order in which they widen.
enum class Kind : uint8_t { kNone, kBool, kInt, kFloat, kComplex, kString };

struct Leaf {
  Kind kind = Kind::kNone;  // kNone: no element
  DType natural = DType::kInvalid;
};
// Throws ValueError for an integer that no dtype holds.
Leaf leaf_of(PyObject* object);

// The dtype for a value of `kind`. Throws TypeError when `dtype` is wanted strictly and too narrow.
DType choose_dtype(PyObject* value, Kind kind, DType natural, DType dtype, Wanted wanted);

// Writes a leaf as an element of `dtype`, which `is_asked` for or the leaf's own. False where it is
// an integer that the dtype does not hold. Throws.
bool put_element(DType dtype, void* out, PyObject* leaf, bool is_asked);

// True for what has a length and elements by number.
bool is_sequence(PyObject* object);
// A list or tuple, nested to any depth. Throws ValueError unless it is rectangular.
Tensor from_sequence(PyObject* list, DType dtype, Wanted wanted);
// Any sequence: a range, a deque, an object with __len__ and __getitem__.
Tensor from_any_sequence(PyObject* sequence, DType dtype, Wanted wanted);

// Raises for a value, an element of `whole` or all of it, that no tensor can hold.
[[noreturn]] void fail_unsupported(PyObject* value, PyObject* whole);

}  // namespace penstock::python
