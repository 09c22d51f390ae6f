// Files as tensors: reading with checksums, and mapping. And memory that others take for our sake.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::python {

void add_files(nanobind::module_& module);

}  // namespace penstock::python
