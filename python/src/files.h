// Files as tensors: reading with checksums, and mapping; and reservations of memory for other
// libraries.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::python {

void add_files(nanobind::module_& module);

}  // namespace penstock::python
