// Memory set aside for when there is none left: what must not fail on the way to a MemoryError.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::python {

// Makes nanobind's tables as large as most programs need them. Pre: the module's classes are there.
void set_memory_aside(nanobind::module_& module);

}  // namespace penstock::python
