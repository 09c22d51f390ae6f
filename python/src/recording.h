// What Python may ask and tell a recording of memory.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::python {

void add_recording(nanobind::module_& module);

}  // namespace penstock::python
