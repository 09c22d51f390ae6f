// What Python may ask and tell a recording of memory, and what it may ask of the whole process.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::python {

void add_recording(nanobind::module_& module);

}  // namespace penstock::python
