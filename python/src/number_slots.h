// The operators of tensors and variables, as type slots.
#pragma once

#include <Python.h>

namespace penstock::python {

// Writes the slots of the number protocol and comparisons to `slots`; returns their number.
int add_number_slots(PyType_Slot* slots);
// set_tensor_equality(wanted): whether == compares elements or identity.
PyObject* set_tensor_equality(PyObject*, PyObject* wanted);

}  // namespace penstock::python
