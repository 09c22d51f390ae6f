// TracedCall: the base of tf.function's objects. It caches the latest call signatures and calls
// their functions directly; other calls go to `_call_slowly`, in Python.
#pragma once

#include <Python.h>

namespace penstock::python {

bool add_traced_call_type(PyObject* module);

// Whether cached signatures are used: not while functions run as plain Python.
PyObject* set_fast_calls(PyObject*, PyObject* wanted);

}  // namespace penstock::python
