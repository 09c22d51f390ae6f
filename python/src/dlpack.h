// DLPack: exchange of tensors with other libraries without a copy.
#pragma once

#include <Python.h>

namespace penstock::python {

// EagerTensor.__dlpack__(stream=None, max_version=None, dl_device=None, copy=None)
PyObject* export_dlpack(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* dlpack_device(PyObject* self, PyObject*);
// from_dlpack(capsule): a tensor over the capsule's memory, which it takes over.
PyObject* import_dlpack(PyObject* module, PyObject* capsule);

}  // namespace penstock::python
