// Memory of the whole process, beyond what Python and /proc report.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::python {

void add_process(nanobind::module_& module);

}  // namespace penstock::python
