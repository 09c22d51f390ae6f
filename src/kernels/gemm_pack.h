// Packs lanes of an operand into the order in which tiles read them.
#pragma once

#include <cstdint>

#include <penstock/core/half.h>

namespace penstock::kernels {

// Element (lane, step) is at from + lane * lane_stride + step * step_stride, and goes to
// out + step * width + lane. Half types become float.
void pack_lanes(const float* from, int64_t lane_stride, int64_t step_stride, int64_t count,
                int64_t steps, float* out, int64_t width);
void pack_lanes(const double* from, int64_t lane_stride, int64_t step_stride, int64_t count,
                int64_t steps, double* out, int64_t width);
void pack_lanes(const float16* from, int64_t lane_stride, int64_t step_stride, int64_t count,
                int64_t steps, float* out, int64_t width);
void pack_lanes(const bfloat16* from, int64_t lane_stride, int64_t step_stride, int64_t count,
                int64_t steps, float* out, int64_t width);

}  // namespace penstock::kernels
