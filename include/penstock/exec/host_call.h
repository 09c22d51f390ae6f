// Calls of host functions: a print, a callback.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include <penstock/base/export.h>
#include <penstock/core/dtype.h>
#include <penstock/core/shape.h>
#include <penstock/tensor/tensor.h>

namespace penstock {

// An output of a host function; dimensions may be unknown.
struct HostOutput {
  DType dtype = DType::kInvalid;
  Shape shape;
};
using HostFunction = std::function<Tensors(std::span<const Tensor* const> inputs)>;
// Calls `run` now. Inside a trace, it is called whenever the function runs: such calls happen in
// order, even if their results are unused. `run` may throw. Throws InvalidArgumentError when its
// outputs differ from those declared. With `passes_gradients`, tapes see the ops that it calls.
PEN_API Tensors call_host(std::string_view name, HostFunction run,
                          std::span<const Tensor* const> inputs,
                          std::span<const HostOutput> outputs, bool passes_gradients = false);

}  // namespace penstock
