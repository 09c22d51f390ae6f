// Numbers of a graph's values and nodes.
#pragma once

#include <cstdint>

namespace penstock {

using ValueId = int32_t;
using NodeId = int32_t;
inline constexpr int32_t kNoIndex = -1;

}  // namespace penstock
