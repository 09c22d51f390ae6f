// Detects operands that are unobservable temporaries: in a * b + c, the product. Such a tensor is
// donated to the op, which may write its result into it.
//
// Also detects results that become such operands immediately: in a - tf.square(b), the square,
// because the next instruction is the operator. Such a call is deferred
// (penstock/exec/deferred_elementwise.h) and runs as part of the operator, without its own buffer.
//
// A reference count of 1 is not enough: C code (a partial, an unpacked tuple, an object array) may
// hold the only reference and expose the object again later. So the reference must be shown to
// belong to the interpreter's evaluation stack, whose instruction drops it afterwards. From Python
// 3.14 on, that stack may borrow the reference of a local variable; the interpreter itself is asked
// which it is. If it cannot be shown, nothing is reused.
#pragma once

#include <Python.h>

#include <span>

#include <penstock/tensor/tensor.h>

namespace penstock::python {

// Below this many bytes a new buffer is cheaper than the check.
inline constexpr int64_t kBytesWorthReusing = 64 * 1024;
// Below this many bytes, running two ops in turn is faster than fusing them.
inline constexpr int64_t kBytesWorthPuttingOff = 256 * 1024;

// Collects what the functions below need to know of the interpreter. Runs once, at import: it runs
// Python, and no other thread may wait for that while holding the GIL.
void look_at_interpreter();

// A bit for each operand of a binary or unary operator that is a temporary. `caller` is the return
// address of the type slot.
uint64_t temporary_operands(PyObject* a, PyObject* b, const void* caller);

// True if the current operator's result is the right operand of the next one, with nothing in
// between. `caller` as above.
bool is_next_operand(const void* caller);

// True if the interpreter itself calls `function`, a vectorcall function, with `args` on the
// evaluation stack. `caller` is the function's return address.
bool are_on_stack(PyObject* function, PyObject* const* args, const void* caller);
// As is_next_operand above, for the result of such a call.
bool is_next_operand(PyObject* function, PyObject* const* args, const void* caller);

// True if the interpreter calls a method of a temporary, as in f(x).numpy(). `method` is the
// descriptor of a METH_FASTCALL method, `args` and `caller` are those of its function.
bool is_temporary_receiver(PyObject* self, PyObject* method, PyObject* const* args,
                           const void* caller);

// True for a tensor with one reference and enough bytes: the cheap part of the check.
bool may_be_temporary(PyObject* object);
// True if the inputs are large enough for deferring to pay off.
bool may_be_put_off(std::span<const Tensor* const> inputs);

}  // namespace penstock::python
