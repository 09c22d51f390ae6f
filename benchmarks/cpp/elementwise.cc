// Memory-bound elementwise ops: their traffic and peak memory.
#include "bench.h"

namespace penstock::bench {

PEN_CASE(eager_add_4m) {
  const Tensor a = values({4'000'000}, 1), b = values({4'000'000}, 2);
  bench.expect(add(a, b), [&](int64_t i) { return a.number_at(i) + b.number_at(i); });
  bench.time([&] { return add(a, b); });
}

// The product is donated to the sum, which may overwrite it: peak_bytes shows it.
PEN_CASE(chain_4m) {
  const Tensor a = values({4'000'000}, 1), b = values({4'000'000}, 2), c = values({4'000'000}, 3);
  bench.expect(a * b + c,
               [&](int64_t i) { return a.number_at(i) * b.number_at(i) + c.number_at(i); });
  bench.time([&] { return a * b + c; });
}

}  // namespace penstock::bench
