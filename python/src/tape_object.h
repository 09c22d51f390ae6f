// Python bindings of tapes and custom gradients.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::python {

void add_tape(nanobind::module_& module);

}  // namespace penstock::python
