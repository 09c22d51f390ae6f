// Which operands are temporaries that nobody can see: in a * b + c, the product. Such a tensor is
// handed over to the op, which may write its result into it.
//
// And which results will be such operands at once: in a - tf.square(b), the square, as the next
// instruction is the operator. Such a call is put off (penstock/exec/deferred_elementwise.h) and
// runs as part of the operator, without a buffer of its own.
//
// A reference count of 1 is not enough: C code (a partial, a tuple that is spread over a call, an
// array of objects) may hold the only reference and show the object again later. So the one
// reference must be seen to belong to the interpreter's evaluation stack, whose instruction drops
// it afterwards. From Python 3.14 on that stack may borrow the reference of a local variable, and
// the interpreter itself is asked which it is. When it cannot be shown, nothing is reused.
#pragma once

#include <Python.h>

#include <span>

#include <penstock/tensor/tensor.h>

namespace penstock::python {

// Below this many bytes a new buffer is cheaper than finding out.
inline constexpr int64_t kBytesWorthReusing = 64 * 1024;
// Below this many, running two ops one after the other is quicker than as one.
inline constexpr int64_t kBytesWorthPuttingOff = 256 * 1024;

// Finds out what the functions below have to know of the interpreter. Once, when the module is
// loaded: it runs Python, and another thread must not wait for that with the GIL in its hands.
void look_at_interpreter();

// The bits of those operands of a binary or unary operator that are temporaries. `caller` is the
// address that the type slot returns to.
uint64_t temporary_operands(PyObject* a, PyObject* b, const void* caller);

// True when the result of the operator that runs now is the right operand of the next one, and
// nothing happens in between. `caller` as above.
bool is_next_operand(const void* caller);

// True when the interpreter itself calls `function`, a vectorcall function, with `args` where they
// lie on the evaluation stack. `caller` is the address that the function returns to.
bool are_on_stack(PyObject* function, PyObject* const* args, const void* caller);
// The same question as is_next_operand, for the result of such a call.
bool is_next_operand(PyObject* function, PyObject* const* args, const void* caller);

// True when the interpreter calls a method of a temporary, as in f(x).numpy(). `method` is the
// descriptor of a METH_FASTCALL method, `args` and `caller` are those of the function behind it.
bool is_temporary_receiver(PyObject* self, PyObject* method, PyObject* const* args,
                           const void* caller);

// True for a tensor with one reference and enough bytes: the cheap part of the question.
bool may_be_temporary(PyObject* object);
// True when the inputs are large enough for the result to be worth it.
bool may_be_put_off(std::span<const Tensor* const> inputs);

}  // namespace penstock::python
