// The transpose of a large matrix, written out.
#include "bench.h"

namespace penstock::bench {

PEN_CASE(transpose_4096) {
  constexpr int64_t kSide = 4096;
  const Tensor x = values({kSide, kSide}, 1);
  bench.expect(
      transpose(x, {1, 0}), [&](int64_t i) { return x.number_at(i % kSide * kSide + i / kSide); },
      0);
  bench.time([&] { return transpose(x, {1, 0}); });
}

}  // namespace penstock::bench
