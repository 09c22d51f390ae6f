// The offset planner, for the command line.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::python {

void add_plan(nanobind::module_& module);

}  // namespace penstock::python
