// A whole dataset as one element.
#pragma once

#include <penstock/base/export.h>
#include <penstock/data/dataset.h>

namespace penstock::data {

// Calls the function with the components of the state and of each element; its results are the next
// state. Returns the last one. Throws InvalidArgumentError unless the results are as many as the
// state's components, and of their dtypes.
// `captured` are the values of the function's captures.
PEN_API Element reduce(const Dataset& dataset, Element state, const ElementFunction& function,
                       std::span<const Tensor> captured = {});

// The only element. Throws InvalidArgumentError if there is not exactly one.
PEN_API Element single_element(const Dataset& dataset);

}  // namespace penstock::data
