// VariableHandle: the C++ base class of tf.Variable: the value, its updates and the operators.
#pragma once

#include <Python.h>

#include <penstock/exec/variable.h>

namespace penstock::python {

struct VariableObject {
  PyObject_HEAD Variable* variable;  // null until __init__ has run
};

inline PyTypeObject* variable_type = nullptr;

inline bool is_variable(PyObject* object) { return PyObject_TypeCheck(object, variable_type); }
// Throws when __init__ has not run.
const Variable& variable_of(PyObject* object);

bool add_variable_type(PyObject* module);

}  // namespace penstock::python
