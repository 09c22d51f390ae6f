// OpFunction: an op as a Python callable. Raw ops have the OpDef's own names; the public functions
// of the package have their own names, order and defaults (see python/penstock/_api/__init__.py).
#pragma once

#include <Python.h>

namespace penstock::python {

bool add_op_function_type(PyObject* module);
// describe_op(name) -> (doc, [input names], [(attr name, kind, default)], [output names]), or None.
PyObject* describe_op(PyObject* module, PyObject* name);
// op_details(name) -> ([(input name, [dtype names], takes many)], is elementwise, returns a list,
// has a gradient).
PyObject* op_details(PyObject* module, PyObject* name);
// The names of all ops.
PyObject* op_names(PyObject* module, PyObject*);

}  // namespace penstock::python
