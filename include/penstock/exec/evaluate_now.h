// Evaluation of symbolic tensors while a function is traced.
#pragma once

#include <penstock/base/export.h>
#include <penstock/tensor/tensor.h>

namespace penstock {

// The value of a symbolic tensor that depends on no input of the function being traced, such as the
// initial value of a variable created inside it. Throws InvalidArgumentError if it depends on one.
PEN_API Tensor evaluate_now(const Tensor& tensor);

}  // namespace penstock
