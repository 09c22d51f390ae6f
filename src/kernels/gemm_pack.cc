#include "kernels/gemm_pack.h"

#include <algorithm>

#include "kernels/half.h"

#define HWY_TARGET_INCLUDE "kernels/gemm_pack.cc"
#include "kernels/targets.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace penstock::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Each step's lanes lie side by side.
template <typename T>
HWY_INLINE void copy_steps(const T* from, int64_t step_stride, int64_t count, int64_t steps, T* out,
                           int64_t width) {
  const hn::ScalableTag<T> d;
  const auto n = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t step = 0; step < steps; ++step, from += step_stride, out += width) {
    int64_t lane = 0;
    for (; lane + n <= count; lane += n) hn::StoreU(hn::LoadU(d, from + lane), d, out + lane);
    for (; lane < count; ++lane) out[lane] = from[lane];
  }
}

#if HWY_TARGET != HWY_SCALAR
// Four lanes by four steps turned around in registers.
HWY_INLINE void turn_4x4(const float* from, int64_t lane_stride, float* out, int64_t width) {
  const hn::FixedTag<float, 4> d;
  const hn::Repartition<double, decltype(d)> wide;
  const auto a = hn::LoadU(d, from), b = hn::LoadU(d, from + lane_stride);
  const auto c = hn::LoadU(d, from + 2 * lane_stride), e = hn::LoadU(d, from + 3 * lane_stride);
  const auto ab_low = hn::BitCast(wide, hn::InterleaveLower(d, a, b));
  const auto ab_high = hn::BitCast(wide, hn::InterleaveUpper(d, a, b));
  const auto ce_low = hn::BitCast(wide, hn::InterleaveLower(d, c, e));
  const auto ce_high = hn::BitCast(wide, hn::InterleaveUpper(d, c, e));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, ab_low, ce_low)), d, out);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, ab_low, ce_low)), d, out + width);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, ab_high, ce_high)), d, out + 2 * width);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, ab_high, ce_high)), d, out + 3 * width);
}
#endif

// Each lane's steps lie side by side.
template <typename T>
HWY_INLINE void turn_lanes(const T* from, int64_t lane_stride, int64_t count, int64_t steps, T* out,
                           int64_t width) {
  int64_t lane = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (sizeof(T) == 4) {
    for (; lane + 4 <= count; lane += 4) {
      const T* at = from + lane * lane_stride;
      int64_t step = 0;
      for (; step + 4 <= steps; step += 4) {
        turn_4x4(at + step, lane_stride, out + step * width + lane, width);
      }
      for (; step < steps; ++step) {
        for (int64_t i = 0; i < 4; ++i) out[step * width + lane + i] = at[i * lane_stride + step];
      }
    }
  }
#endif
  for (; lane < count; ++lane) {
    const T* at = from + lane * lane_stride;
    for (int64_t step = 0; step < steps; ++step) out[step * width + lane] = at[step];
  }
}

template <typename T>
HWY_INLINE void pack(const T* from, int64_t lane_stride, int64_t step_stride, int64_t count,
                     int64_t steps, T* out, int64_t width) {
  if (lane_stride == 1) return copy_steps(from, step_stride, count, steps, out, width);
  if (step_stride == 1) return turn_lanes(from, lane_stride, count, steps, out, width);
  for (int64_t step = 0; step < steps; ++step, from += step_stride, out += width) {
    for (int64_t lane = 0; lane < count; ++lane) out[lane] = from[lane * lane_stride];
  }
}
void PackF32(const float* from, int64_t lane_stride, int64_t step_stride, int64_t count,
             int64_t steps, float* out, int64_t width) {
  pack(from, lane_stride, step_stride, count, steps, out, width);
}
void PackF64(const double* from, int64_t lane_stride, int64_t step_stride, int64_t count,
             int64_t steps, double* out, int64_t width) {
  pack(from, lane_stride, step_stride, count, steps, out, width);
}

}  // namespace penstock::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace penstock::kernels {
namespace {

HWY_EXPORT(PackF32);
HWY_EXPORT(PackF64);

// Converts along whichever way the elements lie side by side, some at a time.
template <typename Half>
void pack_half(const Half* from, int64_t lane_stride, int64_t step_stride, int64_t count,
               int64_t steps, float* out, int64_t width) {
  if (step_stride == 1 && lane_stride != 1) {
    constexpr int64_t kLanes = 4, kSteps = 64;
    float block[kLanes * kSteps];
    for (int64_t lane = 0; lane < count; lane += kLanes) {
      const int64_t lanes = std::min(kLanes, count - lane);
      for (int64_t step = 0; step < steps; step += kSteps) {
        const int64_t some = std::min(kSteps, steps - step);
        for (int64_t i = 0; i < lanes; ++i) {
          to_float(from + (lane + i) * lane_stride + step, block + i * kSteps, some);
        }
        for (int64_t i = 0; i < lanes; ++i) {
          float* to = out + step * width + lane + i;
          for (int64_t p = 0; p < some; ++p) to[p * width] = block[i * kSteps + p];
        }
      }
    }
    return;
  }
  for (int64_t step = 0; step < steps; ++step, from += step_stride, out += width) {
    if (lane_stride == 1) {
      to_float(from, out, count);
    } else {
      for (int64_t lane = 0; lane < count; ++lane) out[lane] = float(from[lane * lane_stride]);
    }
  }
}

}  // namespace

void pack_lanes(const float* from, int64_t lane_stride, int64_t step_stride, int64_t count,
                int64_t steps, float* out, int64_t width) {
  HWY_DYNAMIC_DISPATCH(PackF32)(from, lane_stride, step_stride, count, steps, out, width);
}
void pack_lanes(const double* from, int64_t lane_stride, int64_t step_stride, int64_t count,
                int64_t steps, double* out, int64_t width) {
  HWY_DYNAMIC_DISPATCH(PackF64)(from, lane_stride, step_stride, count, steps, out, width);
}
void pack_lanes(const float16* from, int64_t lane_stride, int64_t step_stride, int64_t count,
                int64_t steps, float* out, int64_t width) {
  pack_half(from, lane_stride, step_stride, count, steps, out, width);
}
void pack_lanes(const bfloat16* from, int64_t lane_stride, int64_t step_stride, int64_t count,
                int64_t steps, float* out, int64_t width) {
  pack_half(from, lane_stride, step_stride, count, steps, out, width);
}

}  // namespace penstock::kernels
#endif
