// Bindings for memory control, the thread pool and the random streams.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::python {

void add_memory(nanobind::module_& module);

}  // namespace penstock::python
