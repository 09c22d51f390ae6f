// Which operands are temporaries that nobody can see: in a * b + c, the product. Such a tensor is
// handed over to the op, which may write its result into it.
//
// A reference count of 1 is not enough: C code (a partial, a tuple that is spread over a call, an
// array of objects) may hold the only reference and show the object again later. So the one
// reference must be seen to belong to the interpreter's evaluation stack, whose instruction drops
// it afterwards. When that cannot be shown, nothing is reused.
#pragma once

#include <Python.h>

#include <penstock/tensor/tensor.h>

namespace penstock::python {

// Below this many bytes a new buffer is cheaper than finding out.
inline constexpr int64_t kBytesWorthReusing = 64 * 1024;

// The bits of those operands of a binary or unary operator that are temporaries. `caller` is the
// address that the type slot returns to.
uint64_t temporary_operands(PyObject* a, PyObject* b, const void* caller);

// True when the interpreter itself calls `function`, a vectorcall function, with `args` where they
// lie on the evaluation stack. `caller` is the address that the function returns to.
bool are_on_stack(PyObject* function, PyObject* const* args, const void* caller);

// True for a tensor with one reference and enough bytes: the cheap part of the question.
bool may_be_temporary(PyObject* object);

}  // namespace penstock::python
