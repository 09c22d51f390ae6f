// GroupResult: the outcome of running fused ops.
#pragma once

#include <penstock/ops/op_def.h>

namespace penstock::exec {

// The op that failed, if any.
struct GroupResult {
  const OpDef* failed = nullptr;
  KernelResult result;
};

}  // namespace penstock::exec
