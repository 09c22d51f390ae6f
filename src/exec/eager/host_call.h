// Calls of functions of the host's, from eager code and from graphs.
#pragma once

#include <memory>
#include <span>

#include "graph/graph.h"

namespace penstock::exec {

// Runs it, or makes it a node of the trace.
Tensors call_host(const std::shared_ptr<const HostCall>& call,
                  std::span<const Tensor* const> inputs, std::span<const OutputSpec> outputs);

}  // namespace penstock::exec
