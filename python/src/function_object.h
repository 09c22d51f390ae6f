// Traces and functions for Python.
#pragma once

#include <vector>

#include <nanobind/nanobind.h>

#include <penstock/tensor/tensor.h>

namespace penstock::python {

// Converts a tuple of sizes, with None for unknown ones; None is an unknown rank.
Shape to_shape(const nanobind::handle& dims);
// Converts a list of tensors and of values that can become tensors.
std::vector<Tensor> tensors_of(const nanobind::list& objects);

void add_function(nanobind::module_& module);

}  // namespace penstock::python
