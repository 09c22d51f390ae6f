// TracedCall: the base of tf.function's objects. It remembers the last signatures that it was
// called with, and calls straight through for those; anything else is `_call_slowly`'s, in Python.
#pragma once

#include <Python.h>

namespace penstock::python {

bool add_traced_call_type(PyObject* module);

// Whether remembered signatures are used: not while functions are to run as plain Python.
PyObject* set_fast_calls(PyObject*, PyObject* wanted);

}  // namespace penstock::python
