// Calls of host functions, from eager code and from graphs.
#pragma once

#include <memory>
#include <span>

#include "graph/graph.h"

namespace penstock::exec {

// Runs the call, or adds it to the trace as a node.
Tensors call_host(const std::shared_ptr<const HostCall>& call,
                  std::span<const Tensor* const> inputs, std::span<const OutputSpec> outputs);

}  // namespace penstock::exec
