// Tape and custom gradients in the module.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::python {

void add_tape(nanobind::module_& module);

}  // namespace penstock::python
