// Traces and functions for Python.
#pragma once

#include <vector>

#include <nanobind/nanobind.h>

#include <penstock/tensor/tensor.h>

namespace penstock::python {

// A tuple of sizes, None for those that are not known; None when nothing is.
Shape to_shape(const nanobind::handle& dims);
// A list of tensors, and of what can become one.
std::vector<Tensor> tensors_of(const nanobind::list& objects);

void add_function(nanobind::module_& module);

}  // namespace penstock::python
