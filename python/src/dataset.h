// Datasets and their iterators for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <penstock/data/element.h>

namespace penstock::python {

// A spec as a list: (dtype, shape) for a tensor, a list for the elements of a dataset.
data::Spec to_spec(nanobind::handle items);
// Tensors and datasets of a Python list.
data::Element to_element(nanobind::handle items);

void add_dataset(nanobind::module_& module);

}  // namespace penstock::python
