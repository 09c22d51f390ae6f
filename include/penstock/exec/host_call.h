// Calls of functions of the host's: a print, a callback.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include <penstock/base/export.h>
#include <penstock/core/dtype.h>
#include <penstock/core/shape.h>
#include <penstock/tensor/tensor.h>

namespace penstock {

// What a function of the host's (a print, a callback) gives; dimensions may be unknown.
struct HostOutput {
  DType dtype = DType::kInvalid;
  Shape shape;
};
using HostFunction = std::function<Tensors(std::span<const Tensor* const> inputs)>;
// Calls `run` now; inside a trace, whenever the function runs: such calls happen one after the
// other, needed or not. It may throw. Throws InvalidArgumentError when it gives other outputs. With
// `passes_gradients` tapes see the ops that it calls.
PEN_API Tensors call_host(std::string_view name, HostFunction run,
                          std::span<const Tensor* const> inputs,
                          std::span<const HostOutput> outputs, bool passes_gradients = false);

}  // namespace penstock
