// Memory reserved for an out-of-memory situation: for everything that must not fail on the way to a
// MemoryError.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::python {

// Enlarges nanobind's tables to the size that most programs need. Pre: the module's classes exist.
void set_memory_aside(nanobind::module_& module);

}  // namespace penstock::python
