// Traces and functions for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::python {

void add_function(nanobind::module_& module);

}  // namespace penstock::python
