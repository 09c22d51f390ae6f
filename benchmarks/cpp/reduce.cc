// Sums over either axis of a matrix.
#include "bench.h"

namespace penstock::bench {
namespace {

constexpr int64_t kSide = 4096;

// Element i is the sum of kSide elements, `step` apart, from x[i * stride] on.
void sum_over(Bench& bench, int64_t axis, int64_t stride, int64_t step) {
  const Tensor x = values({kSide, kSide}, 1);
  const auto element = [&](int64_t i) {
    double sum = 0;
    for (int64_t k = 0; k < kSide; ++k) sum += x.number_at(i * stride + k * step);
    return sum;
  };
  bench.expect(reduce_sum(x, {axis}), element, 1e-3);
  bench.time([&] { return reduce_sum(x, {axis}); });
}

}  // namespace

PEN_CASE(reduce_sum_axis0) { sum_over(bench, 0, 1, kSide); }
PEN_CASE(reduce_sum_axis1) { sum_over(bench, 1, kSide, 1); }

}  // namespace penstock::bench
