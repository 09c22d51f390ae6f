// Bindings for memory recordings.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::python {

void add_recording(nanobind::module_& module);

}  // namespace penstock::python
