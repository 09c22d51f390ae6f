// Softmax over rows: a batch of class scores.
#include "bench.h"

namespace penstock::bench {

PEN_CASE(softmax_4096x1000) {
  constexpr int64_t kClasses = 1000;
  const Tensor x = values({4096, kClasses}, 1);
  bench.expect(
      softmax(x),
      [&](int64_t i) {
        const int64_t row = i / kClasses * kClasses;
        double sum = 0;
        for (int64_t k = 0; k < kClasses; ++k) sum += std::exp(x.number_at(row + k));
        return std::exp(x.number_at(i)) / sum;
      },
      1e-7);
  bench.time([&] { return softmax(x); });
}

}  // namespace penstock::bench
