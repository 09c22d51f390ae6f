// What Python may ask of the whole process's memory, where neither Python nor /proc says it.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::python {

void add_process(nanobind::module_& module);

}  // namespace penstock::python
