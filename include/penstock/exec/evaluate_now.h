// Values that are needed while a function is traced.
#pragma once

#include <penstock/base/export.h>
#include <penstock/tensor/tensor.h>

namespace penstock {

// The value of a symbolic tensor that depends on no input of the function being traced: what a
// variable made inside it starts with. Throws InvalidArgumentError when it does depend on one.
PEN_API Tensor evaluate_now(const Tensor& tensor);

}  // namespace penstock
