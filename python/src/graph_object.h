// GraphBuilder for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::python {

void add_graph(nanobind::module_& module);

}  // namespace penstock::python
