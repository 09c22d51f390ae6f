// The kinds of reduction.
#pragma once

#include <cstdint>

namespace penstock::kernels {

// kMax and kMin keep NaN. On bool kMax is "any" and kMin is "all".
enum class Reduction : uint8_t { kSum, kMean, kProd, kMax, kMin };

}  // namespace penstock::kernels
